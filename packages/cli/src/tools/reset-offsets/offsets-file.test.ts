import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FileOffset, offsetLine, readOffsetsFile } from './offsets-file.ts';

const offsets: readonly FileOffset[] = [
  { topic: 'orders', partition: 0, offset: 42n },
  { topic: 'orders.eu', partition: 1, offset: 0n },
];
const read = (text: string) => readOffsetsFile('f', 'billing', text);

test('lines and JSON mean the same', () => {
  const texts = [
    offsets.map(offsetLine).join(''),
    'orders,0,42\r\n\r\norders.eu,1,0',
    '"billing","orders",0,42\nbilling,orders.eu,1,0\n',
    '[{"topic":"orders","partition":0,"offset":42},{"topic":"orders.eu","partition":1,"offset":0}]',
    ' {"partitions":[{"topic":"orders","partition":0,"newOffset":42},{"topic":"orders.eu","partition":1,"newOffset":0}]}',
  ];
  for (const text of texts) assert.deepEqual(read(text), offsets, text);
  assert.deepEqual(readOffsetsFile('f', 'a, "b"', '"a, ""b""",orders,0,1\n')[0]?.offset, 1n);
});

test('what is no offset is refused with its line or item', () => {
  const cases: readonly [text: string, message: RegExp][] = [
    ['orders,0', /^-from-file=f: line 1 is not topic,partition,offset/],
    ['orders,0,1\norders,1,-1', /: line 2 is not /],
    ['orders,0,1,2,3', /: line 1 is not /],
    ['orders,x,1', /: line 1 is not /],
    ['or ders,0,1', /: line 1 is not /],
    ['other,orders,0,1', /: line 1 is for another group than -group=billing$/],
    ['orders,0,1\norders,0,2', /: topic orders, partition 0 is listed twice$/],
    ['\n', /: contains no offsets$/],
    ['[]', /: contains no offsets$/],
    ['[1]', /: item 1 is not an object with topic, partition and offset$/],
    ['[null]', /: item 1 is not an object/],
    ['[{"topic":"a","partition":0,"offset":1.5}]', /: item 1 is not an object/],
    ['[{"topic":"a","partition":4294967296,"offset":1}]', /: item 1 is not an object/],
    ['{"a":1}', /: has no list of partitions$/],
    ['[', /: not valid JSON: /],
  ];
  for (const [text, message] of cases) assert.throws(() => read(text), { message }, text);
});
