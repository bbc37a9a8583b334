import { Failure } from '@weir/core';
import type { RegistryClient, RegistrySchema } from '@weir/registry';
import { prettySchema } from '@weir/registry/readable';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { escapeControls } from '../problem.ts';
import { printResult } from '../results/results.ts';
import { withRegistry } from './schemas/open-registry.ts';

type Values = CommandValues<'cli describe-schema'>;

interface Described extends RegistrySchema {
  readonly versions: readonly number[];
  readonly usedBy: readonly string[];
  readonly compatibility?: string | undefined;
  readonly mode?: string | undefined;
}

/** Prints a schema, indented, with where it is used and what new versions are checked for. */
export const describeSchemaTool: Handler<'cli describe-schema'> = async (values, deps) => {
  const found = await withRegistry(values, deps, (registry, stop) => describe(registry, values, stop));
  return printResult(values, deps, { json: found, text: () => schemaText(found) });
};

async function describe(registry: RegistryClient, values: Values, stop: AbortSignal): Promise<Described> {
  const schema = await findSchema(registry, values, stop);
  const subject = schema.subject ?? values.subject;
  const deleted = values['include-deleted'];
  const [versions, users, config, mode] = await Promise.all([
    subject === undefined ? undefined : registry.versions(subject, { deleted, stop }),
    schema.id === undefined
      ? undefined
      : registry.versionsOfId(schema.id, { ...(subject === undefined ? {} : { subject }), deleted, stop }),
    registry.config(subject, { defaultToGlobal: true, stop }),
    registry.mode(subject, { defaultToGlobal: true, stop }),
  ]);
  return {
    ...schema,
    ...(subject === undefined ? {} : { subject }),
    versions: versions ?? [],
    usedBy: (users ?? []).map((user) => `${user.subject}:${user.version}`),
    compatibility: config?.compatibilityLevel,
    mode,
  };
}

async function findSchema(
  registry: RegistryClient,
  values: Values,
  stop: AbortSignal,
): Promise<RegistrySchema> {
  const { subject, 'schema-id': id, 'schema-guid': guid, 'include-deleted': deleted } = values;
  if (guid !== undefined) {
    const found = await registry.schemaByGuid(guid, { stop });
    if (found === undefined) throw new Failure(`-schema-guid=${guid}: not found`);
    return found;
  }
  if (id !== undefined) {
    const found = await registry.schemaById(id, { ...(subject === undefined ? {} : { subject }), stop });
    if (found === undefined) throw new Failure(`-schema-id=${id}: not found`);
    return { ...found, id };
  }
  const version = values['schema-version'] ?? 'latest';
  const found = await registry.schemaOfVersion(subject!, version, { deleted, stop });
  if (found !== undefined) return found;
  const versions = await registry.versions(subject!, { deleted, stop });
  throw new Failure(
    versions === undefined
      ? `${subject}: not found; list subjects with weir cli list-subjects`
      : `${subject}: version ${version} not found; versions are ${versions.join(', ')}`,
  );
}

function schemaText(found: Described): string {
  const rows: [title: string, value: string | undefined][] = [
    ['SUBJECT', found.subject],
    ['VERSION', found.version === undefined ? undefined : versionText(found)],
    ['ID', found.id === undefined ? undefined : String(found.id)],
    ['GUID', found.guid],
    ['TYPE', found.schemaType],
    ['COMPATIBILITY', found.compatibility],
    ['MODE', found.mode],
    ...found.references.map(({ name, subject, version }): [string, string] => [
      'REFERENCE',
      `${name} = ${subject}:${version}`,
    ]),
    ...(found.usedBy.length > 1 ? [['USED BY', found.usedBy.join(', ')] as [string, string]] : []),
  ];
  const head = rows
    .filter(([, value]) => value !== undefined)
    .map(([title, value]) => `${title.padEnd(15)}${escapeControls(value!)}\n`);
  return `${head.join('')}\n${linesText(prettySchema(found.schemaType, found.schema))}\n`;
}

function versionText({ version, versions, isDeleted }: Described): string {
  const others = versions.length > 1 ? ` of ${versions.join(', ')}` : '';
  return `${version}${others}${isDeleted === true ? ' (deleted)' : ''}`;
}

/** Control characters of the text itself would be commands to the terminal. */
export function linesText(text: string): string {
  return text
    .split('\n')
    .map((line) => escapeControls(line.replaceAll('\t', '  ')))
    .join('\n');
}
