import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTopic, GroupWorld } from '@weir/metadata/testing';
import { decodeFrame, encodeFrame, replyLimits } from '@weir/rpc/testing';
import { fileCommit } from '../../../testing/file-commit.ts';
import { shareCalls } from './share-calls.ts';

const place = { topicId: 'a', partition: 0 };
const caller = { groupId: 'g', memberId: 'm' };
const heartbeat = {
  ...caller,
  memberEpoch: 0,
  rackId: null,
  clientId: 'c',
  clientHost: '/h',
  subscribedTopicNames: ['t'],
};
const acquire = { ...caller, partitions: [place], recordsMax: 1, bytesMax: 1, bytesMin: 1, waitMs: 0 };
const rows = {
  ...place,
  firstOffset: Float64Array.of(0),
  lastOffset: Float64Array.of(3),
  type: Uint8Array.of(1),
};
const acknowledge = { ...caller, partitions: [rows], released: [place] };

// A valid argument, and the problem when one member is changed.
const calls: [
  method: keyof typeof shareCalls,
  arg: object,
  isList: boolean,
  change: object,
  problem: string,
][] = [
  ['shareGroupHeartbeats', heartbeat, true, { rackId: 5 }, 'rackId: not a text'],
  ['acquireRecords', acquire, false, { recordsMax: 0.5 }, 'recordsMax: not a whole number'],
  ['acknowledgeRecords', acknowledge, true, { partitions: [{ ...rows, type: new Uint8Array(2) }] }, '2 rows'],
  ['describeShareOffsets', { groupId: 'g', partitions: null }, true, { partitions: [5] }, 'not an object'],
  [
    'alterShareOffsets',
    { groupId: 'g', offsets: [{ ...place, startOffset: 3 }] },
    false,
    { offsets: [place] },
    'startOffset',
  ],
  ['deleteShareOffsets', { groupId: 'g', topicIds: ['a'] }, false, { topicIds: 'a' }, 'not a list'],
];

const overTheWire = (value: unknown) => decodeFrame(encodeFrame('result', 1, value), replyLimits).body;

for (const [method, arg, isList, change, problem] of calls) {
  test(`${method} takes what it should and nothing else`, () => {
    const { args } = shareCalls[method];
    const call = (one: object) => overTheWire([isList ? [one] : one]);
    assert.equal(args(call(arg), method), undefined);
    assert.match(args(call({ ...arg, ...change }), method) ?? '', new RegExp(problem));
    assert.notEqual(args([], method), undefined);
  });
}

test('answers about share groups survive the wire encoding', async () => {
  const world = new GroupWorld();
  const { node } = await world.start('leader');
  const topicId = await createTopic(node, 't', 1);
  await node.shareGroupHeartbeats([heartbeat]);
  const request = { ...acquire, partitions: [{ topicId, partition: 0 }], recordsMax: 9, bytesMax: 1000 };
  await node.acquireRecords(request);
  await node.commitFiles([fileCommit(1, topicId, [{ partition: 0, recordCount: 5 }])]);
  const acquired = await node.acquireRecords(request);
  assert.equal(acquired.partitions[0]!.acquired.firstOffset.length, 1);
  const acknowledged = { ...rows, topicId, type: Uint8Array.of(2) };
  for (const answer of [
    acquired,
    await node.acknowledgeRecords([{ ...acknowledge, partitions: [acknowledged], released: [] }]),
    await node.shareGroupHeartbeats([{ ...heartbeat, memberEpoch: 1 }]),
    await node.describeShareGroups(['g', 'other']),
    await node.describeShareOffsets([{ groupId: 'g', partitions: null }]),
    await node.alterShareOffsets({ groupId: 'g', offsets: [] }),
  ]) {
    assert.deepEqual(overTheWire(answer), answer);
  }
});
