import { systemClock } from '@weir/core';
import type { KafkaConnection } from '../packages/client/src/connection.ts';
import { createTopic } from '../tests/interop/brokers/topics.ts';
import { atMost, type Benchmark, type Row } from './benchmark.ts';
import { patiently } from './groups/answer.ts';
import { ClassicMember, rebalance } from './groups/classic-member.ts';
import { type GroupCluster, withGroupCluster } from './groups/cluster.ts';
import { closeAll, openConnections } from './groups/connections.ts';
import { ConsumerMember } from './groups/consumer-member.ts';
import { everyInterval } from './groups/pace.ts';
import type { Effort } from './side-by-side.ts';

interface Scale {
  readonly agents: number;
  readonly groups: number;
  readonly membersPerGroup: number;
  readonly durationMs: number;
}

const full: Scale = { agents: 3, groups: 1_000, membersPerGroup: 10, durationMs: 30_000 };
/** Smoke test. */
const tiny: Scale = { agents: 1, groups: 3, membersPerGroup: 2, durationMs: 100 };

/** Defaults of Apache's consumers: `heartbeat.interval.ms`, and the interval that brokers return to KIP-848 members. */
const classicIntervalMs = 3_000;
const consumerIntervalMs = 5_000;
/** KIP-848 members that join at the same time; the cost of joining is not measured here. */
const joiningMax = 500;
const topic = 'heartbeats';

/**
 * Cost of group heartbeats for a control plane with very many members. Each member has its own connection to one of
 * several agent processes, which forward heartbeats to the control plane.
 */
export const groupHeartbeats: Benchmark = {
  name: 'group-heartbeats',
  startsServers: true,
  async run(effort: Effort) {
    const scale = effort.turns > 1 ? full : tiny;
    return withGroupCluster(effort, scale.agents, async (cluster) => {
      const connections = await openConnections(cluster.addresses, scale.groups * scale.membersPerGroup);
      try {
        return [await classic(cluster, connections, scale), await consumer(cluster, connections, scale)];
      } finally {
        closeAll(connections);
      }
    });
  },
};

async function classic(
  cluster: GroupCluster,
  connections: readonly KafkaConnection[],
  scale: Scale,
): Promise<Row> {
  const members = connections.map(
    (connection, index) => new ClassicMember(connection, groupOf(index, scale)),
  );
  // All groups join at once, so that no session of an early group expires while it waits for the others.
  const groups = Array.from({ length: scale.groups }, (_, index) =>
    members.slice(index * scale.membersPerGroup, (index + 1) * scale.membersPerGroup),
  );
  await Promise.all(groups.map((group) => patiently(() => rebalance(group))));
  const row = await measured(cluster, 'classic', members, classicIntervalMs, scale);
  await Promise.all(members.map((member) => patiently(() => member.leave())));
  return row;
}

async function consumer(
  cluster: GroupCluster,
  connections: readonly KafkaConnection[],
  scale: Scale,
): Promise<Row> {
  await createTopic(cluster.addresses[0]!, topic, scale.membersPerGroup);
  const members = connections.map(
    (connection, index) => new ConsumerMember(connection, `new-${groupOf(index, scale)}`, topic),
  );
  // All of them, until each has work: the first ones give up partitions when the next assignment is due.
  do {
    for (let first = 0; first < members.length; first += joiningMax) {
      const some = members.slice(first, first + joiningMax);
      await Promise.all(some.map((member) => patiently(() => member.heartbeat())));
    }
  } while (!members.every((member) => member.isAtWork));
  return measured(cluster, 'KIP-848', members, consumerIntervalMs, scale);
}

function groupOf(member: number, { membersPerGroup }: Scale): string {
  return `group-${Math.floor(member / membersPerGroup)}`;
}

async function measured(
  { controlPlane }: GroupCluster,
  protocol: string,
  members: readonly { heartbeat(): Promise<void> }[],
  intervalMs: number,
  { groups, membersPerGroup, durationMs }: Scale,
): Promise<Row> {
  const beat = (member: { heartbeat(): Promise<void> }) => patiently(() => member.heartbeat());
  // The first round warms up the JIT.
  await everyInterval(members, intervalMs, Math.min(intervalMs, durationMs), beat);
  const startMs = systemClock.monotonicMs();
  const before = controlPlane.results;
  const count = await everyInterval(members, intervalMs, durationMs, beat);
  const seconds = (systemClock.monotonicMs() - startMs) / 1000;
  const after = controlPlane.results;
  const what = `heartbeats of ${groups} ${protocol} groups of ${membersPerGroup}`;
  const rate = Math.round(count / seconds);
  if (before === undefined || after === undefined) {
    return { what, result: rate, unit: '/s', detail: 'what they cost is not known without /proc' };
  }
  const share = (after.cpuSeconds - before.cpuSeconds) / seconds;
  return {
    what: `${what}: CPU of the control plane`,
    result: Math.round(1000 * share) / 10,
    unit: '% of a core',
    bar: atMost(50),
    detail: `${rate} heartbeats/s, every ${intervalMs / 1000} s each`,
  };
}
