/**
 * What the metadata of a cluster says of a file: pointers refer to it; nothing does any more, and it will be deleted;
 * it was deleted a short while ago; a clone needs it; it is a file of another cluster that is not needed any more; or
 * nothing, as of files that were not committed, and of those that are long gone.
 */
export type FileState = 'referenced' | 'dead' | 'deleted' | 'held' | 'unneeded' | 'unknown';

/** Some files, by the last byte of their id and then by the id, and the pointers into them as columns. */
export interface FilePointers {
  /** As pointers name them: with the other cluster if they belong to one. */
  readonly fileId: readonly string[];
  readonly fileBytes: Float64Array;
  /** The first pointer of each file, and the number of pointers in the end. */
  readonly firstRow: Uint32Array;
  /** The partitions that `log` refers to; those of deleted topics are among them. */
  readonly logs: readonly {
    readonly topicId: string;
    readonly topicName: string;
    readonly partition: number;
  }[];
  readonly log: Uint32Array;
  readonly byteStart: Uint32Array;
  readonly byteLength: Uint32Array;
  readonly baseOffset: Float64Array;
  readonly nextOffset: Float64Array;
}
