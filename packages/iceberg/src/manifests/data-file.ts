/** Data files and delete files as manifests describe them. */
import type { Value } from '../values/value.ts';

export const fileContents = ['data', 'position-deletes', 'equality-deletes'] as const;
export type FileContent = (typeof fileContents)[number];

/** What a manifest knows of a column in a file. Wrong counts or bounds lose rows; absent ones cost speed. */
export interface ColumnMetrics {
  /** Bytes on disk. */
  readonly bytes?: bigint | undefined;
  /** Values, including nulls and NaNs. */
  readonly valueCount?: bigint | undefined;
  readonly nullCount?: bigint | undefined;
  readonly nanCount?: bigint | undefined;
  /** Single values as bytes. */
  readonly lower?: Uint8Array | undefined;
  readonly upper?: Uint8Array | undefined;
}

export interface DataFile {
  readonly content: FileContent;
  /** A full URI. */
  readonly path: string;
  /** `PARQUET`, `AVRO` or `ORC`. */
  readonly format: string;
  readonly specId: number;
  /** One value for each field of the partition spec. */
  readonly partition: readonly (Value | null)[];
  readonly recordCount: bigint;
  readonly fileBytes: bigint;
  /** By ids of columns. */
  readonly columns: ReadonlyMap<number, ColumnMetrics>;
  /** Where row groups start. */
  readonly splitOffsets?: readonly bigint[] | undefined;
  readonly sortOrderId?: number | undefined;
  /** Of equality deletes: the columns that are compared. */
  readonly equalityIds?: readonly number[] | undefined;
  /** Of position deletes: the only data file that they are about. */
  readonly referencedDataFile?: string | undefined;
  readonly keyMetadata?: Uint8Array | undefined;
}

export const entryStatuses = ['existing', 'added', 'deleted'] as const;
type EntryStatus = (typeof entryStatuses)[number];

/** A file in a manifest. */
export interface ManifestEntry {
  readonly status: EntryStatus;
  /** The snapshot that added the file, or deleted it. */
  readonly snapshotId: bigint;
  /**
   * The sequence number that decides which deletes apply to the file. Absent for a file that is just being added: it is
   * that of the snapshot, which is only known when the commit succeeds.
   */
  readonly sequenceNumber?: bigint | undefined;
  /** The sequence number of the snapshot that added the file. Absent as above. */
  readonly fileSequenceNumber?: bigint | undefined;
  readonly file: DataFile;
}

/** An entry of a manifest that is part of a snapshot. */
export interface LiveEntry extends ManifestEntry {
  readonly sequenceNumber: bigint;
  readonly fileSequenceNumber: bigint;
}
