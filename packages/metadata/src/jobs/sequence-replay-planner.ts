import { sequenceReplayKind, writeReplayTask } from '@weir/cluster';
import type { FileSequences } from './file-sequences.ts';
import type { JobPlanner } from './job-planner.ts';

/** Plans that files are committed that an agent acknowledged and left; see `FileSequences`. */
export function sequenceReplayPlanner(sequences: Pick<FileSequences, 'endSilent'>): JobPlanner {
  return {
    kind: sequenceReplayKind,
    openMax: 8,
    retry: { firstMs: 5_000, maxMs: 60_000 },
    async plan({ isOpen }) {
      const tasks = await sequences.endSilent();
      return tasks
        .filter(({ sequenceId }) => !isOpen(sequenceId))
        .map((task) => ({ scope: task.sequenceId, task: writeReplayTask(task) }));
    },
  };
}
