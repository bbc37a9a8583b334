import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { type SteadyWriter, startKafkajsWriter } from '../brokers/steady-writers.ts';
import { recordsOf, storedTopic } from '../brokers/stored.ts';
import { createTopic } from '../brokers/topics.ts';
import { type Cluster, lastFirst, startCluster } from '../brokers/weir-process.ts';
import { type PostgresServer, postgresFor } from './server.ts';

/**
 * Two control-plane processes over a real PostgreSQL, an agent, and a producer that writes continuously. Whatever
 * fails: every acknowledged record exists exactly once, at the acknowledged offset.
 */
const partitionCount = 4;
const topic = 'steady';
const manyRecords = 500;

interface Scene {
  readonly name: string;
  happen(cluster: Cluster, database: PostgresServer, writer: SteadyWriter): Promise<void>;
}

const scenes: readonly Scene[] = [
  {
    name: 'the leading control plane is killed, and later the one that took over',
    async happen(cluster, _database, writer) {
      for (let round = 0; round < 2; round++) {
        const leader = await leaderOf(cluster);
        await cluster.controlPlanes[leader]!.kill();
        await writer.untilMore(manyRecords);
        await cluster.restartControlPlane(leader);
      }
    },
  },
  {
    name: 'the database crashes and comes back, twice',
    async happen(_cluster, database, writer) {
      await database.crash();
      await writer.untilMore(manyRecords);
      await database.crash();
    },
  },
];

for (const { name, happen } of scenes) {
  test(`PostgreSQL: ${name}, while kafkajs writes`, { timeout: 240_000 }, async (t: TestContext) => {
    const lifetime = lastFirst(t);
    const database = await postgresFor(lifetime);
    if ('missing' in database) return t.skip(database.missing);
    const cluster = await startCluster(lifetime, {
      agents: [{ zone: 'zone-a', controlPlane: 'all' }],
      controlPlanes: 2,
      databaseUrl: database.url,
    });
    const servers = cluster.agents.map((agent) => agent.address('Kafka'));
    await createTopic(servers[0]!, topic, partitionCount);
    const writer = await startKafkajsWriter(lifetime, servers, topic, partitionCount);
    await writer.untilMore(manyRecords);
    await happen(cluster, database, writer);
    await writer.untilMore(manyRecords);
    const { acknowledged, failed } = await writer.finish();
    assert.deepEqual(failed, []);

    const stored = await storedTopic(servers[0]!, topic, acknowledged.length);
    const found = stored.map((batches) => recordsOf(batches));
    for (const { value, partition, offset } of acknowledged) {
      assert.equal(String(found[partition]![offset]?.value), value, `partition ${partition} at ${offset}`);
    }
    const values = found.flatMap((records) => records.map(({ value }) => String(value)));
    assert.equal(new Set(values).size, values.length, 'nothing is there twice');
    assert.equal(values.length, acknowledged.length, 'nothing is there that was not acknowledged');
  });
}

/** Returns the index of the leader, from the processes' metrics. */
async function leaderOf(cluster: Cluster): Promise<number> {
  for (;;) {
    for (const [index, process] of cluster.controlPlanes.entries()) {
      const response = await fetch(`${process.address('control plane')}/metrics`);
      if (/^service_cluster_leader\{[^}]*\} 1$/m.test(await response.text())) return index;
    }
    await pause(100);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => systemClock.after(ms, resolve));
}
