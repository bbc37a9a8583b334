import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@weir/core';
import { parseMapping } from '../mapping.ts';
import { parseJson } from './parse-json.ts';

/** What a mapping makes of a text: the text if it was put together, and the value. */
function mapped(text: string, mapping: string) {
  const source = Buffer.from(text);
  const value = parseJson(source.toString(), (why) => why);
  const result = parseMapping(mapping).apply({ content: source, value, source });
  assert.equal(result.kind, 'value');
  if (result.kind !== 'value') throw new Error('no value');
  const bytes = result.text?.toBuffer();
  if (bytes !== undefined) {
    assert.equal(bytes.length, result.text!.byteLength);
    // Somewhere inside of other bytes.
    const around = Buffer.alloc(bytes.length + 2, '#');
    result.text!.writeTo(around, 1);
    assert.equal(around.toString(), `#${bytes.toString()}#`);
  }
  return { text: bytes?.toString(), value: result.value, isPlain: result.isPlain };
}

const rows: readonly [text: string, mapping: string, expected: string][] = [
  ['{"a":1}', 'root = this\nroot.b = 2', '{"a":1,"b":2}'],
  ['{"a":1}', 'root = this\nroot.b.c = "ä€🙂"', '{"a":1,"b":{"c":"ä€🙂"}}'],
  ['{"ä":"€"}', 'root = this\nroot.b = 2', '{"ä":"€","b":2}'],
  ['{"a":1}', 'root = this\nroot."b\\"\\n" = "x\\n"', '{"a":1,"b\\"\\n":"x\\n"}'],
  [
    '{"a":1.50}',
    'root = this\nroot.b = [1, null, true]\nroot.c = null',
    '{"a":1.50,"b":[1,null,true],"c":null}',
  ],
  ['{"a":[1, 2]}', 'root = this\nroot.b = "1e3".number() + 0.5', '{"a":[1, 2],"b":1000.5}'],
  ['{"a":"\\"b\\":","c":1}', 'root = this\nroot.b = 3', '{"a":"\\"b\\":","c":1,"b":3}'],
  ['{"a":1}', 'root = this\nroot.a = 1\nroot.b = 2', '{"a":1,"b":2}'],
];

for (const [text, mapping, expected] of rows)
  test(`takes over what stays: ${text} by ${JSON.stringify(mapping)}`, () => {
    const result = mapped(text, mapping);
    assert.equal(result.text, expected);
    assert.deepEqual(JSON.parse(expected), result.value);
    assert.equal(result.isPlain, true);
  });

const printed: readonly [why: string, text: string, mapping: string][] = [
  ['a field is another', '{"a":1,"b":2}', 'root = this\nroot.b = 3\nroot.c = 4'],
  ['a field within is another', '{"a":{"b":2},"c":1}', 'root = this\nroot.a.b = 3'],
  ['a field is gone', '{"a":1,"b":2}', 'root = this\nroot.b = deleted()\nroot.c = 4'],
  ['nothing was there', '{}', 'root = this\nroot.c = 1'],
  ['several lines', '{"a":1,\n"b":2}', 'root = this\nroot.c = 1'],
  ['tabs', '{"a":1,\t"b":2}', 'root = this\nroot.c = 1'],
  ['white space around', ' {"a":1} ', 'root = this\nroot.c = 1'],
  ['white space between', '{"a": 1, "b": 2}', 'root = this\nroot.c = 1'],
  ['white space before a colon', '{"a" :1}', 'root = this\nroot.c = 1'],
  ['a first name with escapes', '{"\\u0062":1}', 'root = this\nroot.c = 2'],
  ['no object', '[1,2]', 'root = this.append(3)'],
  ['a number that JSON does not have', '{"a":1}', 'root = this\nroot.b = "NaN".number()'],
];

for (const [why, text, mapping] of printed)
  test(`is printed: ${why}`, () => assert.equal(mapped(text, mapping).text, undefined));

test('what was added counts as more than JSON has', () => {
  const result = mapped('{"a":-0}', 'root = this\nroot.b = 2.0\nroot.c = content()');
  assert.equal(result.isPlain, false);
  assert.equal(result.text, '{"a":-0,"b":2,"c":"eyJhIjotMH0="}');
  assert.equal(mapped('{"a":-0}', 'root = this\nroot.b = 2').isPlain, true);
});

test('what is added is limited, and what is taken over is not looked at again', () => {
  const deep = `{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`;
  assert.equal(mapped(deep, 'root = this\nroot.b = 1').text, `${deep.slice(0, -1)},"b":1}`);
  assert.throws(() => mapped(deep, 'root = this\nroot.b = [this.a]'), /nested too deeply/);
  assert.throws(() => mapped(deep, 'root = {"b": this.a}'), /nested too deeply/);
});

test('any document and any changes: the text is that of the value', () => {
  const random = seededRandom(38);
  const names = ['a', 'b', 'c', 'ä', 'x-y', 'constructor', '__proto__', '1', 'd e'];
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random.next() * items.length)]!;
  const value = (depth: number): string => {
    const kind = Math.floor(random.next() * (depth > 2 ? 5 : 7));
    if (kind === 5) return object(depth + 1);
    if (kind === 6) return `[${Array.from({ length: 2 }, () => value(depth + 1)).join(',')}]`;
    return pick([
      '1',
      '-0',
      '1.5e3',
      'null',
      'true',
      '"b"',
      '"a:{,}"',
      '"ä"',
      '"\\"a\\":"',
      '""',
      '9'.repeat(20),
    ]);
  };
  const field = (depth: number) => `${JSON.stringify(pick(names))}:${value(depth)}`;
  const object = (depth: number): string =>
    `{${Array.from({ length: Math.floor(random.next() * 5) }, () => field(depth)).join(',')}}`;
  const changes = [
    ...['1', '"x"', 'deleted()', '{"b": this.c}', '[this.a, 2]', '2.5'].flatMap((to) => [
      `root.a = ${to}`,
      `root.b = ${to}`,
      `root.x-y = ${to}`,
      `root.new = ${to}`,
    ]),
    'root.a.b = 1',
    'root."d e" = 2',
    'root."__proto__" = 3',
    'root.constructor = deleted()',
  ].filter((change) => parses(change));
  let found = 0;
  for (let round = 0; round < 3000; round++) {
    const text = object(0);
    const mapping = ['root = this', ...Array.from({ length: 1 + (round % 3) }, () => pick(changes))].join(
      '\n',
    );
    const source = Buffer.from(text);
    const document = parseJson(text, (why) => why);
    let result: ReturnType<ReturnType<typeof parseMapping>['apply']>;
    try {
      result = parseMapping(mapping).apply({ content: source, value: document, source });
    } catch {
      continue;
    }
    // What is not plain is another value when it is parsed: 0 for -0.
    if (result.kind !== 'value' || result.text === undefined || !result.isPlain) continue;
    found++;
    const again = parseJson(result.text.toBuffer().toString(), (why) => why);
    assert.deepEqual(again, result.value, `${text} by ${mapping}`);
  }
  assert.ok(found > 300, `only ${found}`);
});

function parses(mapping: string): boolean {
  try {
    parseMapping(mapping);
    return true;
  } catch {
    return false;
  }
}
