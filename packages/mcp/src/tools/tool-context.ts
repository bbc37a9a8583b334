import type { CallOf, OperationName, OutputOf } from '@weir/api';
import type { Clock } from '@weir/core';

/** Calls an operation for the caller, with authorization, limits and deadlines. Throws an `ApiError`. */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  input: CallOf<Name>,
  stop: AbortSignal,
) => Promise<OutputOf<Name>>;

/** What a tool gets: the operations that its caller may call. */
export interface ToolContext {
  call<Name extends OperationName>(name: Name, input: CallOf<Name>): Promise<OutputOf<Name>>;
  /** Returns the URL of a console page. */
  consoleUrl(path: string): string;
  readonly clock: Clock;
}
