import { systemClock } from '@weir/core';
import { atMost, type Benchmark } from './benchmark.ts';
import { patiently, RequestRefused } from './groups/answer.ts';
import { ClassicMember, rebalance } from './groups/classic-member.ts';
import { withGroupCluster } from './groups/cluster.ts';
import { closeAll, openConnections } from './groups/connections.ts';
import { type Effort, median } from './side-by-side.ts';

interface Scale {
  readonly agents: number;
  readonly members: number;
  readonly rounds: number;
}

const full: Scale = { agents: 3, members: 500, rounds: 7 };
/** Smoke test. */
const tiny: Scale = { agents: 1, members: 5, rounds: 1 };

/**
 * Time that a classic group takes from the JoinGroup of its last member until all members have their assignment.
 * Members use several agents, on their own connections. When members learn of a rebalance depends on their heartbeats
 * and is not measured.
 */
export const groupRebalance: Benchmark = {
  name: 'group-rebalance',
  startsServers: true,
  async run(effort: Effort) {
    const { agents, members: memberCount, rounds } = effort.turns > 1 ? full : tiny;
    return withGroupCluster(effort, agents, async (cluster) => {
      const connections = await openConnections(cluster.addresses, memberCount);
      try {
        const members = connections.map((connection) => new ClassicMember(connection, 'group'));
        await patiently(() => rebalance(members));
        const tookMs: number[] = [];
        while (tookMs.length < rounds) tookMs.push(await again(members));
        const result = Math.round(median(tookMs)) / 1000;
        return [
          {
            what: `rebalance of ${memberCount} members, from the last join until all have their part`,
            result,
            unit: 's',
            bar: atMost(3),
            detail: `median of ${rounds}, the slowest ${Math.round(Math.max(...tookMs)) / 1000} s`,
          },
        ];
      } finally {
        closeAll(connections);
      }
    });
  },
};

/** The leader rejoins first; the other members learn of the rebalance and rejoin. */
async function again(members: readonly ClassicMember[]): Promise<number> {
  const leader = members.find(({ isLeader }) => isLeader)!;
  const others = members.filter((member) => member !== leader);
  const parts = [leader.join().then((memberIds) => leader.sync(memberIds))];
  await untilItBegins(others[0]!);
  for (const member of others) parts.push(member.join().then((memberIds) => member.sync(memberIds)));
  const lastJoinMs = systemClock.monotonicMs();
  await Promise.all(parts);
  return systemClock.monotonicMs() - lastJoinMs;
}

async function untilItBegins(member: ClassicMember): Promise<void> {
  for (;;) {
    try {
      await member.heartbeat();
    } catch (error) {
      if (error instanceof RequestRefused && error.isPassing) return;
      throw error;
    }
  }
}
