import { rename } from 'node:fs/promises';
import { systemClock } from '@weir/core';
import type { Cluster, Victim } from './servers.ts';

export const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

/** Time from the end of a process until it is started again. */
const awayMs = 1_000;
const hangMs = 8_000;
const pollMs = 1_000;

async function away(victim: Victim, how: 'kill' | 'stop'): Promise<void> {
  await victim.process[how]();
  await pause(awayMs);
  victim.process = await victim.start();
}

const killed = (victim: Victim) => away(victim, 'kill');
const stopped = (victim: Victim) => away(victim, 'stop');

async function hangs({ process }: Victim): Promise<void> {
  process.pause();
  try {
    await pause(hangMs);
  } finally {
    process.resume();
  }
}

/** Reads and writes of the bucket fail at once, as those of a store that refuses connections do. */
async function isAway(bucket: string): Promise<void> {
  const elsewhere = `${bucket}-away`;
  await rename(bucket, elsewhere);
  try {
    await pause(hangMs);
  } finally {
    await rename(elsewhere, bucket);
  }
}

const node = ({ nodes }: Cluster, turn: number) => nodes[turn % nodes.length]!;

/** What can happen to a cluster. Each ends when all processes are ready again. */
export const faults = {
  'node-killed': {
    what: 'an agent or broker is killed',
    run: (cluster: Cluster, turn: number) => killed(node(cluster, turn)),
  },
  'leader-killed': {
    what: 'the leading control plane or controller is killed',
    run: async (cluster: Cluster) => killed(await cluster.leader()),
  },
  'node-stopped': {
    what: 'an agent or broker is restarted in order',
    run: (cluster: Cluster, turn: number) => stopped(node(cluster, turn)),
  },
  'node-hangs': {
    what: 'an agent or broker hangs for 8 s',
    run: (cluster: Cluster, turn: number) => hangs(node(cluster, turn)),
  },
  'leader-hangs': {
    what: 'the leading control plane or controller hangs for 8 s',
    run: async (cluster: Cluster) => hangs(await cluster.leader()),
  },
  'bucket-out': {
    what: 'one of three buckets is away for 8 s',
    run: ({ buckets = [] }: Cluster, turn: number) => isAway(buckets[turn % buckets.length]!),
  },
  'region-lost': {
    what: 'the leading one of three regions is killed',
    run: async (cluster: Cluster) => {
      const { region = [] } = cluster;
      await Promise.all(region.map(killed));
      // It leads again half a minute later, and later still if it is lost often.
      while ((await cluster.leader()) !== region[0]) await pause(pollMs);
    },
  },
} as const satisfies Readonly<
  Record<string, { readonly what: string; run(cluster: Cluster, turn: number): Promise<void> }>
>;

export type FaultName = keyof typeof faults;
