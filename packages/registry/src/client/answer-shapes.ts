import { type SchemaReference, type SchemaType, schemaTypes } from '../schema-format.ts';
import type { Fields, RegistryConfig, RegistrySchema, SubjectVersion } from './registry-schema.ts';

/*
 * Shapes of answers. Each function returns `undefined` for a value of another shape. Fields that are not known are
 * ignored, and `null` counts as absent, as some registries send it.
 */

export function fieldsIn(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function integerIn(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

export function integersIn(value: unknown): readonly number[] | undefined {
  return Array.isArray(value) && value.every((one) => Number.isSafeInteger(one)) ? value : undefined;
}

export function textsIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

export function subjectVersionsIn(value: unknown): readonly SubjectVersion[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const versions: SubjectVersion[] = [];
  for (const one of value) {
    const { subject, version } = fieldsIn(one) ?? {};
    if (typeof subject !== 'string' || !Number.isSafeInteger(version)) return undefined;
    versions.push({ subject, version: version as number });
  }
  return versions;
}

export function contextIdsIn(
  value: unknown,
): readonly { readonly context: string; readonly id: number }[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const ids: { readonly context: string; readonly id: number }[] = [];
  for (const one of value) {
    const { context, id } = fieldsIn(one) ?? {};
    if (typeof context !== 'string' || !Number.isSafeInteger(id)) return undefined;
    ids.push({ context, id: id as number });
  }
  return ids;
}

export function configIn(value: unknown): RegistryConfig | undefined {
  const fields = fieldsIn(value);
  const level = fields?.compatibilityLevel;
  return level === undefined || typeof level === 'string'
    ? (fields as RegistryConfig | undefined)
    : undefined;
}

export function compatibilityIn(
  value: unknown,
): { readonly isCompatible: boolean; readonly messages: readonly string[] } | undefined {
  const { is_compatible: isCompatible, messages } = fieldsIn(value) ?? {};
  if (typeof isCompatible !== 'boolean') return undefined;
  return { isCompatible, messages: textsIn(messages) ?? [] };
}

export function schemaIn(value: unknown): RegistrySchema | undefined {
  const fields = fieldsIn(value) ?? {};
  const { schema, subject, guid, deleted } = fields;
  const schemaType = typeIn(fields.schemaType);
  const references = referencesIn(fields.references);
  if (typeof schema !== 'string' || schemaType === undefined || references === undefined) return undefined;
  const id = integerIn(fields.id);
  const version = integerIn(fields.version);
  const metadata = fieldsIn(fields.metadata);
  const ruleSet = fieldsIn(fields.ruleSet);
  return {
    schema,
    schemaType,
    references,
    ...(id === undefined ? {} : { id }),
    ...(version === undefined ? {} : { version }),
    ...(typeof subject === 'string' ? { subject } : {}),
    ...(typeof guid === 'string' ? { guid } : {}),
    ...(typeof deleted === 'boolean' ? { isDeleted: deleted } : {}),
    ...(metadata === undefined ? {} : { metadata }),
    ...(ruleSet === undefined ? {} : { ruleSet }),
  };
}

/** Absent for Avro, the oldest. */
function typeIn(value: unknown): SchemaType | undefined {
  return schemaTypes.find((type) => type === (value ?? 'AVRO'));
}

function referencesIn(value: unknown): readonly SchemaReference[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const references: SchemaReference[] = [];
  for (const one of value) {
    const { name, subject, version } = fieldsIn(one) ?? {};
    if (typeof name !== 'string' || typeof subject !== 'string' || !Number.isSafeInteger(version)) {
      return undefined;
    }
    references.push({ name, subject, version: version as number });
  }
  return references;
}
