import type { InputOf, OperationName, OutputOf } from '@weir/api';
import type { Clock, Log } from '@weir/core';
import type { Actor } from '../accounts/access/permissions.ts';

/** Who asks for an operation, and from where. That it may was settled before. */
export interface OperationContext {
  readonly actor: Actor;
  /** Of the actor. Operations without one, such as signing in, find it themselves. */
  readonly accountId: string;
  /** Of the caller, without the port. */
  readonly remoteAddress: string;
  /** Aborted when the caller goes away. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** Does one operation. What it throws as an `OperationFailed` the caller is told; anything else is our mistake. */
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
