import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { icebergLimits } from '../limits.ts';
import { InvalidTable } from '../table-errors.ts';
import { parseJson, printJson } from './exact-json.ts';
import { ObjectReader } from './json-reader.ts';

test('integers keep their value, however many digits they have', () => {
  // text, value
  const cases: [string, unknown][] = [
    ['8349964745853934338', 8349964745853934338n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['1.5', 1.5],
    ['1e300', 1e300],
    ['0', 0],
    ['"8349964745853934338"', '8349964745853934338'],
    ['[{"a":9223372036854775807}]', [{ a: 9223372036854775807n }]],
  ];
  for (const [text, value] of cases) assert.deepEqual(parseJson(text, 'x'), value, text);
});

test('64-bit integers are printed as they were read', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
      const text = `{"snapshot-id":${id},"name":"a"}`;
      assert.equal(printJson(parseJson(text, 'x')), text);
      assert.equal(new ObjectReader(parseJson(text, 'x'), 'x').long('snapshot-id'), id);
    }),
  );
});

test('a text that is no JSON, or too deep, is refused', () => {
  assert.throws(() => parseJson('{', 'v1.metadata.json'), /^InvalidTable: v1\.metadata\.json: not JSON/);
  const deep = '['.repeat(icebergLimits.tableMetadataDepthMax + 1);
  assert.throws(() => parseJson(deep, 'x'), /too many levels/);
});

test('errors of fields name the place', () => {
  const reader = new ObjectReader(
    { a: { b: [1, 'x'] }, n: null, big: 2n ** 63n, ['__proto__']: 'own' },
    'table',
  );
  // what is read, the error
  const cases: [() => unknown, string][] = [
    [() => reader.text('a'), 'table.a: must be a string'],
    [() => reader.text('n'), 'table.n: missing; must be a string'],
    [() => reader.object('z'), 'table.z: must be a JSON object'],
    [() => reader.long('big'), 'table.big: must be a 64-bit integer'],
    [
      () => reader.object('a').list('b', (item, at) => new ObjectReader(item, at)),
      'table.a.b[0]: must be a JSON object',
    ],
    [() => reader.texts('a'), 'table.a.b: must be a string'],
    [() => reader.text('toString'), 'table.toString: missing; must be a string'],
  ];
  for (const [read, message] of cases)
    assert.throws(
      read,
      (error: Error) => error instanceof InvalidTable && error.message === message,
      message,
    );
});
