import type { InputOf, OperationName, OutputOf } from '@weir/api';
import type { Clock, Log } from '@weir/core';
import type { Actor } from '../accounts/access/permissions.ts';

/** The caller of an operation, already authorized. */
export interface OperationContext {
  readonly actor: Actor;
  /** Of the actor. Operations without one, such as signing in, find it themselves. */
  readonly accountId: string;
  /** Of the caller, without the port. */
  readonly remoteAddress: string;
  /** Aborted when the caller disconnects. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Runs one operation. An `OperationFailed` that it throws is returned to the caller; anything else is an internal
 * error.
 */
type OperationHandler<Name extends OperationName, Context extends OperationContext = OperationContext> = (
  input: InputOf<Name>,
  context: Context,
) => Promise<OutputOf<Name>>;

export type OperationHandlers<
  Names extends OperationName = OperationName,
  Context extends OperationContext = OperationContext,
> = {
  readonly [Name in Names]: OperationHandler<Name, Context>;
};
