import * as fc from 'fast-check';
import { plainText } from '../src/fields.ts';
import type { JsonSchema } from '../src/json-schema.ts';

/** Generates any value that a schema allows, to compare the schemas with the validation. */
export function anyJson(schema: JsonSchema, root: JsonSchema = schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return anyJson(root.$defs![schema.$ref.replace('#/$defs/', '')]!, root);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => anyJson(one, root)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'integer':
      return anyInteger(schema);
    case 'number':
      // -0 is printed as 0.
      return fc
        .double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true })
        .map((value) => value + 0);
    case 'string':
      return anyText(schema);
    case 'array':
      return fc.array(anyJson(schema.items!, root), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(3 + (schema.minItems ?? 0), schema.maxItems ?? Number.POSITIVE_INFINITY),
      });
    case 'object':
      return anyObject(schema, root);
    default:
      throw new Error(`a schema without a type: ${JSON.stringify(schema)}`);
  }
}

function anyInteger({
  format,
  minimum = 0,
  maximum = Number.MAX_SAFE_INTEGER,
}: JsonSchema): fc.Arbitrary<unknown> {
  if (format !== 'int64')
    return fc.integer({ min: Math.max(minimum, Number.MIN_SAFE_INTEGER), max: maximum });
  const wide = fc.bigInt({ min: BigInt(Number.MAX_SAFE_INTEGER) + 1n, max: 2n ** 63n - 1n });
  return fc.oneof(fc.integer({ min: minimum, max: Number.MAX_SAFE_INTEGER }), wide);
}

function anyText({ format, pattern, minLength = 0, maxLength = 64 }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') {
    const span = { min: new Date(0), max: new Date(4e12), noInvalidDate: true };
    return fc.date(span).map((date) => date.toISOString());
  }
  const fits = (text: string) => text.length >= minLength && text.length <= maxLength;
  if (pattern === undefined || pattern === plainText.source) {
    const text = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 24) });
    return text.filter((found) => plainText.test(found) && fits(found));
  }
  if (pattern.includes('\\p{')) return fc.webUrl({ validSchemes: ['https'] }).filter(fits);
  // The generator does not support look-aheads.
  return fc
    .stringMatching(new RegExp(pattern.replace('(?!\\.{1,2}$)', '')))
    .filter((text) => new RegExp(pattern, 'u').test(text) && fits(text));
}

function anyObject(schema: JsonSchema, root: JsonSchema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (typeof additionalProperties === 'object') {
    const key = anyJson(schema.propertyNames ?? { type: 'string' }, root) as fc.Arbitrary<string>;
    // The one name that cannot be a key of an object; a field of this name is ignored.
    const usable = key.filter((name) => name !== '__proto__');
    return fc.dictionary(usable, anyJson(additionalProperties, root), { maxKeys: 3, noNullPrototype: true });
  }
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, anyJson(field, root)]),
  );
  return fc.record(fields, { requiredKeys: [...required], noNullPrototype: true });
}
