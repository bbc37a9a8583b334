import * as s from '../shapes/shape.ts';
import { command, query } from './call.ts';

/** A clone for which a cluster holds files. */
interface CloneHold {
  readonly cloneId: string;
  readonly heldMs: number;
  /** Whether the clone is being made, exists, or was not made. */
  readonly state: 'open' | 'confirmed' | 'abandoned';
  readonly files: number;
}

const options = { membersOnly: true, onRetry: 'reexecute' } as const;

/** Calls about clones of a cluster, and about a clone. */
export const cloneCalls = {
  /** Holds all files that are referenced now for a clone. The answer has a message if it may have no more clones. */
  holdFiles: command<[cloneId: string], { readonly message: string | null }>(s.tuple(s.text), options),
  /** Holds all files of a clone that exists, after the cluster was set back to a point before their hold. */
  holdListedFiles: command<
    [cloneId: string, fileIds: readonly string[]],
    { readonly message: string | null }
  >(s.tuple(s.text, s.list(s.text)), options),
  /** The clone exists. Returns whether its files are held since then. */
  confirmHold: command<[cloneId: string, heldMs: number], boolean>(s.tuple(s.text, s.whole), options),
  /** The clone is not made. Returns false if it was confirmed. */
  abandonHold: command<[cloneId: string], boolean>(s.tuple(s.text), options),
  /** The clone does not need these files any more. Returns how many were held. */
  releaseHeldFiles: command<[cloneId: string, fileIds: readonly string[]], number>(
    s.tuple(s.text, s.list(s.text)),
    options,
  ),
  /** Ends a hold that is not open. Returns whether there was one. */
  endHold: command<[cloneId: string], boolean>(s.tuple(s.text), options),
  listHolds: query<[], CloneHold[]>(s.tuple(), { membersOnly: true }),
  /** Of a clone: some files of other clusters that nothing has referred to for the grace period of deletions. */
  listUnneededFiles: query<[], string[]>(s.tuple(), { membersOnly: true }),
  /** The cluster that was cloned knows of them. Returns how many were unneeded. */
  forgetUnneededFiles: command<[fileIds: readonly string[]], number>(s.tuple(s.list(s.text)), options),
};
