import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { noRegistry, recordOf, tableOf } from '../../testing/records.ts';
import { listedColumns } from '../schemas/listed-columns.ts';
import { RowFault } from './row-fault.ts';
import { objectScanOf } from './scan-json.ts';

const fields = [
  { name: 's', type: 'string' },
  { name: 'l', type: 'long' },
  { name: 'i', type: 'int' },
  { name: 'd', type: 'double' },
  { name: 'f', type: 'float' },
  { name: 'm', type: 'decimal(9,2)' },
  { name: 'b', type: 'boolean' },
  { name: 't', type: 'timestamptz' },
  { name: 'y', type: 'date' },
  { name: 'u', type: 'uuid' },
  { name: 'x', type: 'binary' },
];

const { columns, units } = listedColumns(fields);
const scan = objectScanOf(columns, { meter: { bytes: 0 }, units })!;

function scanned(text: string): unknown {
  const values = new Array(columns.length).fill(undefined);
  try {
    return scan(text, values) ? values : undefined;
  } catch (error) {
    assert.ok(error instanceof RowFault);
    return undefined;
  }
}

// biome-ignore format: a table
const usual: readonly [text: string, values: Readonly<Record<string, unknown>>][] = [
  ['{}', {}],
  [' {\r\n\t} ', {}],
  ['{"s":"a","l":1,"i":-0,"d":-0,"b":true}', { s: 'a', l: 1n, i: 0, d: -0, b: true }],
  ['{ "l" : 999999999999999 , "s" : "" }', { l: 999999999999999n, s: '' }],
  ['{"b":false,"other":[1,{"a":[]},"x",null,-1.5e+3],"more":{},"s":null}', { b: false }],
  ['{"d":0.1,"f":0.1,"m":-1234567.8}', { d: 0.1, f: Math.fround(0.1), m: -123456780n }],
  ['{"l":"-12","m":"-1234567.8"}', { l: -12n, m: -123456780n }],
  ['{"l":"0","m":"-0"}', { l: 0n, m: 0n }],
  ['{"d":1.7976931348623157e308,"t":1700000000123}', { d: Number.MAX_VALUE, t: 1700000000123000n }],
  ['{"t":"2024-02-29T23:59:59.5+01:00","y":"1970-01-02","x":"AAEC"}', { t: 1709247599500000n, y: 1, x: Buffer.from([0, 1, 2]) }],
];
for (const [text, values] of usual)
  test(`usual: ${text}`, () => {
    const expected = fields.map(({ name }) => (Object.hasOwn(values, name) ? values[name] : null));
    assert.deepEqual(scanned(text), expected);
  });

// biome-ignore format: a table
const unusual = [
  '', '{', '}', '[]', '1', '{}x', '{},', '{"s"}', '{"s":}', '{"s":"a",}', '{,}', '{"s":"a" "l":1}', '{s:1}', '{"s":"a"', '{"s":"a',
  '{"l":01}', '{"l":-}', '{"l":+1}', '{"l":1.}', '{"l":.5}', '{"l":1.0}', '{"l":1e3}', '{"l":9007199254740993}', '{"l":"1.5"}', '{"l":"1"1}', '{"l":" 1"}', '{"l":"1}', '{"l":1x}',
  '{"i":2147483648}', '{"d":1e400}', '{"f":1e39}', '{"d":1e}', '{"d":NaN}', '{"m":1.234}', '{"m":10000000}', '{"m":1e1}',
  '{"l":"01"}', '{"l":"9007199254740993"}', '{"i":"1"}', '{"d":"1"}', '{"m":"1.234"}', '{"m":"+1"}', '{"m":"1."}', '{"m":"1e1"}', '{"m":"-"}', '{"m":""}',
  '{"b":tru}', '{"b":"true"}', '{"b":nul}', '{"s":"\\n"}', '{"s":"\n"}', '{"\\u0073":"a"}', '{"s":"a","s":"b"}', '{"s":1}',
  '{"t":"2024-02-30T00:00:00Z"}', '{"t":"2024-02-01T00:00:00"}', '{"t":"2024-02-01"}', '{"t":1.5}', '{"y":"1970-1-1"}', '{"u":"x"}', '{"x":"A"}',
  '{"o":[1,]}', '{"o":[1 2]}', '{"o":{"a"}}', '{"o":{"a":1,}}', '{"o":[}', '{"o":01}', '{"o":tru}', '{"o":"\t"}', '\u00a0{}', '{}\u0001',
  `{"o":${'['.repeat(40)}${']'.repeat(40)}}`,
];
for (const text of unusual)
  test(`left to others: ${JSON.stringify(text.slice(0, 60))}`, () => assert.equal(scanned(text), undefined));

test('a table with a map, or an element that is one, is not scanned', () => {
  const map = {
    kind: 'map',
    keyId: 1,
    key: { kind: 'string' },
    valueId: 2,
    isValueRequired: false,
    value: { kind: 'int' },
  } as const;
  const column = { id: 3, name: 'c', isRequired: false, type: map };
  const options = { meter: { bytes: 0 }, units };
  assert.equal(objectScanOf([column], options), undefined);
  const list = { kind: 'list', elementId: 4, isElementRequired: false, element: map } as const;
  assert.equal(objectScanOf([{ ...column, type: list }], options), undefined);
});

/** Texts that are nearly JSON: an object as it is printed, and one change of a character. */
const nearlyJson = fc
  .tuple(
    fc.dictionary(
      fc.constantFrom('s', 'l', 'i', 'd', 'f', 'm', 'b', 't', 'y', 'u', 'x', 'o', 'toString'),
      fc.oneof(
        fc.string(),
        fc.double(),
        fc.integer(),
        fc.maxSafeInteger(),
        fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100),
        fc.integer({ min: -100_000, max: 100_000 }).map((cents) => String(cents / 100)),
        fc.maxSafeInteger().map(String),
        fc.boolean(),
        fc.constant(null),
        fc.uuid(),
        fc.constantFrom('2024-01-01T00:00:00Z', '1999-12-31', 'AAEC'),
        fc.jsonValue(),
      ),
    ),
    fc.nat(),
    fc.constantFrom('', ' ', '"', '0', '9', '.', 'e', '-', ',', ':', '{', '}', '[', ']', '\\', '\n', 'null'),
    fc.integer({ min: 0, max: 2 }),
    fc.boolean(),
  )
  .map(([object, place, inserted, removed, isChanged]) => {
    const text = JSON.stringify(object);
    const at = place % (text.length + 1);
    return isChanged ? text.slice(0, at) + inserted + text.slice(at + removed) : text;
  });

test('what is scanned is what a document would be', async () => {
  const scanning = await tableOf({ schema: { fields } });
  // A transform that changes nothing makes a document of each record, by another parser.
  const through = await tableOf({
    schema: { fields },
    transforms: [{ transform_type: 'bento', transform: 'root = this' }],
  });
  const [one, other] = [scanning.openRows(noRegistry), through.openRows(noRegistry)];
  await fc.assert(
    fc.asyncProperty(nearlyJson, async (text) => {
      const [rows, expected] = [await one.read([recordOf(text)]), await other.read([recordOf(text)])];
      assert.deepEqual(rows.columns, expected.columns, text);
      assert.equal(rows.failures.length, expected.failures.length);
      assert.equal(rows.bytes, expected.bytes);
    }),
    { numRuns: 1000 },
  );
});
