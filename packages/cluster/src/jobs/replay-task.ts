import { fileSequenceId } from '../file-sequence.ts';
import * as s from '../shapes/shape.ts';
import { jsonTask } from './json-task.ts';

/** The kind of job that commits the files that an agent acknowledged and left. */
export const sequenceReplayKind = 'sequence_replay';

const replayTask = s.struct({ sequenceId: fileSequenceId, fromMs: s.whole });
export type ReplayTask = s.TypeOf<typeof replayTask>;

export const { write: writeReplayTask, read: readReplayTask } = jsonTask<ReplayTask>(replayTask);
