import type { CallOf, OperationName, OutputOf } from '@weir/api';
import type { Clock } from '@weir/core';

/** Does an operation of the catalogue for whoever asks, with all that it takes: whether he may, limits, deadlines. Throws an `ApiError`. */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  input: CallOf<Name>,
  stop: AbortSignal,
) => Promise<OutputOf<Name>>;

/** What a tool has of the one who calls it: what he may, and nothing else. */
export interface ToolContext {
  call<Name extends OperationName>(name: Name, input: CallOf<Name>): Promise<OutputOf<Name>>;
  /** The address of a page of the console; none while there is no console. */
  consoleUrl(path: string): string | undefined;
  readonly clock: Clock;
}
