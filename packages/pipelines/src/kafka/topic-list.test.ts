import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTopicList } from './topic-list.ts';

const cases: readonly [texts: readonly string[], expected: unknown][] = [
  [['a', 'b'], { topics: ['a', 'b'], partitions: {} }],
  [['a, b', 'a'], { topics: ['a', 'b'], partitions: {} }],
  [
    ['a:0', 'b:1,b:3'],
    { topics: [], partitions: { a: { 0: undefined }, b: { 1: undefined, 3: undefined } } },
  ],
  [['a:1-3'], { topics: [], partitions: { a: { 1: undefined, 2: undefined, 3: undefined } } }],
  [['a:0:7', 'a:0-1'], { topics: [], partitions: { a: { 0: 7, 1: undefined } } }],
  [['a:0-1', 'a:0:7'], { topics: [], partitions: { a: { 0: 7, 1: undefined } } }],
  [['a:x'], 'has a:x; write it as a:0 or a:0-10'],
  [['a:0-1-2'], 'has a:0-1-2; write it as a:0 or a:0-10'],
  [['a:0:1:2'], 'has a:0:1:2, which is not a topic with a partition'],
  [['a', 'b:0'], 'has topics with and without partitions; use two inputs'],
  [['', ' , '], 'has no topic'],
  [['a:0-999999999'], 'names 1000000000 partitions; 10000 are allowed'],
];

for (const [texts, expected] of cases) {
  test(`topics ${JSON.stringify(texts)}`, () => {
    const parsed = parseTopicList(texts, { mayNameOffsets: true });
    assert.deepEqual(
      typeof parsed === 'string'
        ? parsed
        : {
            topics: parsed.topics,
            partitions: Object.fromEntries(
              [...parsed.partitions].map(([topic, ofTopic]) => [topic, Object.fromEntries(ofTopic)]),
            ),
          },
      expected,
    );
  });
}

test('an input without offsets says which input has them', () => {
  assert.equal(
    parseTopicList(['a:0:7'], { mayNameOffsets: false }),
    'has a:0:7; this input takes no offsets, kafka_franz does',
  );
});
