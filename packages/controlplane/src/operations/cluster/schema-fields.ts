import type { InputOf, OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import type { RegistryService, SchemaType, SchemaViolation, SubjectVersionAnswer } from '@weir/registry';

/** Conversions between the operations on schemas and the registry. */

type GivenSchema = Pick<InputOf<'register_schema'>, 'schema' | 'schema_type' | 'references'> &
  Partial<Pick<InputOf<'register_schema'>, 'metadata'>>;

/** The body of a registration. */
export function bodyOf({ schema, schema_type: schemaType, references, metadata }: GivenSchema) {
  return {
    schema,
    schemaType,
    // The registry takes -1 for the last version.
    references: references.map(({ version = -1, ...reference }) => ({ ...reference, version })),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

export async function diffOf(
  registry: RegistryService,
  compared: SubjectVersionAnswer,
  type: SchemaType,
  text: string,
): Promise<string> {
  const diff = await registry.diff(
    {
      name: `${compared.subject} version ${compared.version}`,
      type: compared.schemaType,
      text: compared.schema,
    },
    { name: 'new schema', type, text },
    { linesMax: apiLimits.schemaDiffLinesMax },
  );
  return diff.slice(0, apiLimits.schemaDiffCharsMax);
}

export function shortViolations(
  violations: readonly SchemaViolation[],
): OutputOf<'check_schema_compatibility'>['violations'] {
  const short = (text: string) => text.slice(0, apiLimits.schemaMessageCharsMax);
  return violations
    .slice(0, apiLimits.schemaViolationsMax)
    .map(({ type, path, message }) => ({ type, path: short(path), message: short(message) }));
}

/** The fields that were given, if there are any. A `null` counts. */
export function givenFields(fields: Readonly<Record<string, unknown>>): object | undefined {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

/** A scope that may not be changed refuses a config too, so a mode that allows changes is set before it. */
export function isModeBeforeConfig({ mode }: { readonly mode?: string | null | undefined }): boolean {
  return mode?.startsWith('READONLY') !== true;
}
