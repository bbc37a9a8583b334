import type { CallOf, OperationName, OutputOf } from '@weir/api';
import type { Clock } from '@weir/core';

/** Calls an operation for the caller, with authorization, limits and deadlines. Throws an `ApiError`. */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  input: CallOf<Name>,
  stop: AbortSignal,
) => Promise<OutputOf<Name>>;

/** What a tool gets of its caller: the operations that the caller may call. */
export interface ToolContext {
  call<Name extends OperationName>(name: Name, input: CallOf<Name>): Promise<OutputOf<Name>>;
  /** The address of a page of the console; none while there is no console. */
  consoleUrl(path: string): string | undefined;
  readonly clock: Clock;
}
