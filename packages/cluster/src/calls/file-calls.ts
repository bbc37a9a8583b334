import { list, object, text, tuple, whole } from '../shapes/shape.ts';
import { command, type PortOf, query } from './call.ts';

interface UncommittedFile {
  readonly fileId: string;
  readonly byteCount: number;
}

export interface FileTotals {
  /** Files and bytes that pointers refer to, by level. */
  readonly levels: readonly { readonly files: number; readonly bytes: number }[];
  readonly deadFiles: number;
  readonly deadBytes: number;
  /** Since when the oldest dead file is dead; `null` without dead files. */
  readonly oldestDeadMs: number | null;
}

/** Calls about files that nothing refers to. A list has at most `machineLimits.fileIdsPerCallMax` files. */
export const fileCalls = {
  /** Returns those of the files that the cluster does not know: neither referenced nor dead. */
  unknownFiles: query<[fileIds: readonly string[]], string[]>(tuple(list(text))),
  /**
   * Declares files dead that the cluster does not know, and returns them. Such a file can no longer be committed, and
   * is deleted as all dead files are.
   */
  declareFilesDead: command<[files: readonly UncommittedFile[]], string[]>(
    tuple(list(object<UncommittedFile>({ fileId: text, byteCount: whole }))),
  ),
  /** Forgets dead files that were deleted from the bucket. Returns how many were dead. */
  forgetDeadFiles: command<[fileIds: readonly string[]], number>(tuple(list(text))),
  /** Returns totals of files. */
  fileTotals: query<[], FileTotals>(tuple(), { membersOnly: true }),
};

export type FilesPort = PortOf<typeof fileCalls>;
