import { systemClock } from '@weir/core';
import type { Cluster, Victim } from './servers.ts';

export const pause = (ms: number) => new Promise<void>((resolve) => systemClock.after(ms, resolve));

/** Time from the end of a process until it is started again. */
const awayMs = 1_000;
const hangMs = 8_000;
const regionReturnsMs = 40_000;

async function killed(victim: Victim): Promise<void> {
  await victim.process.kill();
  await pause(awayMs);
  victim.process = await victim.start();
}

async function stopped(victim: Victim): Promise<void> {
  await victim.process.stop();
  await pause(awayMs);
  victim.process = await victim.start();
}

async function hangs({ process }: Victim): Promise<void> {
  process.pause();
  try {
    await pause(hangMs);
  } finally {
    process.resume();
  }
}

const node = ({ nodes }: Cluster, turn: number) => nodes[turn % nodes.length]!;

/** What can happen to a cluster. Each ends when all processes are up again. */
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
  'region-lost': {
    what: 'the leading one of two regions is killed',
    run: async ({ region = [] }: Cluster) => {
      await Promise.all(region.map(killed));
      // Half a minute later it leads again, so that the next time it is the leading one once more.
      await pause(regionReturnsMs);
    },
  },
} as const satisfies Readonly<
  Record<string, { readonly what: string; run(cluster: Cluster, turn: number): Promise<void> }>
>;

export type FaultName = keyof typeof faults;
