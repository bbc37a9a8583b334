import { fileSequenceId } from '../file-sequence.ts';
import * as s from '../shapes/shape.ts';
import { jsonTask } from './json-task.ts';

/** The kind of job that commits the files that an agent acknowledged and left. */
export const sequenceReplayKind = 'sequence_replay';

const replayTask = s.struct({
  sequenceId: fileSequenceId,
  fromMs: s.whole,
  /** The agent may still acknowledge in it, by a lease of the bucket. */
  hasBucketLease: s.optional(s.flag),
});
export type ReplayTask = s.TypeOf<typeof replayTask>;

export const { write: writeReplayTask, read: readReplayTask } = jsonTask<ReplayTask>(replayTask);
