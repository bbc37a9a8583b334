import { type Random, seededRandom } from '@weir/core';
import type { Json, JsonRecord } from './json-schemas.ts';

/**
 * Values at the edges of schemas: some that fit, with numbers, lengths and counts at their bounds, and the same with
 * one thing changed. Where two schemas differ at all, they mostly differ there.
 */
export function nearbyValues(schemas: readonly Json[], seed: number, count: number): readonly Json[] {
  const near = new NearbyValues(schemas, seededRandom(seed));
  const found = new Map<string, Json>();
  for (let at = 0; at < count; at++) {
    const fitting = near.fitting(schemas[at % schemas.length]!);
    const value = at % 3 === 0 ? fitting : near.changed(fitting);
    found.set(JSON.stringify(value), value);
  }
  return [...found.values()];
}

/** Deeper than this, any value will do. */
const depthMax = 4;
const letters = ['a', 'b', 'ab', 'ba', 'c'];

class NearbyValues {
  readonly #random: Random;
  readonly #numbers = new Set<number>([0, 1, -1, 1.5, 0.3]);
  readonly #lengths = new Set<number>([0, 1, 2]);
  readonly #counts = new Set<number>([0, 1, 2]);
  readonly #names = new Set<string>(['a', 'b', 'x']);
  readonly #constants: Json[] = [null, true, false];

  constructor(schemas: readonly Json[], random: Random) {
    this.#random = random;
    for (const schema of schemas) this.#collect(schema);
  }

  /** A value that the schema was made for, as far as that is easy to know. */
  fitting(schema: Json): Json {
    return this.#fitting(schema, schema, 0);
  }

  /** The same with one thing changed, at any depth. */
  changed(value: Json): Json {
    const isDeep = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    if (isDeep && this.#random.below(3) > 0) {
      const key = this.#pick(Object.keys(value));
      if (Array.isArray(value)) return value.with(Number(key), this.changed(value[Number(key)]!));
      return { ...(value as JsonRecord), [key]: this.changed((value as JsonRecord)[key]!) };
    }
    if (this.#random.below(4) === 0) return this.#any(depthMax - 1);
    if (typeof value === 'number') return value + this.#pick([-1, 1, 0.5, -0.5]);
    if (typeof value === 'string') return this.#pick([value.slice(1), `${value}a`, `b${value}`, `${value}b`]);
    if (Array.isArray(value)) return this.#changedArray(value);
    return typeof value === 'object' && value !== null
      ? this.#changedObject(value as JsonRecord)
      : this.#any(depthMax - 1);
  }

  #changedArray(value: readonly Json[]): Json {
    if (value.length > 0 && this.#random.below(3) === 0) return value.slice(0, -1);
    return [...value, this.#random.below(2) === 0 ? (value[0] ?? null) : this.#any(depthMax - 1)];
  }

  #changedObject(value: JsonRecord): Json {
    const names = Object.keys(value);
    if (names.length > 0 && this.#random.below(2) === 0) {
      const { [this.#pick(names)]: _, ...others } = value;
      return others;
    }
    return { ...value, [this.#pick([...this.#names])]: this.#any(depthMax - 1) };
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#random.below(items.length)]!;
  }

  #collect(schema: Json): void {
    if (typeof schema !== 'object' || schema === null) return;
    if (Array.isArray(schema)) {
      for (const item of schema) {
        if (typeof item === 'string') this.#names.add(item);
        else this.#collect(item);
      }
      return;
    }
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'const') this.#constants.push(value);
      else if (keyword === 'enum') this.#constants.push(...(value as readonly Json[]));
      else if (typeof value !== 'number') this.#collect(value);
      else if (keyword.endsWith('Length')) addNear(this.#lengths, value);
      else if (/(?:Items|Properties|Contains)$/.test(keyword)) addNear(this.#counts, value);
      else for (const near of [-1, -0.5, 0, 0.5, 1]) this.#numbers.add(value + near);
      if (keyword === 'multipleOf') for (const times of [-1, 2, 3]) this.#numbers.add(times * Number(value));
      if (keyword === 'properties' || keyword.startsWith('depend'))
        for (const name of Object.keys(value as JsonRecord)) this.#names.add(name);
      if (keyword === 'patternProperties') for (const name of letters) this.#names.add(name);
    }
  }

  #any(depth: number): Json {
    switch (this.#random.below(depth < depthMax ? 7 : 4)) {
      case 0:
        return this.#pick([...this.#numbers]);
      case 1:
        return this.#text();
      case 2:
      case 3:
        return this.#pick(this.#constants);
      case 4:
        return Array.from({ length: this.#pick([...this.#counts]) }, () => this.#any(depth + 1));
      default: {
        const names = [...this.#names].slice(0, this.#pick([...this.#counts]));
        return Object.fromEntries(names.map((name) => [name, this.#any(depth + 1)]));
      }
    }
  }

  #text(minLength = 0, maxLength = Number.POSITIVE_INFINITY): string {
    const lengths = [...this.#lengths].filter((length) => length >= minLength && length <= maxLength);
    const length = lengths.length === 0 ? minLength : this.#pick(lengths);
    // A character of two code units counts as one.
    if (length === 1 && this.#random.below(8) === 0) return '😀';
    return Array.from({ length }, () => this.#pick(['a', 'b'])).join('');
  }

  #fitting(schema: Json, root: Json, depth: number): Json {
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || depth >= depthMax)
      return this.#any(depth);
    const record = schema as JsonRecord;
    const inner = (sub: Json) => this.#fitting(sub, root, depth + 1);
    if (typeof record.$ref === 'string') return this.#fitting(targetOf(root, record.$ref), root, depth + 1);
    if (record.enum !== undefined) return this.#pick(record.enum as readonly Json[]);
    if (record.const !== undefined) return record.const;
    const parts = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) => {
      const subs = record[name] as readonly Json[] | undefined;
      return subs === undefined ? [] : name === 'allOf' ? [...subs] : [this.#pick(subs)];
    });
    const type = this.#typeOf(record);
    const own = type === undefined ? undefined : this.#ofType(type, record, inner);
    const all = [...(own === undefined ? [] : [own]), ...parts.map(inner)];
    if (all.length === 0) return this.#any(depth);
    // Objects of several schemas together; otherwise one of the values may fit all.
    return all.every((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
      ? Object.assign({}, ...all)
      : this.#pick(all);
  }

  #typeOf(record: JsonRecord): string | undefined {
    const { type } = record;
    if (typeof type === 'string') return type;
    if (Array.isArray(type)) return this.#pick(type as readonly string[]);
    const keywords = Object.keys(record);
    const found = typesByKeyword.find(([, names]) => keywords.some((keyword) => names.includes(keyword)));
    return found?.[0];
  }

  #ofType(type: string, record: JsonRecord, inner: (sub: Json) => Json): Json {
    switch (type) {
      case 'string':
        return this.#text(record.minLength as number | undefined, record.maxLength as number | undefined);
      case 'number':
        return this.#pick([...this.#numbers]);
      case 'integer':
        return this.#pick([...this.#numbers].filter(Number.isInteger));
      case 'boolean':
        return this.#pick([true, false]);
      case 'null':
        return null;
      case 'array':
        return this.#array(record, inner);
      default:
        return this.#object(record, inner);
    }
  }

  #array(record: JsonRecord, inner: (sub: Json) => Json): Json {
    const { items = true, additionalItems, prefixItems, minItems, maxItems } = record;
    const first = (Array.isArray(items) ? items : (prefixItems ?? [])) as readonly Json[];
    const others = Array.isArray(items) ? (additionalItems ?? true) : items;
    const counts = [...this.#counts, first.length, first.length + 1].filter(
      (count) => count >= Number(minItems ?? 0) && count <= Number(maxItems ?? count),
    );
    const length = counts.length === 0 ? 0 : this.#pick(counts);
    const kept = others === false ? Math.min(length, first.length) : length;
    const { contains } = record;
    const isContained = contains !== undefined && this.#random.below(2) === 0;
    return Array.from({ length: kept }, (_, index) =>
      inner(first[index] ?? (isContained ? contains : others)),
    );
  }

  #object(record: JsonRecord, inner: (sub: Json) => Json): Json {
    const properties = (record.properties ?? {}) as JsonRecord;
    const required = (record.required ?? []) as readonly string[];
    const additional = record.additionalProperties ?? true;
    const isClosed = additional === false && record.patternProperties === undefined;
    const result: Record<string, Json> = {};
    for (const name of this.#names) {
      const schema = properties[name] ?? patternSchema(record, name) ?? additional;
      if (schema === false || (isClosed && properties[name] === undefined)) continue;
      const isNamed = required.includes(name) || properties[name] !== undefined;
      if (required.includes(name) || this.#random.below(isNamed ? 2 : 6) === 0) result[name] = inner(schema);
    }
    return result;
  }
}

function addNear(values: Set<number>, value: number): void {
  for (const near of [value - 1, value, value + 1]) if (near >= 0) values.add(near);
}

function patternSchema(record: JsonRecord, name: string): Json | undefined {
  const patterns = Object.entries((record.patternProperties ?? {}) as JsonRecord);
  return patterns.find(([pattern]) => new RegExp(pattern, 'u').test(name))?.[1];
}

/** Only `#` and `#/definitions/name` occur in the tests. */
function targetOf(root: Json, reference: string): Json {
  let found = root;
  for (const name of reference.split('/').slice(1)) found = (found as JsonRecord)[name]!;
  return found;
}

const typesByKeyword: readonly (readonly [string, readonly string[]])[] = [
  ['string', ['minLength', 'maxLength', 'pattern']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
  [
    'array',
    [
      'items',
      'prefixItems',
      'additionalItems',
      'minItems',
      'maxItems',
      'uniqueItems',
      'contains',
      'unevaluatedItems',
    ],
  ],
  [
    'object',
    [
      'properties',
      'required',
      'additionalProperties',
      'patternProperties',
      'minProperties',
      'maxProperties',
      'dependencies',
      'dependentRequired',
      'dependentSchemas',
      'unevaluatedProperties',
      'propertyNames',
    ],
  ],
];
