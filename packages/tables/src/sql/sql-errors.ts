import { Failure } from '@weir/core';

/** The query cannot be run as it is written. The message is for its author. */
export class SqlRefused extends Failure {
  override readonly name = 'SqlRefused';
}

/** The query needs more memory, time or bytes of tables than one may take. The message is for its author. */
export class SqlLimitExceeded extends Failure {
  override readonly name = 'SqlLimitExceeded';
}

/** The process of the query ended or failed. */
export class SqlFailed extends Failure {
  override readonly name = 'SqlFailed';
}
