import type { Random } from '@weir/core';
import type { PostgresServer } from '../interop/postgres/server.ts';
import { wellBucket } from './cluster/bucket-server.ts';
import type { FaultCluster, Kind } from './cluster/cluster.ts';
import { type FaultyProxy, wellNetwork } from './cluster/faulty-proxy.ts';
import type { SmallDisk } from './cluster/small-disk.ts';

/** What a fault can affect. */
export interface Stage {
  readonly cluster: FaultCluster;
  readonly random: Random;
  readonly database: PostgresServer | undefined;
  readonly disk: SmallDisk | undefined;
}

/** Injects one fault, which may last a while; called repeatedly. */
export type Fault = (stage: Stage) => void | Promise<void>;

const between = (random: Random, least: number, most: number) => least + random.below(most - least + 1);

const onAgent =
  (harm: (stage: Stage, slot: number) => void): Fault =>
  (stage) =>
    harm(stage, stage.random.below(stage.cluster.options.agentCount));

/** One agent stays up, so that clients continue where starts are slow. */
const killsAgents = onAgent(({ cluster, random }, slot) => {
  const { agentCount } = cluster.options;
  const living = Array.from({ length: agentCount }, (_, n) => n).filter((n) => cluster.isUp('agent', n));
  if (living.length > 1) cluster.kill('agent', slot, between(random, 0, 1_500));
});

const pausesAgents = onAgent(({ cluster, random }, slot) =>
  cluster.suspend('agent', slot, between(random, 200, 5_000)),
);

/**
 * The pause may exceed the lease, so that a standby takes over while the paused process still believes that it leads.
 */
const pausesLeader: Fault = async ({ cluster, random }) => {
  const slot = await cluster.leader();
  if (slot !== undefined) cluster.suspend('control plane', slot, between(random, 500, 8_000));
};

/** If there are standbys, one stays up, so that clients wait for a takeover and not for a process start. */
const killsLeader: Fault = async ({ cluster, random }) => {
  const slot = await cluster.leader();
  if (slot === undefined) return;
  const { controlPlaneCount } = cluster.options;
  const others = Array.from({ length: controlPlaneCount }, (_, n) => n).filter((n) => n !== slot);
  if (others.length > 0 && !others.some((n) => cluster.isUp('control plane', n))) return;
  cluster.kill('control plane', slot, between(random, 0, 1_500));
  await cluster.pause(2_000);
};

/** One process every two to five seconds, so that clients recover in between. */
const killsAgentsAndLeaders: Fault = async (stage) => {
  await (stage.random.next() < 0.6 ? killsAgents(stage) : killsLeader(stage));
  await stage.cluster.pause(between(stage.random, 1_500, 4_000));
};

/**
 * Often an agent while no process leads, so that it has acknowledged records of lightning topics that are not
 * committed. Among the agents that are killed are some that commit what others left.
 */
const killsAgentsBesideLeaders: Fault = async (stage) => {
  const { cluster, random } = stage;
  if (random.next() < 0.4) return killsAgentsAndLeaders(stage);
  const killsOne = async () => {
    await cluster.pause(between(random, 100, 1_400));
    await killsAgents(stage);
  };
  await Promise.all([killsLeader(stage), killsOne()]);
  await cluster.pause(between(random, 1_000, 3_000));
};

/** Agents, leaders, and the processes in which agents have pipelines. */
const harmsPipelines: Fault = async (stage) => {
  const { cluster, random } = stage;
  cluster.killPipelineProcesses(random.below(cluster.options.agentCount));
  await cluster.pause(between(random, 0, 1_500));
  await (random.next() < 0.5 ? killsAgents(stage) : killsLeader(stage));
  await cluster.pause(between(random, 500, 3_000));
};

const harmsStandby: Fault = async ({ cluster, random }) => {
  const leader = await cluster.leader();
  const { controlPlaneCount } = cluster.options;
  if (leader === undefined || controlPlaneCount < 2) return;
  const slot = (leader + 1) % controlPlaneCount;
  if (random.next() < 0.5) cluster.kill('control plane', slot, between(random, 0, 1_500));
  else cluster.suspend('control plane', slot, between(random, 500, 5_000));
};

const harmsAnyControlPlane: Fault = ({ cluster, random }) => {
  const slot = random.below(cluster.options.controlPlaneCount);
  if (random.next() < 0.5) cluster.kill('control plane', slot, between(random, 0, 2_000));
  else cluster.suspend('control plane', slot, between(random, 200, 5_000));
};

/** All control planes, for longer than calls wait for a leader, so that agents are on their own. */
const losesControlPlanes: Fault = async ({ cluster, random }) => {
  const { controlPlaneCount } = cluster.options;
  const ms = between(random, 8_000, 14_000);
  const isKill = random.next() < 0.3;
  for (let slot = 0; slot < controlPlaneCount; slot++) {
    if (isKill) cluster.kill('control plane', slot, ms);
    else cluster.suspend('control plane', slot, ms);
  }
  await cluster.pause(ms + between(random, 2_000, 5_000));
};

const crashesDatabase: Fault = async ({ cluster, random, database }) => {
  cluster.note('the database crashes');
  await database!.crash();
  cluster.note('the database is back');
  await cluster.pause(between(random, 1_000, 3_000));
};

const pausesDatabase: Fault = async ({ cluster, random, database }) => {
  const ms = between(random, 300, 6_000);
  cluster.note(`the database is paused for ${ms} ms`);
  database!.pause();
  try {
    await cluster.pause(ms);
  } finally {
    database!.resume();
  }
  await cluster.pause(between(random, 500, 2_000));
};

/** Errors, lost responses and delays. */
const failsBucket: Fault = async ({ cluster, random }) => {
  cluster.note('the bucket fails and is slow now and then');
  cluster.bucket.faults = {
    ...wellBucket,
    refuses: random.next() * 0.6,
    losesAnswer: random.next() * 0.3,
    slow: random.next() * 0.5,
    slowMs: random.below(3_000),
  };
  await cluster.pause(between(random, 500, 3_000));
  cluster.bucket.faults = wellBucket;
};

/** One bucket of several is out for a while: it refuses everything, or never answers. The others go on. */
const losesOneBucket: Fault = async ({ cluster, random }) => {
  const { buckets } = cluster;
  const index = random.below(buckets.length);
  const isSilent = random.next() < 0.3;
  cluster.note(`bucket ${index} is out${isSilent ? ' and silent' : ''}`);
  buckets[index]!.faults = { ...wellBucket, ...(isSilent ? { hangs: 1 } : { refuses: 1 }) };
  await cluster.pause(between(random, 500, 5_000));
  buckets[index]!.faults = wellBucket;
  cluster.note(`bucket ${index} is back`);
};

/** The store accepts everything and answers nothing, and never answers that later. */
const hangsBucket: Fault = async ({ cluster, random }) => {
  cluster.note('the bucket hangs');
  cluster.bucket.faults = { ...wellBucket, hangs: 1 };
  await cluster.pause(between(random, 500, 8_000));
  cluster.bucket.faults = wellBucket;
  cluster.note('the bucket answers again');
  await cluster.pause(between(random, 2_000, 5_000));
};

/** Responses that never arrive, aborted uploads and truncated downloads. */
const tearsBucket: Fault = async ({ cluster, random }) => {
  cluster.note('the bucket hangs and tears');
  cluster.bucket.faults = { ...wellBucket, hangs: random.next() * 0.3, tears: random.next() * 0.6 };
  await cluster.pause(between(random, 500, 3_000));
  cluster.bucket.faults = wellBucket;
};

/** Delays, broken connections, and silence in one direction or both. */
async function harmNetwork({ cluster, random }: Stage, where: string, proxy: FaultyProxy): Promise<void> {
  const ms = between(random, 300, 5_000);
  const roll = random.next();
  if (roll < 0.25) {
    cluster.note(`${where}: connections break`);
    proxy.cut();
    return;
  }
  proxy.faults =
    roll < 0.45
      ? { ...wellNetwork, delayMs: between(random, 20, 700) }
      : {
          delayMs: 0,
          holdsRequests: roll < 0.65 || roll >= 0.85,
          holdsAnswers: roll >= 0.65,
        };
  const { delayMs, holdsRequests, holdsAnswers } = proxy.faults;
  cluster.note(
    `${where}: delay ${delayMs} ms, requests held ${holdsRequests}, answers held ${holdsAnswers}, for ${ms} ms`,
  );
  cluster.clock.after(ms, () => {
    // A firewall that has dropped its connection state breaks the connection; a restored link does not.
    if (random.next() < 0.5) proxy.cut();
    proxy.faults = wellNetwork;
  });
}

const harmsClientNetwork: Fault = (stage) => {
  const proxies = stage.cluster.networkToAgents;
  const slot = stage.random.below(proxies.length);
  return harmNetwork(stage, `clients to agent ${slot}`, proxies[slot]!);
};

const harmsInnerNetwork: Fault = (stage) => {
  const proxies = stage.cluster.networkToControlPlanes;
  const slot = stage.random.below(proxies.length);
  return harmNetwork(stage, `agent ${slot} to control planes`, proxies[slot]!);
};

const fillsDisk: Fault = async ({ cluster, random, disk }) => {
  const ms = between(random, 500, 3_000);
  cluster.note(`the disk is full for ${ms} ms`);
  disk!.fill();
  await cluster.pause(ms);
  disk!.empty();
  await cluster.pause(between(random, 500, 1_500));
};

const jumpsMs = [-7_200_000, -60_000, -5_000, 5_000, 60_000, 7_200_000] as const;

const setsClocks: Fault = ({ cluster, random }) => {
  const kind: Kind = random.next() < 0.5 ? 'agent' : 'control plane';
  const { agentCount, controlPlaneCount } = cluster.options;
  const slot = random.below(kind === 'agent' ? agentCount : controlPlaneCount);
  const jumpMs = jumpsMs[random.below(jumpsMs.length)]!;
  if (cluster.isUp(kind, slot)) cluster.shiftClock(kind, slot, jumpMs);
  // A new leader has a different clock.
  if (random.next() < 0.2) return killsLeader({ cluster, random, database: undefined, disk: undefined });
};

/** Background jobs become due, and some of the processes that run or plan them are killed. */
const agesFiles: Fault = async (stage) => {
  const { cluster, random } = stage;
  // Files are merged after ten minutes, and deleted a minute after they were merged.
  cluster.passTime(11 * 60_000);
  await cluster.pause(between(random, 0, 4_000));
  const roll = random.next();
  if (roll < 0.5) await killsAgents(stage);
  else if (roll < 0.7) await killsLeader(stage);
  else if (roll < 0.85) await failsBucket(stage);
};

const doesAnything: Fault = (stage) => {
  const all = [
    killsAgents,
    pausesAgents,
    harmsAnyControlPlane,
    harmsAnyControlPlane,
    failsBucket,
    tearsBucket,
    harmsClientNetwork,
    harmsInnerNetwork,
    setsClocks,
  ];
  return all[stage.random.below(all.length)]!(stage);
};

export const faults = {
  losesOneBucket,
  killsAgents,
  pausesAgents,
  killsLeader,
  killsAgentsAndLeaders,
  killsAgentsBesideLeaders,
  harmsPipelines,
  pausesLeader,
  losesControlPlanes,
  harmsStandby,
  crashesDatabase,
  pausesDatabase,
  failsBucket,
  hangsBucket,
  tearsBucket,
  harmsClientNetwork,
  harmsInnerNetwork,
  fillsDisk,
  setsClocks,
  agesFiles,
  doesAnything,
} as const satisfies Readonly<Record<string, Fault>>;
