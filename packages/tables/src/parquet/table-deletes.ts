/** Rows that other programs deleted by files of their own: which of these files are about which data files. */
import { Failure } from '@weir/core';
import {
  type DataFile,
  DeleteIndex,
  isUnpartitioned,
  type LiveEntry,
  partitionKey,
  schemasNewestFirst,
  type TableMetadata,
} from '@weir/iceberg';
import type { Column } from './parquet-writer.ts';

/** Deletes that are not understood. Their rows must not be shown, so that nothing is read. */
export class UnreadableDeletes extends Failure {
  override readonly name = 'UnreadableDeletes';
}

/** What decides which deletes are about the rows of a data file. */
export interface DataOrigin {
  /** As deletes name it. */
  readonly uri: string;
  readonly sequenceNumber: bigint;
  readonly partition: string;
}

/** What a delete file says beside its rows. */
export interface DeleteRule {
  readonly sequenceNumber: bigint;
  /** Whose files it is about; absent if it is those of all partitions, or of names alone. */
  readonly partition: string | undefined;
  /** The columns that are compared. Absent if it has names of files and places in them. */
  readonly columns: readonly Column[] | undefined;
}

interface NeededDelete extends DeleteRule {
  readonly file: DataFile;
}

export class TableDeletes {
  readonly #metadata: TableMetadata;
  readonly #deletes: readonly LiveEntry[];
  readonly #index: DeleteIndex;

  constructor(deletes: readonly LiveEntry[], metadata: TableMetadata) {
    this.#metadata = metadata;
    this.#index = new DeleteIndex(deletes, metadata);
    this.#deletes = deletes;
  }

  /** Those that may be about rows of the data files. Throws `UnreadableDeletes`. */
  about(data: readonly LiveEntry[]): NeededDelete[] {
    return this.#index.about(data).map(({ file, sequenceNumber }) => {
      if (file.format.toUpperCase() !== 'PARQUET' || file.keyMetadata !== undefined)
        throw new UnreadableDeletes(
          `${file.path}: another program deleted rows by a file of ${file.keyMetadata === undefined ? file.format : 'encrypted data'}; only Parquet is read`,
        );
      if (file.content === 'position-deletes')
        return { file, sequenceNumber, partition: undefined, columns: undefined };
      const isOfAll = isUnpartitioned(this.#metadata, file.specId);
      const partition = isOfAll ? undefined : partitionKey(file);
      return { file, sequenceNumber, partition, columns: this.#comparedColumns(file) };
    });
  }

  /** Those that are about none of the data files, which are all of the table. */
  spent(data: readonly LiveEntry[]): LiveEntry[] {
    const needed = new Set(this.#index.about(data));
    return this.#deletes.filter((entry) => !needed.has(entry));
  }

  /** A column that was dropped since is compared all the same. */
  #comparedColumns({ path, equalityIds = [] }: DataFile): Column[] {
    if (equalityIds.length === 0)
      throw new UnreadableDeletes(`${path}: the file of deletes does not say which columns are compared`);
    const schemas = schemasNewestFirst(this.#metadata);
    return equalityIds.map((id) => {
      for (const { columns } of schemas) {
        const column = columns.find((one) => one.id === id);
        // Older files may lack it.
        if (column !== undefined) return { ...column, isRequired: false };
      }
      throw new UnreadableDeletes(
        `${path}: the file deletes rows by the column with the id ${id}, which is no column at the top of the table`,
      );
    });
  }
}

export function originOf({ sequenceNumber, file }: LiveEntry): DataOrigin {
  return { uri: file.path, sequenceNumber, partition: partitionKey(file) };
}
