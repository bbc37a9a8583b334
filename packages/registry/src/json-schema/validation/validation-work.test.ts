import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PayloadWork } from '../../payload-work.ts';
import { jsonSchemaFormat } from '../json-schema-format.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const twice = (depth: number) => ({
  $ref: '#/definitions/a0',
  definitions: Object.fromEntries([
    ...range(depth).map((at) => {
      const next = { $ref: `#/definitions/a${at + 1}` };
      return [`a${at}`, { allOf: [next, next] }];
    }),
    [`a${depth}`, { type: 'number' }],
  ]),
});
const object = (count: number) => Object.fromEntries(range(count).map((index) => [`name${index}`, index]));

function codecOf(schema: unknown) {
  return jsonSchemaFormat.codec(jsonSchemaFormat.parse({ text: JSON.stringify(schema), references: [] }));
}

/** What a payload costs by a schema that was used before, without the reading of its bytes. */
function costOf(schema: unknown, value: unknown): number {
  const codec = codecOf(schema);
  const payload = Buffer.from(JSON.stringify(value));
  const reading = new PayloadWork(Number.POSITIVE_INFINITY);
  codecOf(true).problemOf(payload, 0, payload.length, reading);
  codec.problemOf(payload);
  const work = new PayloadWork(Number.POSITIVE_INFINITY);
  codec.problemOf(payload, 0, payload.length, work);
  return work.used - reading.used;
}

const times = (count: number, schema: unknown) => ({
  $ref: '#/definitions/all',
  definitions: { one: schema, all: { allOf: range(count).map(() => ({ $ref: '#/definitions/one' })) } },
});

/**
 * A schema that is applied so many times to a value of so many characters, properties, items or digits. Each costs time
 * for each of them.
 */
const rows: [keyword: string, schema: (size: number) => unknown, value: (size: number) => unknown][] = [
  ['minLength', (size) => ({ minLength: size - 1 }), (size) => 'x'.repeat(size)],
  ['maxLength', (size) => ({ maxLength: size - 1 }), (size) => '😀'.repeat(size / 2)],
  ['pattern', () => ({ pattern: 'a+b?' }), (size) => 'a'.repeat(size)],
  ['enum of strings', (size) => ({ enum: ['a', 'x'.repeat(16 * size)] }), (size) => 'x'.repeat(16 * size)],
  ['enum', (size) => ({ enum: [1, range(size)] }), (size) => range(size)],
  ['const', (size) => ({ const: object(size) }), object],
  ['uniqueItems', () => ({ uniqueItems: true }), (size) => range(size)],
  ['items', () => ({ items: { type: 'number' } }), (size) => range(size)],
  ['contains', () => ({ contains: { type: 'number' } }), (size) => range(size)],
  ['properties', () => ({ additionalProperties: { type: 'number' } }), object],
  ['patternProperties', () => ({ patternProperties: { '^n': { type: 'number' } } }), object],
  ['propertyNames', () => ({ propertyNames: { minLength: 1 } }), object],
  ['required', (size) => ({ required: Object.keys(object(size)) }), object],
  [
    'dependencies',
    (size) => ({ dependencies: Object.fromEntries(range(size).map((at) => [`d${at}`, ['x']])) }),
    () => ({ a: 1 }),
  ],
  ['multipleOf', (size) => ({ multipleOf: Number(`1e-${size / 20}`) }), (size) => Number(`1.5e${size / 20}`)],
];
for (const [keyword, schema, value] of rows) {
  test(`${keyword} costs what it looks at, each time that it is applied`, () => {
    const size = 1_000;
    const cost = (count: number, of: number) => costOf(times(count, schema(of)), value(of));
    const once = cost(20, size) / 20;
    // In the unit of a byte that is inflated.
    assert.ok(once > (keyword === 'multipleOf' ? 100 : size / 1.1), `${once}`);
    assert.ok(cost(200, size) > 150 * once);
    if (keyword !== 'multipleOf') assert.ok(cost(20, 8 * size) > 20 * 5 * once);
  });
}

for (const keyword of ['minProperties', 'maxProperties']) {
  test(`${keyword} costs what it looks at, once for an object`, () => {
    const cost = (count: number, size: number) => costOf(times(count, { [keyword]: 1_000 }), object(size));
    assert.ok(cost(1, 1_000) > 1_000);
    assert.ok(cost(1, 900) < cost(1, 1_000) && cost(1, 1_000) < 1.2 * cost(1, 900));
    const applied = cost(200, 1_000) - cost(100, 1_000);
    assert.ok(applied > 100 && applied < 100 * 1_000);
  });
}

test('subschemas that double each other end at a limit, which all payloads share', () => {
  const codec = codecOf(twice(60));
  const payload = Buffer.from('1');
  const work = new PayloadWork();
  const problem = '#: cannot be checked: the schema takes too much work for this payload';
  assert.equal(codec.problemOf(payload, 0, 1, work), problem);
  assert.ok(work.isExceeded);
  const spent = work.used;
  for (let times = 0; times < 1_000; times++) {
    work.allow(payload.length);
    assert.equal(codec.problemOf(payload, 0, 1, work), problem);
  }
  // What the bytes of the other payloads allow, and a step beyond it for each.
  assert.ok(work.used < 1.1 * spent, `${work.used} of ${spent}`);
});

test('a payload that doubles its work ten times is checked', () => {
  const work = new PayloadWork();
  assert.equal(codecOf(twice(10)).problemOf(Buffer.from('1'), 0, 1, work), undefined);
});

test('the first payload pays for patterns, and is not refused for it', () => {
  const patterns = (from: number) => ({
    allOf: range(500).map((at) => ({ pattern: `^(${from + at}|[a-z]{1,9})$` })),
  });
  const codec = codecOf(patterns(1_000));
  const payload = Buffer.from('"a"');
  const [first, second] = range(2).map(() => {
    const work = new PayloadWork();
    assert.equal(codec.problemOf(payload, 0, payload.length, work), undefined);
    assert.ok(!work.isExceeded);
    return work.used;
  });
  assert.ok(first! > 10 * second!, `${first} and ${second}`);
});
