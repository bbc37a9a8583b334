import { isArray, isObject, type JsonNode, JsonNumber } from '../exact-json.ts';
import { decimalOf, isInteger } from './decimal.ts';
import { type Draft, drafts, isSince } from './drafts.ts';
import { TreeKeys } from './print-json.ts';

/**
 * What the meta-schemas of the drafts demand of each keyword, as one table: the shape of its value, and where it holds
 * subschemas. Keywords without a row are allowed and mean nothing. Lists may be empty in every draft, as tools write
 * them and Confluent's registry takes them: no type, and none of no alternatives, fits anything.
 */
interface Keyword {
  readonly shape: KeywordShape;
  /** The first draft that has it. */
  readonly since?: Draft;
  /** The first draft that no longer has it. */
  readonly until?: Draft;
}

type KeywordShape =
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'schemaOrBoolean'
  | 'schemaOrSchemas'
  | 'dependencies'
  | 'count'
  | 'number'
  | 'positiveNumber'
  | 'boolean'
  | 'booleanOrNumber'
  | 'string'
  | 'name'
  | 'strings'
  | 'stringMap'
  | 'object'
  | 'array'
  | 'enum'
  | 'type';

const keywords: Readonly<Record<string, Keyword>> = {
  $schema: { shape: 'string' },
  $id: { shape: 'string', since: 'draft-06' },
  id: { shape: 'string', until: 'draft-06' },
  $ref: { shape: 'string' },
  $anchor: { shape: 'name', since: '2019-09' },
  $recursiveRef: { shape: 'string', since: '2019-09', until: '2020-12' },
  $recursiveAnchor: { shape: 'boolean', since: '2019-09', until: '2020-12' },
  $dynamicRef: { shape: 'string', since: '2020-12' },
  $dynamicAnchor: { shape: 'name', since: '2020-12' },
  $vocabulary: { shape: 'object', since: '2019-09' },
  $comment: { shape: 'string', since: 'draft-07' },
  $defs: { shape: 'schemaMap', since: '2019-09' },
  definitions: { shape: 'schemaMap' },

  title: { shape: 'string' },
  description: { shape: 'string' },
  readOnly: { shape: 'boolean', since: 'draft-07' },
  writeOnly: { shape: 'boolean', since: '2019-09' },
  deprecated: { shape: 'boolean', since: '2019-09' },
  examples: { shape: 'array', since: 'draft-06' },
  format: { shape: 'string', since: 'draft-06' },
  contentMediaType: { shape: 'string', since: 'draft-07' },
  contentEncoding: { shape: 'string', since: 'draft-07' },
  contentSchema: { shape: 'schema', since: '2019-09' },

  type: { shape: 'type' },
  enum: { shape: 'enum' },
  multipleOf: { shape: 'positiveNumber' },
  maximum: { shape: 'number' },
  minimum: { shape: 'number' },
  exclusiveMaximum: { shape: 'booleanOrNumber' },
  exclusiveMinimum: { shape: 'booleanOrNumber' },
  maxLength: { shape: 'count' },
  minLength: { shape: 'count' },
  pattern: { shape: 'string' },
  maxItems: { shape: 'count' },
  minItems: { shape: 'count' },
  uniqueItems: { shape: 'boolean' },
  maxContains: { shape: 'count', since: '2019-09' },
  minContains: { shape: 'count', since: '2019-09' },
  maxProperties: { shape: 'count' },
  minProperties: { shape: 'count' },
  required: { shape: 'strings' },
  dependentRequired: { shape: 'stringMap', since: '2019-09' },

  properties: { shape: 'schemaMap' },
  patternProperties: { shape: 'schemaMap' },
  additionalProperties: { shape: 'schemaOrBoolean' },
  propertyNames: { shape: 'schema', since: 'draft-06' },
  unevaluatedProperties: { shape: 'schema', since: '2019-09' },
  dependencies: { shape: 'dependencies' },
  dependentSchemas: { shape: 'schemaMap', since: '2019-09' },
  items: { shape: 'schemaOrSchemas' },
  prefixItems: { shape: 'schemas', since: '2020-12' },
  additionalItems: { shape: 'schemaOrBoolean', until: '2020-12' },
  unevaluatedItems: { shape: 'schema', since: '2019-09' },
  contains: { shape: 'schema', since: 'draft-06' },
  allOf: { shape: 'schemas' },
  anyOf: { shape: 'schemas' },
  oneOf: { shape: 'schemas' },
  not: { shape: 'schema' },
  if: { shape: 'schema', since: 'draft-07' },
  // biome-ignore lint/suspicious/noThenProperty: the name of a keyword
  then: { shape: 'schema', since: 'draft-07' },
  else: { shape: 'schema', since: 'draft-07' },
};

const typeNames = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] as const;
export type TypeName = (typeof typeNames)[number];

const keywordsByDraft: ReadonlyMap<Draft, ReadonlyMap<string, Keyword>> = new Map(
  drafts.map((draft) => [
    draft,
    new Map(
      Object.entries(keywords).filter(([, { since, until }]) => {
        const isOld = since === undefined || isSince(draft, since);
        return isOld && (until === undefined || !isSince(draft, until));
      }),
    ),
  ]),
);

/** Returns the rule of a keyword in a draft; `undefined` if the draft does not know it. */
export function keywordIn(draft: Draft, name: string): Keyword | undefined {
  return keywordsByDraft.get(draft)!.get(name);
}

/** Returns what the value of a keyword must be, if it is something else. Subschemas in it are checked elsewhere. */
export function shapeProblem(draft: Draft, { shape }: Keyword, value: JsonNode): string | undefined {
  return shapeChecks[shape](value, draft);
}

type ShapeCheck = (value: JsonNode, draft: Draft) => string | undefined;

const shapeChecks: Readonly<Record<KeywordShape, ShapeCheck>> = {
  schema: (value, draft) =>
    isSchema(value, draft)
      ? undefined
      : `a schema, which is an object${isSince(draft, 'draft-06') ? ' or a boolean' : ''}`,
  schemas: (value) => (isArray(value) ? undefined : 'an array of schemas'),
  schemaMap: (value) => (isObject(value) ? undefined : 'an object of schemas'),
  schemaOrBoolean: (value) =>
    isObject(value) || typeof value === 'boolean' ? undefined : 'a schema or a boolean',
  schemaOrSchemas: (value, draft) => {
    if (isSchema(value, draft)) return undefined;
    if (draft === '2020-12') return 'a schema; prefixItems holds the schemas of the first items';
    return isArray(value) ? undefined : 'a schema or an array of schemas';
  },
  dependencies: (value, draft) => {
    if (!isObject(value)) return 'an object of schemas and of arrays of strings';
    for (const entry of value.values()) {
      if (isSchema(entry, draft)) continue;
      if (stringsProblem(entry) !== undefined)
        return 'an object of schemas and of arrays of different strings';
    }
    return undefined;
  },
  count: (value) => (isCount(value) ? undefined : 'an integer of at least 0'),
  number: (value) => (value instanceof JsonNumber ? undefined : 'a number'),
  positiveNumber: (value) =>
    value instanceof JsonNumber && decimalOf(value.text).coefficient > 0n ? undefined : 'a number above 0',
  boolean: (value) => (typeof value === 'boolean' ? undefined : 'a boolean'),
  booleanOrNumber: (value, draft) => {
    if (draft === 'draft-04') return typeof value === 'boolean' ? undefined : 'a boolean';
    return value instanceof JsonNumber ? undefined : 'a number';
  },
  string: (value) => (typeof value === 'string' ? undefined : 'a string'),
  name: (value) =>
    typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)
      ? undefined
      : 'a name of letters, digits, ".", "_" and "-"',
  strings: stringsProblem,
  stringMap: (value) => {
    if (!isObject(value)) return 'an object of arrays of strings';
    for (const entry of value.values()) {
      if (stringsProblem(entry) !== undefined) return 'an object of arrays of different strings';
    }
    return undefined;
  },
  object: (value) => (isObject(value) ? undefined : 'an object'),
  array: (value) => (isArray(value) ? undefined : 'an array'),
  enum: (value, draft) => {
    if (!isArray(value)) return 'an array';
    if (isSince(draft, 'draft-07')) return undefined;
    const keys = new TreeKeys();
    const isDistinct = new Set(value.map((item) => keys.keyOf(item))).size === value.length;
    return isDistinct ? undefined : 'an array of different values';
  },
  type: (value) => {
    const names = isArray(value) ? value : [value];
    const isKnown = names.every((name) => typeNames.some((known) => known === name));
    const isDistinct = new Set(names).size === names.length;
    return isKnown && isDistinct ? undefined : `a type or several: ${typeNames.join(', ')}`;
  },
};

function isSchema(value: JsonNode, draft: Draft): boolean {
  return isObject(value) || (typeof value === 'boolean' && isSince(draft, 'draft-06'));
}

function isCount(value: JsonNode): boolean {
  if (!(value instanceof JsonNumber)) return false;
  const decimal = decimalOf(value.text);
  return isInteger(decimal) && decimal.coefficient >= 0n;
}

function stringsProblem(value: JsonNode): string | undefined {
  const areStrings = isArray(value) && value.every((item) => typeof item === 'string');
  return areStrings && new Set(value).size === value.length ? undefined : 'an array of different strings';
}
