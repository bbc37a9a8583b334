import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '@weir/core/testing';
import type { ErrorName } from '@weir/wire';
import { commitOf } from '../../testing/file-commit.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

test('epoch 0 ends at the end of the partition', async () => {
  const { call, cluster } = await startTestAgent();
  const { topicId } = cluster.addTopic('t', 2);
  await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 5 }])]);
  // topic, partition, current epoch, epoch, error, epoch and end offset in the response
  const cases: [string, number, number, number, ErrorName, number, bigint][] = [
    ['t', 0, -1, 0, 'NONE', 0, 5n],
    ['t', 0, 0, 0, 'NONE', 0, 5n],
    ['t', 1, 0, 0, 'NONE', 0, 0n],
    ['t', 0, 0, 1, 'NONE', -1, -1n],
    ['t', 0, 0, -1, 'NONE', -1, -1n],
    ['t', 0, 1, 0, 'UNKNOWN_LEADER_EPOCH', -1, -1n],
    ['t', 0, -2, 0, 'FENCED_LEADER_EPOCH', -1, -1n],
    ['t', 2, 0, 0, 'UNKNOWN_TOPIC_OR_PARTITION', -1, -1n],
    ['u', 0, 0, 0, 'UNKNOWN_TOPIC_OR_PARTITION', -1, -1n],
  ];
  for (const version of [2, 3, 4]) {
    const topics = cases.map(([topic, partition, currentLeaderEpoch, leaderEpoch]) => ({
      topic,
      partitions: [{ partition, currentLeaderEpoch, leaderEpoch }],
    }));
    const answer = answered(await call('OffsetForLeaderEpoch', version, { topics }));
    for (const [index, [topic, partition, , , error, epoch, end]] of cases.entries()) {
      const entry = answer.topics[index]!;
      assert.equal(entry.topic, topic);
      assert.deepEqual(
        entry.partitions.map((one) => [one.partition, one.errorCode, one.leaderEpoch, one.endOffset]),
        [[partition, codeOf(error), epoch, end]],
        `v${version} case ${index}`,
      );
    }
  }
});

test('the end offset comes from the control plane and not from the cluster view', async () => {
  const { call, cluster, view } = await startTestAgent();
  const { topicId } = cluster.addTopic('t');
  await settle();
  cluster.holdChanges();
  await cluster.commitFiles([commitOf(topicId, [{ partition: 0, records: 5 }])]);
  assert.equal(view.ends(topicId, 0)?.nextOffset, 0);
  const request = { topics: [{ topic: 't', partitions: [{ partition: 0, leaderEpoch: 0 }] }] };
  const { topics } = answered(await call('OffsetForLeaderEpoch', 4, request));
  assert.equal(topics[0]!.partitions[0]!.endOffset, 5n);
  cluster.unavailable = true;
  const unreachable = answered(await call('OffsetForLeaderEpoch', 4, request));
  assert.equal(unreachable.topics[0]!.partitions[0]!.errorCode, codeOf('LEADER_NOT_AVAILABLE'));
});
