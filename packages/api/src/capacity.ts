import { MiB } from '@weir/core';
import { type Outlook, outlookOf, pointerBytes, type UnitCosts } from './cluster-outlook.ts';
import { type Prices, type StorageUse, storageCosts } from './storage-costs.ts';

/**
 * Which cluster a load needs, and what its bucket costs: the model of docs/operate/scaling.md with the costs of a unit
 * of work that were measured there.
 */

export type {
  DatabaseWork,
  Deployment,
  LeaderWork,
  Outlook,
  Resource,
  UnitCosts,
} from './cluster-outlook.ts';
export { outlookOf } from './cluster-outlook.ts';

/** What clients do. */
export interface Demand {
  /** As producers send it, after their compression. */
  readonly bytesPerSecond: number;
  /** Bytes of a batch of one partition. */
  readonly batchBytes: number;
  /** Partitions that are written. */
  readonly partitions: number;
  readonly retentionMs: number;
  /** Consumer groups that read everything once. */
  readonly groups: number;
  readonly zones: number;
  /** After how long agents write a file. */
  readonly fileMs: number;
}

/** The first of two runs of 2026-11-16 on two cores, whose costs are the higher ones. */
const measuredCosts: UnitCosts = {
  leader: {
    files: 52e-6,
    batches: 3.0e-6,
    appends: 777e-6,
    pushes: 8.8e-6,
    pushedPointers: 0.24e-6,
    heartbeats: 0,
    listedAgents: 5.8e-6,
    seconds: 4_900e-6,
  },
  database: { appends: 417e-6, journalMb: 94_000e-6, seconds: 3_400e-6 },
  agentPerGb: 6.1,
  agentPerPointer: 5.7e-6,
  appendMs: 1.5,
  journalBytesPerFile: 42,
  journalBytesPerBatch: 11,
  pushedBytesPerPointer: 90,
  listedPerPair: 1.1,
};

/** CPU seconds of an agent for a GB that clients fetch, by Apache's consumer (docs/reference/benchmarks.md). */
export const agentPerFetchedGb = 1.2;
/** Beyond these shares, latency grows: the diagnostics and the checklist warn from here on. */
export const agentShareMax = 0.6;
export const leaderShareMax = 0.7;
const databaseShareMax = 0.7;
const changeStreamShareMax = 0.7;
const agentsMax = 1_000;

/** When agents write files (`broker/src/write-path/close-time.ts`): at most this large, and how far apart. */
const fileMb = 16;
const filledMb = 1.05;
const gatherMsMax = 70;
const spacingMsPerMbps = 5;

/** Merges write and read in these steps. */
export const writeAmplification = 2;
export const uploadPartBytes = 8 * MiB;
export const readBytes = 4 * MiB;
/** What one pointer covers at most once files were merged. */
const mergedPointerBytes = 4 * MiB;

export interface Capacity {
  readonly agents: number;
  readonly outlook: Outlook;
  /** Shares of one core: of each agent, produce and fetch together. */
  readonly agentShare: number;
  /** Memory of the leader for pointers: before files are merged, for each hour; and once they are, for all of them. */
  readonly pointerBytesPerHour: number;
  readonly mergedPointerBytes: number;
  /** Of one hour. */
  readonly use: StorageUse;
  readonly costs: ReturnType<typeof storageCosts>;
  /** What one cluster cannot do; empty if it can. */
  readonly limits: readonly string[];
}

const hourMs = 3_600_000;

export function capacityFor(demand: Demand, prices: Prices): Capacity {
  // Each zone needs an agent, and one may fail.
  let agents = Math.max(2, demand.zones);
  while (agents < agentsMax && shareOf(demand, agents).agentShare > agentShareMax) agents++;
  const { outlook, agentShare } = shareOf(demand, agents);
  const use = hourOf(demand, outlook);
  const { shares } = outlook;
  const limits = [
    ...(agentShare > agentShareMax ? [`${agentsMax} agents are not enough`] : []),
    ...(shares['leader thread'] > leaderShareMax
      ? ['the thread of the leader is full: several clusters, or larger batches']
      : []),
    ...(shares['database core'] > databaseShareMax ? ['the database is full: several clusters'] : []),
    ...(shares['change stream'] > changeStreamShareMax
      ? ['the change stream is full: fewer and larger agents, or several clusters']
      : []),
  ];
  return {
    agents,
    outlook,
    agentShare,
    pointerBytesPerHour: outlook.pointersPerSecond * 3_600 * pointerBytes,
    mergedPointerBytes: Math.ceil(use.liveBytes / mergedPointerBytes) * pointerBytes,
    use,
    costs: storageCosts(use, prices),
    limits,
  };
}

function shareOf(demand: Demand, agents: number): { readonly outlook: Outlook; readonly agentShare: number } {
  const { bytesPerSecond, batchBytes, partitions, groups, fileMs } = demand;
  const mbPerSecond = bytesPerSecond / 1e6;
  const outlook = outlookOf(
    {
      mbPerSecond,
      agents,
      partitions,
      fileMb,
      fileMs: fileIntervalMs(mbPerSecond / agents, fileMs),
      batchKb: batchBytes / 1e3,
    },
    measuredCosts,
  );
  const fetchShare = ((mbPerSecond * groups) / agents / 1e3) * agentPerFetchedGb;
  return { outlook, agentShare: outlook.shares['agent core'] + fetchShare };
}

/** A file is written when its window is over, or earlier if it is large enough and not too close to the one before. */
function fileIntervalMs(mbPerSecond: number, windowMs: number): number {
  const spacingMs = Math.max(Math.min(gatherMsMax, windowMs / 3), spacingMsPerMbps * mbPerSecond);
  return Math.min(windowMs, Math.max((filledMb / mbPerSecond) * 1_000, spacingMs));
}

/** What an hour stores and requests: files, merges, and one read of everything in each zone that has a group. */
function hourOf({ bytesPerSecond, retentionMs, groups, zones }: Demand, outlook: Outlook): StorageUse {
  const seconds = hourMs / 1_000;
  const merged = bytesPerSecond * writeAmplification;
  const fetched = bytesPerSecond * Math.min(groups, zones);
  return {
    spanMs: hourMs,
    ingestedBytes: bytesPerSecond * seconds,
    requests: {
      put: (outlook.filesPerSecond + merged / uploadPartBytes) * seconds,
      get: ((merged + fetched) / readBytes) * seconds,
      list: 0,
      delete: 0,
    },
    liveBytes: bytesPerSecond * (retentionMs / 1_000),
    deadBytes: 0,
  };
}

/** The demand of the example on the page about costs. */
export const exampleDemand: Demand = {
  bytesPerSecond: 10 * MiB,
  batchBytes: 32_000,
  partitions: 300,
  retentionMs: 7 * 86_400_000,
  groups: 3,
  zones: 3,
  fileMs: 250,
};
