import type { RegistryClient, RegistrySchema, SchemaViolation } from '@weir/registry';
import { RegistryRefusal, registryErrors } from '@weir/registry/client';
import { readViolations, schemaDiff } from '@weir/registry/readable';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { escapeControls } from '../problem.ts';
import { printResult } from '../results/results.ts';
import { styledDiff } from '../results/style.ts';
import { linesText } from './describe-schema.ts';
import { withRegistry } from './schemas/open-registry.ts';
import { readSchema } from './schemas/schema-file.ts';
import { violationLine } from './schemas/violation-line.ts';

type Values = CommandValues<'cli check-schema'>;
type Given = Awaited<ReturnType<typeof readSchema>>;

interface Verdict {
  readonly subject: string;
  readonly isCompatible: boolean;
  readonly compatibility?: string | undefined;
  /** The version that has the schema already. */
  readonly registeredVersion?: number | undefined;
  readonly comparedVersion?: number | undefined;
  readonly violations: readonly SchemaViolation[];
  readonly diff: string;
}

/** The exit status if the schema is not compatible. */
const incompatibleStatus = 1;

const diffLinesMax = 2_000;

/** Checks whether a schema could be registered; prints what is incompatible, and a diff to the version it must fit. */
export const checkSchemaTool: Handler<'cli check-schema'> = async (values, deps) => {
  const given = await readSchema(values, deps);
  const verdict = await withRegistry(values, deps, (registry, stop) => check(registry, values, given, stop));
  printResult(values, deps, { json: verdict, text: () => verdictText(verdict, deps.output.colours?.out) });
  // What is registered already can be registered again, whatever the versions after it are.
  const isAccepted = verdict.isCompatible || verdict.registeredVersion !== undefined;
  return isAccepted ? 0 : incompatibleStatus;
};

async function check(
  registry: RegistryClient,
  values: Values,
  { schema, name }: Given,
  stop: AbortSignal,
): Promise<Verdict> {
  const subject = values.subject!;
  const { normalize, 'schema-version': version } = values;
  const [{ isCompatible, messages }, config, latest] = await Promise.all([
    registry.compatibility(subject, version ?? 'all', schema, { normalize, stop }),
    registry.config(subject, { defaultToGlobal: true, stop }),
    registry.schemaOfVersion(subject, version ?? 'latest', { stop }),
  ]);
  const { violations, oldVersion } = readViolations(messages);
  const isOther = oldVersion !== undefined && oldVersion !== latest?.version;
  const compared = isOther ? await registry.schemaOfVersion(subject, oldVersion, { stop }) : latest;
  const registered = await lookUp(registry, subject, schema, { normalize, stop });
  return {
    subject,
    isCompatible,
    compatibility: config?.compatibilityLevel,
    registeredVersion: registered?.version,
    comparedVersion: compared?.version,
    violations,
    diff:
      compared === undefined
        ? ''
        : schemaDiff(
            {
              name: `${subject} version ${compared.version}`,
              type: compared.schemaType,
              text: compared.schema,
            },
            { name, type: schema.schemaType, text: schema.schema },
            { linesMax: diffLinesMax },
          ),
  };
}

/** Returns `undefined` also for a text that is no schema, of which the check has said why. */
async function lookUp(
  registry: RegistryClient,
  subject: string,
  schema: Given['schema'],
  options: { normalize: boolean; stop: AbortSignal },
): Promise<RegistrySchema | undefined> {
  try {
    return await registry.lookup(subject, schema, options);
  } catch (error) {
    if (error instanceof RegistryRefusal && error.errorCode === registryErrors.invalidSchema)
      return undefined;
    throw error;
  }
}

function verdictText(verdict: Verdict, hasColours: boolean | undefined): string {
  if (verdict.registeredVersion !== undefined) return `${escapeControls(headline(verdict))}\n`;
  const { diff, violations } = verdict;
  const lines = [headline(verdict), ...violations.map((one) => `  ${violationLine(one)}`)];
  return `${lines.map(escapeControls).join('\n')}\n${diff === '' ? '' : `\n${styledDiff(linesText(diff), hasColours)}\n`}`;
}

function headline({ subject, isCompatible, compatibility, ...verdict }: Verdict): string {
  const level = compatibility === undefined ? '' : ` (${compatibility})`;
  if (verdict.registeredVersion !== undefined)
    return `${subject}: already registered as version ${verdict.registeredVersion}`;
  if (!isCompatible && verdict.comparedVersion === undefined) return `${subject}: cannot be registered`;
  if (!isCompatible) return `${subject}: incompatible with version ${verdict.comparedVersion}${level}`;
  return verdict.comparedVersion === undefined
    ? `${subject}: no versions yet, any valid schema is compatible`
    : `${subject}: compatible with version ${verdict.comparedVersion}${level}`;
}
