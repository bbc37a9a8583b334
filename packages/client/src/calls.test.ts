import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, apis, decodeMessage, encodeMessage, type Fields, type WriteStruct } from '@weir/wire';
import { leaveGroup } from './groups/classic-member.ts';
import { requestCommitted } from './groups/committed-offsets.ts';
import { requestCommit } from './groups/offset-commit.ts';
import { metadataBody } from './metadata-body.ts';
import { fetchBody } from './records/fetch-body.ts';
import { listOffsets } from './records/list-offsets.ts';
import type { Transport } from './transport.ts';

type Call = (broker: Transport) => Promise<unknown>;

/** Sends a request in every version up to the one that the call wants, and returns what brokers read, by version. */
async function readByBrokers(call: Call, answer: object): Promise<Map<number, Record<string, unknown>>> {
  const read = new Map<number, Record<string, unknown>>();
  let offered = 0;
  let isLast = false;
  const broker = {
    async call(api: Api, wanted: number, body: object | ((version: number) => object)) {
      offered = Math.max(offered, api.versions.lowest);
      const whole = typeof body === 'function' ? body(offered) : body;
      const bytes = Buffer.concat(encodeMessage(api.request, offered, whole as WriteStruct<Fields>));
      read.set(offered, decodeMessage(api.request, offered, bytes));
      isLast = offered++ === Math.min(wanted, api.highestStableVersion);
      return answer;
    },
  } as unknown as Transport;
  while (!isLast) await call(broker);
  return read;
}

const place = { topic: 'orders', partition: 3 };

test('offsets are committed in every version that names topics', async () => {
  const committer = { groupId: 'g', memberId: 'a', generationId: 7 };
  const call: Call = (broker) => requestCommit(broker, committer, [{ ...place, offset: 5n, metadata: 'm' }]);
  const read = await readByBrokers(call, { topics: [] });
  assert.deepEqual([...read.keys()], [2, 3, 4, 5, 6, 7, 8, 9]);
  for (const { groupId, memberId, generationIdOrMemberEpoch, topics } of read.values()) {
    assert.deepEqual([groupId, memberId, generationIdOrMemberEpoch], ['g', 'a', 7]);
    const [{ name, partitions }] = topics as [{ name: string; partitions: [Record<string, unknown>] }];
    const { partitionIndex, committedOffset, committedMetadata } = partitions[0];
    assert.deepEqual([name, partitionIndex, committedOffset, committedMetadata], ['orders', 3, 5n, 'm']);
  }
});

test('committed offsets are asked for by the group, or from v8 on in a list of groups', async () => {
  const read = await readByBrokers((broker) => requestCommitted(broker, 'g', [place]), { topics: [] });
  assert.deepEqual([...read.keys()], [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (const [version, request] of read) {
    const { groupId, topics } = (version >= 8 ? (request.groups as [object])[0] : request) as typeof request;
    const [{ name, partitionIndexes }] = topics as [Record<string, unknown>];
    assert.deepEqual([groupId, name, partitionIndexes], ['g', 'orders', [3]]);
  }
});

test('offsets are listed in every version, with the isolation level from v2 on', async () => {
  const call: Call = (broker) =>
    listOffsets(broker, [{ ...place, timestamp: -1n }], { isolation: 'read_committed', timeoutMs: 1_000 });
  const read = await readByBrokers(call, { topics: [] });
  assert.equal(Math.max(...read.keys()), apis.ListOffsets.highestStableVersion);
  for (const [version, { isolationLevel, topics }] of read) {
    assert.equal(isolationLevel, version >= 2 ? 1 : 0);
    const [{ name, partitions }] = topics as [{ name: string; partitions: [Record<string, unknown>] }];
    const { partitionIndex, timestamp } = partitions[0];
    assert.deepEqual([name, partitionIndex, timestamp], ['orders', 3, -1n]);
  }
});

test('records are fetched in every version, with the name of the topic or its id', async () => {
  const topicId = 'AAAAAAAAAAAAAAAAAAAABw';
  const query = { bytesMax: 9, waitMs: 1, minBytes: 1, isolationLevel: 1 };
  const partitions = [{ partition: 3, offset: 5, bytesMax: 8 }];
  const call: Call = (broker) => {
    const body = fetchBody({ ...query, topics: [{ topic: 'orders', topicId, partitions }] });
    return broker.call(apis.Fetch, apis.Fetch.highestStableVersion, body);
  };
  for (const [version, { topics, maxBytes, isolationLevel }] of await readByBrokers(call, {})) {
    assert.deepEqual([maxBytes, isolationLevel], [9, 1]);
    const [topic] = topics as [{ topic: string; topicId: string; partitions: [Record<string, unknown>] }];
    assert.equal(version >= 13 ? topic.topicId : topic.topic, version >= 13 ? topicId : 'orders');
    const { partition, fetchOffset, partitionMaxBytes } = topic.partitions[0];
    assert.deepEqual([partition, fetchOffset, partitionMaxBytes], [3, 5n, 8]);
  }
});

test('a member leaves by its id, from v3 on in a list of members', async () => {
  const call: Call = (broker) => leaveGroup(broker, { groupId: 'g', memberId: 'a', reason: 'done' });
  const read = await readByBrokers(call, { errorCode: 0 });
  assert.deepEqual([...read.keys()], [0, 1, 2, 3, 4, 5]);
  for (const [version, { memberId, members }] of read)
    assert.equal(version >= 3 ? (members as [{ memberId: string }])[0].memberId : memberId, 'a');
});

test('topics are described in every version, and not created from v4 on', async () => {
  const { highestStableVersion } = apis.Metadata;
  for (const topics of [['orders'], 'all'] as const) {
    const call: Call = (broker) =>
      broker.call(apis.Metadata, highestStableVersion, metadataBody(topics, { mayCreate: false }));
    for (const [version, read] of await readByBrokers(call, {})) {
      assert.equal(read.allowAutoTopicCreation, version < 4);
      const names = (read.topics as { name: string }[] | null)?.map(({ name }) => name) ?? null;
      assert.deepEqual(names, topics === 'all' ? (version === 0 ? [] : null) : ['orders']);
    }
  }
});
