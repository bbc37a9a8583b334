import { Failure } from '@weir/core';

/** The writer ended, or has to begin anew. Its open files are gone; write them again. */
export class ParquetWriterCrashed extends Failure {
  override readonly name = 'ParquetWriterCrashed';
}

/** The rows need more memory and disk than the writer may use. The same rows fail again; write smaller files. */
export class ParquetMemoryExceeded extends Failure {
  override readonly name = 'ParquetMemoryExceeded';
}

/** A value does not have the type of its column, or is missing in a required one. Retrying does not help. */
export class InvalidRow extends Failure {
  override readonly name = 'InvalidRow';
}

/** A file has columns that cannot be read as those of the table: it has no ids, or other types. It stays as it is. */
export class ParquetNotRewritable extends Failure {
  override readonly name = 'ParquetNotRewritable';
  /** The files that it is about; set by the one who knows them. */
  sources: readonly string[] = [];
}

/** The file could not be written, such as on a full disk. */
export class ParquetWriteFailed extends Failure {
  override readonly name = 'ParquetWriteFailed';
}
