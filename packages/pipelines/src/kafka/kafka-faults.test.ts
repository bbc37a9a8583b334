import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  committedOffsets,
  createTopic,
  describeGroup,
  findCoordinator,
  type KafkaCluster,
  leaveGroup,
  produceRecords,
} from '@weir/client';
import { seededRandom } from '@weir/core';
import { openCluster, recordsOf, until } from '../../testing/kafka-cluster.ts';
import { startWorker } from '../../testing/pipeline-worker.ts';

const partitionCount = 3;
const kills = 5;
const recordsPerRound = 400;

const yamlOf = (broker: string) => `
input:
  kafka_franz:
    seed_brokers: ["${broker}"]
    topics: [in]
    consumer_group: g
    commit_period: 5ms
    checkpoint_limit: 64
    batching: { count: 7, period: 2ms }
pipeline:
  processors:
    - mapping: |
        root = this
        root.partition = @kafka_partition
        root.offset = @kafka_offset
output:
  kafka_franz:
    seed_brokers: ["${broker}"]
    topic: out
    key: \${! @kafka_partition }
    batching: { count: 20, period: 2ms }
`;

/** The offsets of the input that the output has, by partition. */
async function written(cluster: KafkaCluster): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const offsets = new Map<number, Set<number>>();
  for (const { value } of await recordsOf(cluster, 'out', Number.MAX_SAFE_INTEGER)) {
    const { partition, offset } = JSON.parse(value!.toString());
    offsets.set(partition, (offsets.get(partition) ?? new Set()).add(offset));
  }
  return offsets;
}

/** Removes members that were killed, so that nothing waits for their session timeout. */
async function buryMembers(cluster: KafkaCluster): Promise<void> {
  const coordinator = await cluster.connectionTo(await findCoordinator(cluster, 'g'));
  for (const { memberId } of (await describeGroup(cluster, 'g')).members)
    await leaveGroup(coordinator.transport(10_000), { groupId: 'g', memberId });
}

test('a pipeline that is killed loses nothing, and no offset is committed before its messages are written', async (t) => {
  const random = seededRandom(37);
  const { cluster, broker } = await openCluster(t);
  await createTopic(cluster, { name: 'in', partitions: partitionCount, configs: [] });
  await createTopic(cluster, { name: 'out', partitions: 2, configs: [] });
  let sent = 0;
  const produce = async () => {
    const records = new Map<number, { key: null; value: Buffer }[]>();
    for (let index = 0; index < recordsPerRound; index++) {
      const partition = Math.floor(random.next() * partitionCount);
      const ofPartition = records.get(partition) ?? [];
      records.set(partition, [
        ...ofPartition,
        { key: null, value: Buffer.from(JSON.stringify({ id: sent++ })) },
      ]);
    }
    const { failures } = await produceRecords(cluster, 'in', records, { acks: 'all', codec: 'lz4' });
    assert.equal(failures.size, 0);
  };
  const start = () => startWorker(yamlOf(broker));
  const countOf = async () => [...(await written(cluster)).values()].reduce((sum, { size }) => sum + size, 0);

  for (let kill = 0; kill < kills; kill++) {
    await produce();
    const worker = start();
    const before = await countOf();
    const enough = before + 1 + Math.floor(random.next() * recordsPerRound);
    await until(async () => (await countOf()) >= Math.min(enough, sent));
    await worker.terminate();
    await buryMembers(cluster);
    // What is committed is read first: the output can only have more.
    const committed = (await committedOffsets(cluster, 'g')).get('in') ?? new Map<number, bigint>();
    const offsets = await written(cluster);
    for (const [partition, next] of committed)
      for (let offset = 0; offset < Number(next); offset++)
        assert.ok(offsets.get(partition)?.has(offset), `${partition}:${offset} before ${next}`);
  }
  const last = start();
  await until(async () => (await countOf()) === sent);
  await last.terminate();
});
