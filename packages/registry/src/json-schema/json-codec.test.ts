import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registryLimits } from '../limits.ts';
import { InvalidPayload } from '../schema-format.ts';
import { jsonSchemaFormat } from './json-schema-format.ts';

function codecOf(schema: unknown) {
  const text = typeof schema === 'string' ? schema : JSON.stringify(schema);
  return jsonSchemaFormat.codec(jsonSchemaFormat.parse({ text, references: [] }));
}

function problemOf(schema: unknown, payload: string | Uint8Array): string | undefined {
  return codecOf(schema).problemOf(typeof payload === 'string' ? Buffer.from(payload) : payload);
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

test('a payload that does not fit has one line with the place and the reason', () => {
  const order = {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer', minimum: 1 },
      lines: { type: 'array', items: { properties: { price: { multipleOf: 0.01 } }, uniqueItems: true } },
      state: { enum: ['open', { a: 1, b: 2 }, null] },
      name: { type: ['string', 'null'], maxLength: 2, pattern: '^[^\\s]' },
      contact: { oneOf: [{ required: ['mail'] }, { required: ['phone'] }] },
    },
    additionalProperties: false,
  };
  const rows: [payload: string, problem: string | undefined][] = [
    ['{"id":1}', undefined],
    ['{"id":1.0,"name":null}', undefined],
    ['{"id":1,"name":"🐲🐲"}', undefined],
    ['{"id":1,"state":{"b":2,"a":1.0}}', undefined],
    ['{"id":1,"lines":[{"price":0.07},{"price":1e-2},{"price":19.99}]}', undefined],
    ['[]', '#: must be object'],
    ['{}', '#: lacks the required property "id"'],
    ['{"id":0}', '#/id: must be at least 1'],
    ['{"id":1.5}', '#/id: must be integer'],
    ['{"id":"1"}', '#/id: must be integer'],
    ['{"id":1,"x":1}', '#/x: is not allowed'],
    ['{"id":1,"__proto__":1}', '#/__proto__: is not allowed'],
    ['{"id":1,"lines":[{},{"price":0.005}]}', '#/lines/1/price: is not a multiple of 0.01'],
    ['{"id":1,"lines":[[{"a":1,"b":[0]},{"b":[-0.0],"a":1}]]}', '#/lines/0: has the item 1 twice'],
    ['{"id":1,"state":"closed"}', '#/state: is not one of the allowed values'],
    ['{"id":1,"name":3}', '#/name: must be string or null'],
    ['{"id":1,"name":"abc"}', '#/name: is longer than 2 characters'],
    ['{"id":1,"name":" "}', '#/name: does not match the pattern "^[^\\\\s]"'],
    ['{"id":1,"contact":{}}', '#/contact: matches no schema of oneOf'],
    ['{"id":1,"contact":{"mail":1,"phone":2}}', '#/contact: matches more than one schema of oneOf'],
  ];
  for (const [payload, problem] of rows) assert.equal(problemOf(order, payload), problem, payload);
});

test('what is not JSON in UTF-8 is refused', () => {
  const rows = ['', '{', 'nul', '{"a":1}x', '\u0000{}', '\ufeff{}', Buffer.from([0x22, 0xff, 0x22])];
  for (const payload of rows)
    assert.match(problemOf(true, payload)!, /^the payload is not JSON in UTF-8: [^\n]+$/);
});

test('bounds that numbers cannot hold are exact', () => {
  assert.equal(problemOf('{"maximum":1e400}', '1e300'), undefined);
  assert.equal(problemOf('{"minimum":1e400}', '1e300'), '#: must be at least 1e400');
  assert.equal(problemOf('{"exclusiveMaximum":0.1000000000000000000001}', '0.1'), undefined);
  assert.equal(
    problemOf('{"maximum":0.0999999999999999999999}', '0.1'),
    '#: must be at most 0.0999999999999999999999',
  );
  assert.equal(problemOf('{"multipleOf":1e-400}', '1e300'), undefined);
  assert.equal(problemOf('{"multipleOf":0.0001}', '0.0075'), undefined);
});

test('a pattern that RE2 lacks is never run, and payloads that need it are refused', () => {
  const schema = { properties: { a: { pattern: '^(?!x)' } }, patternProperties: { '(a)\\1': false } };
  assert.match(
    problemOf({ ...schema, patternProperties: {} }, '{"a":"y"}')!,
    /^#\/a: cannot be checked: RE2 cannot evaluate the pattern .*: [^\n]+$/,
  );
  assert.match(problemOf(schema, '{"b":"y"}')!, /^#: cannot be checked: /);
  assert.equal(problemOf(schema, '{}'), undefined);
  assert.equal(problemOf({ properties: { a: { pattern: '^(?!x)' } } }, '{"a":1}'), undefined);
});

test('a schema that demands exponentially much work is refused the payload, not the process', () => {
  const definitions = Object.fromEntries(
    range(40).map((index) => [
      `a${index}`,
      index === 39
        ? { type: 'integer' }
        : { allOf: [{ $ref: `#/definitions/a${index + 1}` }, { $ref: `#/definitions/a${index + 1}` }] },
    ]),
  );
  const tooMuch = '#: cannot be checked: the schema takes too much work for this payload';
  assert.equal(problemOf({ $ref: '#/definitions/a0', definitions }, '1'), tooMuch);
  const nested = { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } };
  assert.equal(problemOf(nested, `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`), tooMuch);
  assert.match(
    problemOf({ allOf: [{ anyOf: [{ $ref: '#' }] }] }, '1')!,
    /schemas nest deeper than 640 levels$/,
  );
  assert.equal(
    problemOf({ pattern: `^(${'a?'.repeat(300)})*$` }, JSON.stringify('a'.repeat(100_000))),
    tooMuch,
  );
});

test('large payloads take time in proportion', () => {
  const unique = { uniqueItems: true };
  const objects = range(50_000).map((index) => ({ index, name: `n${index}` }));
  assert.equal(problemOf(unique, JSON.stringify(objects)), undefined);
  assert.equal(problemOf(unique, JSON.stringify([...objects, objects[7]])), '#: has the item 50000 twice');
  assert.equal(problemOf({ items: { type: 'integer' } }, JSON.stringify(range(200_000))), undefined);
  assert.equal(problemOf({ allOf: range(1000).map(() => ({ type: 'object' })) }, '{}'), undefined);
  const catastrophic = { patternProperties: { '^(a+)+$': true }, additionalProperties: false };
  const name = `${'a'.repeat(50_000)}b`;
  assert.match(problemOf(catastrophic, JSON.stringify({ [name]: 1 }))!, /is not allowed$/);
});

test('payloads that are too deep or too long are refused before they are parsed', () => {
  const deep = (count: number) => '['.repeat(count) + ']'.repeat(count);
  const list = { items: { $ref: '#' } };
  assert.equal(problemOf(true, deep(registryLimits.jsonPayloadDepthMax)), undefined);
  assert.equal(problemOf(list, deep(registryLimits.jsonValidationDepthMax / 2)), undefined);
  assert.match(problemOf(list, deep(registryLimits.jsonValidationDepthMax / 2 + 2))!, /schemas nest deeper/);
  for (const count of [registryLimits.jsonPayloadDepthMax + 1, 100_000]) {
    assert.match(problemOf(list, deep(count))!, /nested more than 500 levels/);
    assert.throws(() => codecOf(true).decode(Buffer.from(deep(count))), InvalidPayload);
  }
  assert.equal(problemOf(true, JSON.stringify('['.repeat(5000))), undefined);
  assert.equal(problemOf(true, JSON.stringify(`\\"${'['.repeat(5000)}`)), undefined);
  const long = Buffer.alloc(registryLimits.jsonPayloadBytesMax + 1, 0x20);
  assert.match(problemOf(true, long)!, /are allowed$/);
});

test('values are encoded if they fit, and decoded as they are', () => {
  const codec = codecOf({ title: 'Order', properties: { a: { type: 'string' } } });
  const payload = codec.encode({ a: 'é', b: [1, null] });
  assert.equal(Buffer.from(payload).toString(), '{"a":"é","b":[1,null]}');
  assert.deepEqual(codec.decode(payload), { a: 'é', b: [1, null] });
  assert.deepEqual(codec.decode(Buffer.from('{"a":1}')), { a: 1 });
  assert.throws(() => codec.encode({ a: 1 }), { name: 'InvalidPayload', message: '#/a: must be string' });
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  for (const value of [undefined, 1n, Number.NaN, { b: Number.POSITIVE_INFINITY }, circle])
    assert.throws(() => codec.encode(value), InvalidPayload);
  assert.equal(codec.recordName(), 'Order');
  assert.equal(codecOf(true).recordName(), undefined);
});
