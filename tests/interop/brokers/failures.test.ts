import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { type SteadyWriter, startJavaWriter, startKafkajsWriter } from './steady-writers.ts';
import { recordsOf, storedTopic } from './stored.ts';
import { createTopic } from './topics.ts';
import { type Cluster, lastFirst, startCluster } from './weir-process.ts';

/**
 * Processes that are killed while an idempotent producer writes. The invariant: every acknowledged record exists
 * exactly once, at the acknowledged offset.
 */
const writers = {
  "Apache's producer": { start: startJavaWriter, skip: missingTool() },
  kafkajs: { start: startKafkajsWriter, skip: false },
} as const;

const partitionCount = 6;
const topic = 'steady';
/** Enough for the writer to be in steady operation. */
const manyRecords = 1000;

interface Scene {
  readonly name: string;
  readonly controlPlanes: number;
  /** The failure, between the first and the last records. */
  happen(cluster: Cluster, writer: SteadyWriter): Promise<void>;
}

const scenes: readonly Scene[] = [
  {
    name: 'an agent is killed',
    controlPlanes: 1,
    async happen(cluster) {
      await cluster.agents[1]!.kill();
    },
  },
  {
    name: 'one agent after the other is killed and replaced',
    controlPlanes: 1,
    async happen(cluster, writer) {
      for (const agent of [...cluster.agents]) {
        await cluster.addAgent({ zone: 'zone-a' });
        await writer.untilMore(manyRecords);
        await agent.kill();
        await writer.untilMore(manyRecords);
      }
    },
  },
  {
    name: 'an agent is stopped',
    controlPlanes: 1,
    async happen(cluster) {
      await cluster.agents[0]!.stop();
    },
  },
  {
    name: 'the control plane is killed and started again',
    controlPlanes: 1,
    async happen(cluster) {
      await cluster.controlPlanes[0]!.kill();
      await cluster.restartControlPlane(0);
    },
  },
  {
    name: 'the leading control plane is killed and another takes over',
    controlPlanes: 2,
    async happen(cluster) {
      await cluster.controlPlanes[0]!.kill();
    },
  },
];

for (const [writerName, { start, skip }] of Object.entries(writers)) {
  for (const { name, controlPlanes, happen } of scenes) {
    test(`${name} while ${writerName} writes`, { skip, timeout: 180_000 }, async (t: TestContext) => {
      const lifetime = lastFirst(t);
      const agents = [{ zone: 'zone-a' }, { zone: 'zone-a' }, { zone: 'zone-b' }];
      const cluster = await startCluster(lifetime, { agents, controlPlanes });
      const servers = cluster.agents.map((agent) => agent.address('Kafka'));
      await createTopic(servers[0]!, topic, partitionCount);
      const writer = await start(lifetime, servers, topic, partitionCount);
      await writer.untilMore(manyRecords);
      await happen(cluster, writer);
      await writer.untilMore(manyRecords);
      const { acknowledged, failed } = await writer.finish();
      assert.deepEqual(failed, [], 'the producer had all the time it could wish for');

      const stored = await storedTopic(cluster.agents.at(-1)!.address('Kafka'), topic, acknowledged.length);
      const found = stored.map((batches) => recordsOf(batches));
      for (const { value, partition, offset } of acknowledged) {
        assert.equal(String(found[partition]![offset]?.value), value, `partition ${partition} at ${offset}`);
      }
      for (const [partition, records] of found.entries()) {
        assert.deepEqual(
          records.map(({ offset }) => offset),
          records.map((_, index) => BigInt(index)),
          `the offsets of partition ${partition} are dense`,
        );
      }
      const values = found.flatMap((records) => records.map(({ value }) => String(value)));
      assert.equal(new Set(values).size, values.length, 'nothing is there twice');
      assert.equal(values.length, acknowledged.length, 'nothing is there that was not acknowledged');
    });
  }
}
