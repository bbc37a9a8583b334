import { Failure } from '@weir/core';

/** The table cannot be written until an operator changes something; the message says what. */
export class TableBlocked extends Failure {
  override readonly name = 'TableBlocked';
}
