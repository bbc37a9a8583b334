/** JSON Schema 2020-12, as far as definitions of routes use it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly enum?: readonly (string | number)[];
  readonly contentEncoding?: 'base64';
}

/** An integer of a request, and the value that stands for an absent one. */
export interface IntegerBounds {
  readonly min: number;
  readonly max: number;
  readonly absent?: number;
}

export function object(
  required: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) };
}

export function list(items: JsonSchema, rest: Pick<JsonSchema, 'description' | 'minItems'> = {}): JsonSchema {
  return { type: 'array', items, ...rest };
}

export function text(description?: string): JsonSchema {
  return { type: 'string', ...described(description) };
}

/** An integer of a request, with the bounds by which it is checked. */
export function boundedInteger({ min, max, absent }: IntegerBounds, description?: string): JsonSchema {
  return {
    type: 'integer',
    minimum: min,
    maximum: max,
    ...(absent === undefined ? {} : { default: absent }),
    ...described(description),
  };
}

/** An integer of an answer. */
export function integer(description?: string): JsonSchema {
  return { type: 'integer', ...described(description) };
}

export function base64OrNull(description?: string): JsonSchema {
  return { type: ['string', 'null'], contentEncoding: 'base64', ...described(description) };
}

export function orNull(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema.type as string, 'null'] };
}

function described(description: string | undefined): Pick<JsonSchema, 'description'> {
  return description === undefined ? {} : { description };
}
