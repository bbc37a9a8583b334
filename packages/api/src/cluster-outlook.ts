/** What a load costs the parts of a cluster: arithmetic over costs that were measured (docs/operate/scaling.md). */

/** Work of a leader. Every kind costs CPU of its thread. */
export interface LeaderWork {
  readonly files: number;
  readonly batches: number;
  /** Group commits: one append of all entries that are waiting. */
  readonly appends: number;
  /** Messages with changes, and pointers in them, over all followers. */
  readonly pushes: number;
  readonly pushedPointers: number;
  readonly heartbeats: number;
  /** Descriptions of agents in answers to heartbeats and in changes. */
  readonly listedAgents: number;
  readonly seconds: number;
}

/** Work of the database for one cluster. */
export interface DatabaseWork {
  readonly appends: number;
  readonly journalMb: number;
  readonly seconds: number;
}

/** A cluster on paper. */
export interface Deployment {
  readonly mbPerSecond: number;
  readonly agents: number;
  /** All of them are written, each at one agent. */
  readonly partitions: number;
  /** Every partition is written at all agents instead. */
  readonly isSpread?: boolean;
  /** An agent writes a file when its records are this old, or at this size. */
  readonly fileMs: number;
  readonly fileMb: number;
  readonly batchKb: number;
}

/** CPU seconds for one of each kind of work, and what else was measured once. */
export interface UnitCosts {
  readonly leader: LeaderWork;
  readonly database: DatabaseWork;
  /** CPU seconds of an agent for a GB that clients produce, files and commits included. */
  readonly agentPerGb: number;
  /** CPU seconds of an agent for a pointer that another agent committed. */
  readonly agentPerPointer: number;
  /** Of an append, median. */
  readonly appendMs: number;
  readonly journalBytesPerFile: number;
  readonly journalBytesPerBatch: number;
  readonly pushedBytesPerPointer: number;
  /** Descriptions sent per second and pair of agents: each gets the list of all. */
  readonly listedPerPair: number;
}

/** Rates per second of a cluster, and which share of each resource they take. */
export interface Outlook {
  readonly filesPerSecond: number;
  readonly batchesPerSecond: number;
  readonly pointersPerSecond: number;
  readonly appendsPerSecond: number;
  readonly journalMbPerSecond: number;
  /** What the leader sends to all agents together. */
  readonly pushedMbPerSecond: number;
  /** Memory of the leader for the pointers of one day, as they were committed. */
  readonly pointerGbPerDay: number;
  /** Shares of one core, or of a limit; 1 is full. */
  readonly shares: Readonly<Record<Resource, number>>;
  readonly first: Resource;
}

export type Resource = 'leader thread' | 'database core' | 'journal bytes' | 'change stream' | 'agent core';

/** Largest append; the next one waits for it. */
const appendMb = 4 * 1.048_576;
/** Of a network of 10 Gbit/s, which a control plane hardly has for itself. */
const networkMbPerSecond = 1250;
const heartbeatsPerSecond = 0.5;
/** In files of some ten pointers (docs/adr/0012-the-cluster-machine.md). */
export const pointerBytes = 37;
const daySeconds = 86_400;

export function outlookOf(deployment: Deployment, costs: UnitCosts): Outlook {
  const { mbPerSecond, agents, partitions, isSpread = false, fileMs, fileMb, batchKb } = deployment;
  const partitionsPerAgent = isSpread ? partitions : partitions / agents;
  const filesPerSecond = agents * Math.max(1000 / fileMs, mbPerSecond / agents / fileMb);
  const batchesPerSecond = (mbPerSecond * 1000) / batchKb;
  const pointersPerFile = distinct(partitionsPerAgent, batchesPerSecond / filesPerSecond);
  const pointersPerSecond = filesPerSecond * pointersPerFile;
  // Alone, a file has an append of its own; those that arrive during an append share the next one.
  const appendsPerSecond = filesPerSecond / (1 + (filesPerSecond * costs.appendMs) / 1000);
  const journalMbPerSecond =
    (filesPerSecond * costs.journalBytesPerFile + batchesPerSecond * costs.journalBytesPerBatch) / 1e6;
  const pushedMbPerSecond = (pointersPerSecond * agents * costs.pushedBytesPerPointer) / 1e6;
  const shares: Record<Resource, number> = {
    'leader thread': cpuOf(costs.leader, {
      files: filesPerSecond,
      batches: batchesPerSecond,
      appends: appendsPerSecond,
      pushes: appendsPerSecond * agents,
      pushedPointers: pointersPerSecond * agents,
      heartbeats: agents * heartbeatsPerSecond,
      listedAgents: agents * agents * costs.listedPerPair,
      seconds: 1,
    }),
    'database core': cpuOf(costs.database, {
      appends: appendsPerSecond,
      journalMb: journalMbPerSecond,
      seconds: 1,
    }),
    'journal bytes': (journalMbPerSecond * costs.appendMs) / 1000 / appendMb,
    'change stream': pushedMbPerSecond / networkMbPerSecond,
    'agent core':
      (mbPerSecond / agents / 1000) * costs.agentPerGb + pointersPerSecond * costs.agentPerPointer,
  };
  const resources = Object.keys(shares) as Resource[];
  const first = resources.reduce((a, b) => (shares[b] > shares[a] ? b : a));
  return {
    filesPerSecond,
    batchesPerSecond,
    pointersPerSecond,
    appendsPerSecond,
    journalMbPerSecond,
    pushedMbPerSecond,
    pointerGbPerDay: (pointersPerSecond * daySeconds * pointerBytes) / 1e9,
    shares,
    first,
  };
}

/** CPU seconds of some work. */
function cpuOf<Work extends LeaderWork | DatabaseWork>(costs: Work, work: Work): number {
  let seconds = 0;
  for (const [kind, count] of Object.entries(work) as [keyof Work, number][])
    seconds += (costs[kind] as number) * count;
  return seconds;
}

/** How many of `count` things are hit when `draws` fall on them at random. */
function distinct(count: number, draws: number): number {
  return count <= 1 ? Math.min(count, draws) : count * (1 - (1 - 1 / count) ** draws);
}
