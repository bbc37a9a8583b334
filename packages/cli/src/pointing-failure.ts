import { Failure } from '@weir/core';

/** A failure that points at a position in the user's input, in extra lines below the message. */
export class PointingFailure extends Failure {
  override readonly name = 'PointingFailure';
}
