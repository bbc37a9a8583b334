import { Failure } from '@weir/core';

/** A table, schema, filter or file that breaks a rule of the format. Retrying does not help. */
export class InvalidTable extends Failure {
  override readonly name = 'InvalidTable';
}

/** The table moved on since it was loaded. Nothing was committed; load it again and commit on the newer state. */
export class CommitConflict extends Failure {
  override readonly name = 'CommitConflict';
}

/** The answer to a commit was lost. It may have happened, or still happen; no file of it may be deleted. */
export class CommitUnknown extends Failure {
  override readonly name = 'CommitUnknown';
}

/** The change cannot be made on top of the newer state, such as compacting a file that was deleted meanwhile. */
export class ChangeRefused extends Failure {
  override readonly name = 'ChangeRefused';
}

/** The catalog denied a request, which had no effect: credentials or rights have to change. */
export class CatalogDenied extends Failure {
  override readonly name = 'CatalogDenied';
}

export class TableNotFound extends Failure {
  override readonly name = 'TableNotFound';
}

export class TableExists extends Failure {
  override readonly name = 'TableExists';
}
