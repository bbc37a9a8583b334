import type { AgentLoad } from './synthetic-agents-process.ts';

/** A load of synthetic agents, and whether it is held back from the fit to check its predictions. */
export interface NamedLoad extends AgentLoad {
  readonly isCheck: boolean;
}

const load = (
  filesPerSecond: number,
  committers: number,
  pointersPerFile: number,
  batchesPerPointer: number,
  followers: number,
  agents: number,
  isCheck = false,
): NamedLoad => ({
  filesPerSecond,
  committers,
  pointersPerFile,
  batchesPerPointer,
  followers,
  agents,
  isCheck,
});

/** Together they vary files, batches, pointers, followers and agents independently of each other. */
export const modelLoads: readonly NamedLoad[] = [
  load(0, 0, 0, 1, 1, 0),
  load(100, 4, 1, 1, 1, 0),
  load(400, 8, 1, 1, 1, 0),
  load(100, 4, 50, 1, 1, 0),
  load(50, 4, 200, 1, 1, 0),
  load(50, 4, 50, 8, 1, 0),
  load(50, 1, 1, 1, 60, 0),
  load(50, 4, 50, 1, 20, 0),
  load(100, 4, 10, 1, 80, 0),
  load(20, 4, 400, 1, 40, 0),
  load(0, 0, 0, 1, 1, 30),
  load(0, 0, 0, 1, 1, 100),
  load(30, 4, 20, 4, 1, 60),
  load(60, 6, 60, 2, 15, 20, true),
  load(200, 10, 20, 1, 10, 0, true),
];

/** Compiles what a leader needs. */
export const leaderWarmUp: AgentLoad = load(300, 8, 10, 1, 3, 0);

/** What agents without clients pay for the pointers of others. */
export const fanOutLoad: AgentLoad = load(50, 4, 200, 1, 1, 0);

export function loadName(load: AgentLoad): string {
  const { filesPerSecond, committers, pointersPerFile, batchesPerPointer, followers, agents } = load;
  const files =
    filesPerSecond === 0
      ? 'no files'
      : `${filesPerSecond} files/s by ${committers}, ${pointersPerFile} pointers of ${batchesPerPointer} batches`;
  return `${files}; ${followers} followers, ${agents} agents`;
}
