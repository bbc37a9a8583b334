import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterLimits } from '@weir/cluster/limits';
import { startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered } from '../../testing/test-agent-server.ts';
import { errorName } from '../../testing/transactional-client.ts';
import { watchedPort } from '../../testing/watched-port.ts';
import { brokerLimits } from '../limits.ts';
import { offsetWeight, portionsOf } from './portions.ts';

const few = brokerLimits.gatheredRowsMax;

test('a list is cut at the weight limit of a portion', () => {
  assert.deepEqual(
    portionsOf([], () => 1),
    [],
  );
  assert.deepEqual(
    portionsOf(Array.from({ length: 2 * few + 1 }), () => 1).map(({ length }) => length),
    [few, few, 1],
  );
  assert.deepEqual(
    portionsOf([few, 1, few + 5, few - 1, 1], (weight) => weight),
    [[few], [1], [few + 5], [few - 1, 1]],
  );
  assert.ok(offsetWeight({ metadata: 'x'.repeat(clusterLimits.offsetMetadataCharsMax) }) < few);
});

/** The lengths of the lists of partitions in calls of a method. */
type Calls = { readonly method: string; readonly rows: number }[];

async function agentWithCalls(calls: Calls) {
  return startLeaderAgent(
    {},
    {
      port: (node) =>
        watchedPort(node, (method, [lists]) => {
          for (const list of Array.isArray(lists) ? lists : []) {
            const rows = (list as { partitions?: unknown[] | null; offsets?: unknown[] } | null) ?? {};
            const found = rows.partitions ?? rows.offsets;
            if (found !== undefined) calls.push({ method, rows: found.length });
          }
        }),
    },
  );
}

test('an OffsetFetch of 300,000 partitions is split into calls that the control plane accepts, and all are answered', async () => {
  const calls: Calls = [];
  await using agent = await agentWithCalls(calls);
  await agent.addTopic('t', 2);
  const commit = { partitionIndex: 1, committedOffset: 5n, committedMetadata: 'm' };
  const group = { groupId: 'g', generationIdOrMemberEpoch: -1, memberId: '' };
  answered(await agent.call('OffsetCommit', 8, { ...group, topics: [{ name: 't', partitions: [commit] }] }));
  calls.length = 0;
  const partitionIndexes = Array.from({ length: 300_000 }, (_, index) => index);
  const fetched = answered(
    await agent.call('OffsetFetch', 8, {
      groups: [{ groupId: 'g', topics: [{ name: 't', partitionIndexes }] }],
    }),
  );
  const { partitions } = fetched.groups[0]!.topics[0]!;
  assert.deepEqual(
    partitions.map(({ partitionIndex }) => partitionIndex),
    partitionIndexes,
  );
  const committed = partitions.filter(({ committedOffset }) => committedOffset !== -1n);
  assert.deepEqual(
    committed.map(({ partitionIndex, committedOffset }) => [partitionIndex, committedOffset]),
    [[1, 5n]],
  );
  assert.deepEqual(
    calls.map(({ rows }) => rows),
    Array.from({ length: 30 }, () => few),
  );
});

test('a commit with long metadata goes in several calls', async () => {
  const calls: Calls = [];
  await using agent = await agentWithCalls(calls);
  await agent.addTopic('t', 200);
  const committedMetadata = 'x'.repeat(4096);
  const partitions = Array.from({ length: 200 }, (_, partitionIndex) => {
    return { partitionIndex, committedOffset: 1n, committedMetadata };
  });
  const answer = answered(
    await agent.call('OffsetCommit', 8, {
      groupId: 'g',
      generationIdOrMemberEpoch: -1,
      memberId: '',
      topics: [{ name: 't', partitions }],
    }),
  );
  assert.deepEqual(
    [...new Set(answer.topics[0]!.partitions.map(({ errorCode }) => errorName(errorCode)))],
    ['NONE'],
  );
  assert.deepEqual(
    calls.map(({ rows }) => rows),
    [77, 77, 46],
  );
});
