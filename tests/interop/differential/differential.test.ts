import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiName, apis, layoutOf } from '@weir/wire';
import { isAllowed } from './allowed-differences.ts';
import { dialogues } from './dialogues/index.ts';
import { type Difference, differencesOf } from './differences.ts';
import { NormalForm } from './normal-form.ts';
import { Side } from './side.ts';

/** The comparison itself; `npm run test:differential` runs it on two servers. */
const layout = layoutOf(apis.OffsetCommit.response, 10);
const partitions = (...errorCodes: number[]) =>
  errorCodes.map((errorCode, partitionIndex) => ({ partitionIndex, errorCode }));
const answer = (...topics: { topicId: string; partitions: ReturnType<typeof partitions> }[]) => ({
  throttleTimeMs: 0,
  topics,
});

const texts = (differences: readonly Difference[]) =>
  differences.map(({ path, at, apache, weir }) => `${path} at ${at}: ${apache} / ${weir}`);

test('every request of the protocol is part of a dialogue', () => {
  const told = new Set(dialogues.map(({ api }) => api));
  assert.deepEqual(
    (Object.keys(apis) as ApiName[]).filter((name) => !told.has(name)),
    [],
  );
});

test('answers differ in fields, and in elements that only one has, wherever those are', () => {
  const one = answer(
    { topicId: 'a', partitions: partitions(0, 3) },
    { topicId: 'b', partitions: partitions(0) },
  );
  const other = answer(
    { topicId: 'b', partitions: partitions(0) },
    { topicId: 'a', partitions: partitions(0, 3).reverse() },
  );
  assert.deepEqual(differencesOf(layout, one, other), []);
  const third = answer({ topicId: 'a', partitions: partitions(0, 9, 0) });
  assert.deepEqual(texts(differencesOf(layout, one, third)), [
    'topics[].partitions[].errorCode at a/1: 3 / 9',
    'topics[].partitions[] at a/2: absent / {"partitionIndex":2,"errorCode":0}',
    'topics[] at b: {"topicId":"b","partitions":[{"partitionIndex":0,"errorCode":0}]} / absent',
  ]);
});

test('what a server chooses for itself becomes what it means', () => {
  const side = new Side('weir', { host: '127.0.0.1', port: 9 });
  const id = Buffer.alloc(16, 7).toString('base64url');
  side.topicNames.set(id, 'orders');
  const normal = new NormalForm(side, 1_000_000);
  const unknown = Buffer.alloc(16, 8).toString('base64url');
  assert.deepEqual(
    normal.of(
      layout,
      answer({ topicId: id, partitions: partitions(0, 3) }, { topicId: unknown, partitions: [] }),
    ),
    {
      throttleTimeMs: 0,
      topics: [
        {
          topicId: 'id of orders',
          partitions: [
            { partitionIndex: 0, errorCode: 'NONE' },
            { partitionIndex: 1, errorCode: 'UNKNOWN_TOPIC_OR_PARTITION' },
          ],
        },
        { topicId: 'an id', partitions: [] },
      ],
    },
  );
});

test('a row allows no more than it says', () => {
  const row = {
    api: 'Fetch',
    path: 'errorCode',
    apache: 'NONE',
    weir: /^INVALID/,
    departure: 'DescribeQuorum',
  } as const;
  const seen: Difference = { path: 'errorCode', at: '', apache: 'NONE', weir: 'INVALID_REQUEST' };
  assert.ok(isAllowed(row, 'Fetch', 'a dialogue', seen));
  assert.ok(!isAllowed(row, 'Produce', 'a dialogue', seen));
  assert.ok(!isAllowed(row, 'Fetch', 'a dialogue', { ...seen, weir: 'NONE' }));
  assert.ok(!isAllowed(row, 'Fetch', 'a dialogue', { ...seen, path: 'topics[].errorCode' }));
  assert.ok(!isAllowed({ ...row, when: /^another/ }, 'Fetch', 'a dialogue', seen));
});
