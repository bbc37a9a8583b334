import * as z from 'zod';
import { int64Mark } from './fields.ts';
import type { Operation } from './operation.ts';

/** As much of a JSON Schema as is looked at here. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly maxProperties?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly writeOnly?: boolean;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** What a caller may send. */
export function inputSchemaOf(operation: Pick<Operation, 'input'>): JsonSchema {
  return jsonSchemaOf(operation.input, 'input');
}

/** The schema of an answer. Records that several answers have stand under `$defs`. */
export function outputSchemaOf(operation: Pick<Operation, 'output'>): JsonSchema {
  return jsonSchemaOf(operation.output, 'output');
}

export function jsonSchemaOf(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...found } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { meta } = zodSchema as { meta?: () => Record<string, unknown> | undefined };
      if (meta?.call(zodSchema)?.wire === int64Mark) asInt64(jsonSchema);
      delete jsonSchema.wire;
      // The pattern repeats what the format says, at length.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      // A client has to bear fields that a newer server adds.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  return found as JsonSchema;
}

/** However it is checked, it is one integer in JSON. */
function asInt64(jsonSchema: Record<string, unknown>): void {
  delete jsonSchema.anyOf;
  jsonSchema.type = 'integer';
  jsonSchema.format = 'int64';
}

/** The names of fields of an input whose values are secrets, which must not be logged. */
export function secretFieldsOf(operation: Pick<Operation, 'input'>): string[] {
  const { properties = {} } = inputSchemaOf(operation);
  return Object.keys(properties).filter((name) => hasSecret(properties[name]!));
}

function hasSecret(schema: JsonSchema): boolean {
  const parts = [...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})];
  if (schema.items !== undefined) parts.push(schema.items);
  return schema.writeOnly === true || parts.some(hasSecret);
}
