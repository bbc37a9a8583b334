import { resolve } from 'node:path';
import { formatSubject, parseSubject } from '@weir/registry';
import { schemaTypeOf } from '../../tools/schemas/schema-file.ts';
import type { DesiredRegistry, DesiredSchema, DesiredSettings, DesiredSubject } from '../desired.ts';
import type { Place } from './problem.ts';
import type { WrittenParts } from './schema.ts';

type WrittenRegistry = NonNullable<WrittenParts['schema_registry']>;
type WrittenSubject = Partial<NonNullable<WrittenRegistry['subjects']>[number]>;
type WrittenSchema = Partial<NonNullable<WrittenSubject['schemas']>[number]>;
type WrittenSettings = Pick<WrittenSubject, 'compatibility_level' | 'mode' | 'normalize'>;

interface RegistryContext {
  /** File names are relative to this folder. */
  readonly folder: string;
  readonly placeOf: (path: readonly (string | number)[]) => Place;
  readonly report: (path: readonly (string | number)[], rule: string) => void;
}

/** Converts the registry of a cluster, with the checks that a schema of documents cannot do. */
export function registryOf(written: WrittenRegistry, context: RegistryContext): DesiredRegistry {
  return {
    settings: settingsOf(written, undefined, context.placeOf([])),
    contexts: written.contexts?.flatMap((one, index) => {
      const { name } = one;
      return name === undefined
        ? []
        : (settingsOf(one, contextScope(name), context.placeOf(['contexts', index])) ?? []);
    }),
    subjects: written.subjects?.flatMap((one, index) => subjectOf(one, index, context) ?? []),
  };
}

/** `.eu` and `eu` name the same context. */
function contextScope(name: string): string {
  return formatSubject({ context: name.startsWith('.') ? name : `.${name}`, subject: '' });
}

function settingsOf(
  { compatibility_level, mode, normalize }: WrittenSettings,
  scope: string | undefined,
  place: Place,
): DesiredSettings | undefined {
  if (compatibility_level === undefined && mode === undefined && normalize === undefined) return undefined;
  return {
    place,
    scope,
    level: compatibility_level === 'INHERITED' ? null : compatibility_level,
    mode: mode === 'INHERITED' ? null : mode,
    normalize,
  };
}

function subjectOf(
  written: WrittenSubject,
  index: number,
  context: RegistryContext,
): DesiredSubject | undefined {
  const path = ['subjects', index];
  const { name, schemas = [] } = written;
  if (name === undefined) return undefined;
  const subject = formatSubject(parseSubject(name));
  const place = context.placeOf(path);
  return {
    place,
    name: subject,
    settings: settingsOf(written, subject, place),
    schemas: schemas.flatMap((one, at) => schemaOf(subject, one, [...path, 'schemas', at], context) ?? []),
  };
}

function schemaOf(
  subject: string,
  written: WrittenSchema,
  path: readonly (string | number)[],
  context: RegistryContext,
): DesiredSchema | undefined {
  const { file, text, type: given, references = [], metadata } = written;
  if ((file === undefined) === (text === undefined)) {
    context.report(path, 'needs file or text');
    return undefined;
  }
  const type = given ?? (file === undefined ? 'AVRO' : schemaTypeOf(file));
  if (type === undefined)
    context.report([...path, 'file'], 'does not end with .avsc, .proto or .json; set type');
  return {
    place: context.placeOf(path),
    subject,
    type: type ?? 'AVRO',
    file: file === undefined ? undefined : { name: file, path: resolve(context.folder, file) },
    text: text ?? '',
    references,
    metadata,
  };
}
