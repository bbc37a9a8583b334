import type { InputOf, OperationName, OutputOf } from '@weir/api';
import type { CallContext } from './call-context.ts';

/**
 * Runs operations. An `OperationFailed` that a handler throws is returned to the caller; anything else is an internal
 * error.
 */
export type OperationHandlers<Names extends OperationName = OperationName> = {
  readonly [Name in Names]: (input: InputOf<Name>, context: CallContext) => Promise<OutputOf<Name>>;
};

/** The handlers of one area. */
export type SomeHandlers = Partial<OperationHandlers>;
