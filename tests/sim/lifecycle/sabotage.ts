import type { Command } from '@weir/machine';
import type { ObjectStore } from '@weir/storage';
import type { Merge } from '../../../packages/jobs/src/compaction/file-compaction.ts';
import type { CompactKeys } from '../../../packages/jobs/src/compaction/keys/key-compaction.ts';
import type { JobKind } from '../../../packages/jobs/src/job-kind.ts';
import type { ClusterMachine } from '../../../packages/machine/src/machine.ts';
import type { MachineLimits } from '../../../packages/machine/src/machine-limits.ts';
import type { LifeAgent } from './life-agent.ts';

/** A bug, put in at a seam of the parts, to prove that the checks find it. */
export interface Sabotage {
  readonly limits?: Partial<MachineLimits>;
  /** Replaces the time for which dead files are kept, by the calendar. */
  readonly graceMs?: number;
  /** Rewrites a command before a leader executes it. */
  readonly command?: (command: Command) => Command;
  /** Changes a machine that was made empty, or restored from a snapshot. */
  readonly machine?: (machine: ClusterMachine, isRestored: boolean) => void;
  /** Changes a kind of job of an agent. */
  readonly job?: (kind: JobKind, agent: LifeAgent) => JobKind;
  /** What a restore sees of the bucket. */
  readonly restoreStore?: (bucket: ObjectStore) => ObjectStore;
  readonly merge?: (merge: Merge) => Merge;
  readonly compact?: (compact: CompactKeys) => CompactKeys;
}
