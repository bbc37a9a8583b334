import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterFollower, ClusterPort } from '@weir/cluster';
import type { ErrorName } from '@weir/wire';
import { batchOf } from '../../testing/data-path.ts';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

async function deleteRecords(
  agent: Pick<LeaderAgent, 'call'>,
  name: string,
  offsets: Record<number, bigint>,
  version = 2,
) {
  const partitions = Object.entries(offsets).map(([partition, offset]) => ({
    partitionIndex: Number(partition),
    offset,
  }));
  const request = { topics: [{ name, partitions }], timeoutMs: 1000 };
  const { topics } = answered(await agent.call('DeleteRecords', version, request));
  assert.deepEqual(
    topics.map((topic) => topic.name),
    [name],
  );
  return topics[0]!.partitions.map(({ partitionIndex, lowWatermark, errorCode }) => [
    partitionIndex,
    errorCode === 0 ? lowWatermark : errorCode,
  ]);
}

/** Produces batches of one record each. */
async function produce(agent: LeaderAgent, name: string, count: number) {
  for (let record = 0; record < count; record++) {
    const partitionData = [{ index: 0, records: batchOf([`record ${record}`]) }];
    const request = {
      transactionalId: null,
      acks: -1,
      timeoutMs: 1000,
      topicData: [{ name, partitionData }],
    };
    const { responses } = answered(await agent.call('Produce', 9, request));
    assert.equal(responses[0]!.partitionResponses[0]!.errorCode, 0);
  }
}

async function fetch(agent: Pick<LeaderAgent, 'call'>, topic: string, fetchOffset: bigint) {
  const partitions = [{ partition: 0, fetchOffset, partitionMaxBytes: 1 << 20 }];
  const request = { maxWaitMs: 0, minBytes: 0, maxBytes: 1 << 20, topics: [{ topic, partitions }] };
  const { responses } = answered(await agent.call('Fetch', 12, request));
  return responses[0]!.partitions[0]!;
}

async function listOffset(agent: Pick<LeaderAgent, 'call'>, name: string, timestamp: bigint) {
  const request = { replicaId: -1, topics: [{ name, partitions: [{ partitionIndex: 0, timestamp }] }] };
  const { topics } = answered(await agent.call('ListOffsets', 7, request));
  return topics[0]!.partitions[0]!.offset;
}

test('records before the new log start are invisible to readers, in every version', async () => {
  for (const version of [0, 1, 2]) {
    await using agent = await startLeaderAgent();
    await agent.addTopic('t', 2);
    await produce(agent, 't', 5);
    assert.deepEqual(await deleteRecords(agent, 't', { 0: 3n, 1: 0n }, version), [
      [0, 3n],
      [1, 0n],
    ]);
    assert.equal((await fetch(agent, 't', 2n)).errorCode, codeOf('OFFSET_OUT_OF_RANGE'));
    const read = await fetch(agent, 't', 3n);
    assert.deepEqual([read.errorCode, read.logStartOffset, read.highWatermark], [0, 3n, 5n]);
    assert.equal(read.records?.readBigInt64BE(0), 3n);
    assert.equal(await listOffset(agent, 't', -2n), 3n);
    assert.equal(await listOffset(agent, 't', 0n), 3n, 'the first record by time');
    assert.deepEqual(await deleteRecords(agent, 't', { 0: -1n }, version), [[0, 5n]]);
    assert.equal(await listOffset(agent, 't', -2n), 5n);
    assert.equal((await fetch(agent, 't', 5n)).errorCode, 0);
    await produce(agent, 't', 1);
    assert.equal((await fetch(agent, 't', 5n)).highWatermark, 6n);
  }
});

const answers: [
  what: string,
  topic: string,
  partition: number,
  offset: bigint,
  answer: bigint | ErrorName,
][] = [
  ['before the start', 't', 0, 0n, 1n],
  ['beyond the end', 't', 0, 3n, 'OFFSET_OUT_OF_RANGE'],
  ['far beyond the end', 't', 0, 2n ** 62n, 'OFFSET_OUT_OF_RANGE'],
  ['a negative offset', 't', 0, -2n, 'OFFSET_OUT_OF_RANGE'],
  ['an unknown partition', 't', 1, 0n, 'UNKNOWN_TOPIC_OR_PARTITION'],
  ['a negative partition', 't', -1, 0n, 'UNKNOWN_TOPIC_OR_PARTITION'],
  ['an unknown topic', 'z', 0, 0n, 'UNKNOWN_TOPIC_OR_PARTITION'],
  ['a compacted topic', 'compacted', 0, 0n, 'POLICY_VIOLATION'],
];

test('valid and invalid offsets', async () => {
  await using agent = await startLeaderAgent();
  await agent.addTopic('t');
  await produce(agent, 't', 2);
  await deleteRecords(agent, 't', { 0: 1n });
  const configs = { 'cleanup.policy': 'compact' };
  await agent.node.createTopics([{ name: 'compacted', partitionCount: 1, configs }], { validateOnly: false });
  await agent.addTopic('later');
  for (const [what, topic, partition, offset, answer] of answers) {
    const expected = typeof answer === 'bigint' ? answer : codeOf(answer);
    assert.deepEqual(
      await deleteRecords(agent, topic, { [partition]: offset }),
      [[partition, expected]],
      what,
    );
  }
});

test('NOT_LEADER_OR_FOLLOWER if the control plane is unavailable', async () => {
  const agent = await startTestAgent();
  agent.cluster.addTopic('t');
  agent.cluster.unavailable = true;
  assert.deepEqual(await deleteRecords(agent, 't', { 0: 0n }), [[0, codeOf('NOT_LEADER_OR_FOLLOWER')]]);
});

test('an agent that hears of no change shows the start that the leader gave it, and none before it again', async () => {
  let agents = 0;
  await using agent = await startLeaderAgent(
    {},
    {
      port: (node) => {
        if (++agents === 1) return node;
        return new Proxy<ClusterPort>(node, {
          get(target, name) {
            const member: unknown = Reflect.get(target, name);
            if (name === 'follow') {
              return (follower: ClusterFollower) =>
                target.follow({ onSnapshot: (snapshot) => follower.onSnapshot(snapshot), onChanges() {} });
            }
            return typeof member === 'function' ? member.bind(target) : member;
          },
        });
      },
    },
  );
  await agent.addTopic('t');
  await produce(agent, 't', 5);
  const silent = await agent.another();
  assert.deepEqual(await deleteRecords(agent, 't', { 0: 3n }), [[0, 3n]]);
  assert.equal(silent.view.ends(silent.view.topicByName('t')!.topicId, 0)?.logStartOffset, 0);
  assert.equal(await listOffset(silent, 't', -2n), 3n);
  assert.equal((await fetch(silent, 't', 2n)).errorCode, codeOf('OFFSET_OUT_OF_RANGE'));
  assert.equal((await fetch(silent, 't', 5n)).logStartOffset, 3n);
});
