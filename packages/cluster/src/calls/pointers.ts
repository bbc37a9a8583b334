/**
 * Ranges of files that hold contiguous batches of one partition, in offset order, as columns. Batches in files of level
 * 0 have no base offset of their own: the first batch of a range gets the range's base offset, and each further one
 * follows from the headers before it. Batches in compacted files have their base offset in the header, and there may be
 * gaps before them; the last batch of a range ends where the range does.
 *
 * Some rows are not file ranges but transaction markers: they take one offset, are in no file, and are generated from
 * `markers` when fetched. Their file id is empty, and their length is that of the generated batch.
 */
export interface Pointers {
  /** By their references (`fileReference`): in a clone, files may belong to another cluster of the bucket. */
  readonly fileId: readonly string[];
  readonly byteStart: Float64Array;
  readonly byteLength: Float64Array;
  readonly baseOffset: Float64Array;
  /** The offset after the range. */
  readonly nextOffset: Float64Array;
  /** Absent if no row is a transaction marker. */
  readonly markers?: Markers | undefined;
}

/** The rows of `Pointers` that are transaction markers, as columns with one row per marker. */
export interface Markers {
  /** Row numbers in the pointers, ascending. */
  readonly row: Uint32Array;
  /** 1 for a commit, 0 for an abort. */
  readonly isCommit: Uint8Array;
  readonly producerId: Float64Array;
  readonly producerEpoch: Int16Array;
  readonly timestampMs: Float64Array;
}

/** Aborted transactions of one partition, ordered by first offset, as columns. */
export interface AbortedTransactions {
  readonly producerId: Float64Array;
  readonly firstOffset: Float64Array;
  /** The offset of the abort marker. */
  readonly lastOffset: Float64Array;
}

/** Length of the control batch generated for a marker. */
export const markerBytes = 78;

/** Constant: there is one coordinator, and coordination never moves to another. */
export const markerCoordinatorEpoch = 0;
