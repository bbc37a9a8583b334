import * as z from 'zod';
import { int64Mark } from './fields.ts';
import type { Operation } from './operation.ts';

/** The parts of JSON Schema that are used here. */
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

/** Returns the schema of an input. */
export function inputSchemaOf(operation: Pick<Operation, 'input'>): JsonSchema {
  return jsonSchemaOf(operation.input, 'input');
}

/** Returns the schema of an answer. Objects that several answers share are under `$defs`. */
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
      // The pattern only repeats the format, at length.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      // Clients must accept fields that a newer server adds.
      if (io === 'output' && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  return found as JsonSchema;
}

/** However it is validated, in JSON it is one integer. */
function asInt64(jsonSchema: Record<string, unknown>): void {
  delete jsonSchema.anyOf;
  jsonSchema.type = 'integer';
  jsonSchema.format = 'int64';
}

/** By input. Every audited call asks, and to find them takes a millisecond. */
const secretFields = new WeakMap<z.ZodObject, readonly string[]>();

/** Returns the names of input fields with secret values, which must not be logged. */
export function secretFieldsOf(operation: Pick<Operation, 'input'>): readonly string[] {
  const known = secretFields.get(operation.input);
  if (known !== undefined) return known;
  const { properties = {} } = inputSchemaOf(operation);
  const found = Object.keys(properties).filter((name) => hasSecret(properties[name]!));
  secretFields.set(operation.input, found);
  return found;
}

function hasSecret(schema: JsonSchema): boolean {
  const parts = [...(schema.anyOf ?? []), ...Object.values(schema.properties ?? {})];
  if (schema.items !== undefined) parts.push(schema.items);
  return schema.writeOnly === true || parts.some(hasSecret);
}
