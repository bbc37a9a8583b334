import { systemClock } from '@weir/core';
import { apis } from '@weir/wire';
import type { KafkaConnection } from '../packages/client/src/connection.ts';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import { atLeast, type Benchmark } from './benchmark.ts';
import { patiently, succeeded } from './groups/answer.ts';
import { withGroupCluster } from './groups/cluster.ts';
import { closeAll, openConnections } from './groups/connections.ts';
import type { Effort } from './side-by-side.ts';

interface Scale {
  readonly agents: number;
  readonly consumers: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

const full: Scale = { agents: 2, consumers: 500, warmUpMs: 5_000, durationMs: 15_000 };
/** Smoke test. */
const tiny: Scale = { agents: 1, consumers: 3, warmUpMs: 0, durationMs: 100 };

const topic = 'commits';
const timeoutMs = 60_000;

/**
 * Rate of durable OffsetCommit requests: one partition each, and one request in flight per consumer. Each consumer has
 * its own group and connection; client and agents share the cores with the control plane.
 */
export const offsetCommits: Benchmark = {
  name: 'offset-commits',
  startsServers: true,
  async run(effort: Effort) {
    const { agents, consumers, warmUpMs, durationMs } = effort.turns > 1 ? full : tiny;
    return withGroupCluster(effort, agents, async ({ addresses, controlPlane }) => {
      await createTopic(addresses[0]!, topic, 10);
      const connections = await openConnections(addresses, consumers);
      try {
        await commitFor(connections, warmUpMs);
        const startMs = systemClock.monotonicMs();
        const before = controlPlane.results;
        const count = await commitFor(connections, durationMs);
        const seconds = (systemClock.monotonicMs() - startMs) / 1000;
        const cpuSeconds = (controlPlane.results?.cpuSeconds ?? 0) - (before?.cpuSeconds ?? 0);
        return [
          {
            what: `offset commits of ${consumers} consumers, over SQLite`,
            result: Math.round(count / seconds),
            unit: '/s',
            bar: atLeast(10_000),
            detail: `control plane at ${Math.round((100 * cpuSeconds) / seconds)} % of a core`,
          },
        ];
      } finally {
        closeAll(connections);
      }
    });
  },
};

async function commitFor(connections: readonly KafkaConnection[], durationMs: number): Promise<number> {
  const endMs = systemClock.monotonicMs() + durationMs;
  let count = 0;
  await Promise.all(
    connections.map(async (connection, consumer) => {
      for (let offset = 0; systemClock.monotonicMs() < endMs; offset++) {
        await patiently(() => commit(connection, consumer, offset));
        count++;
      }
    }),
  );
  return count;
}

async function commit(connection: KafkaConnection, consumer: number, offset: number): Promise<void> {
  const partitions = [
    { partitionIndex: consumer % 10, committedOffset: BigInt(offset), committedMetadata: '' },
  ];
  const { topics } = await connection.request(
    apis.OffsetCommit,
    { groupId: `consumer-${consumer}`, memberId: '', topics: [{ name: topic, partitions }] },
    { timeoutMs, highestUseful: lastVersionWithNames },
  );
  succeeded('OffsetCommit', topics[0]!.partitions[0]!);
}

/** The last version that identifies topics by name. */
const lastVersionWithNames = 9;
