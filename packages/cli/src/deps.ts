import type { Clock, Environment } from '@weir/core';
import type { Output } from './output.ts';

/**
 * Everything that a command may use from outside. The composition root takes it from the process; tests provide their
 * own.
 */
export interface Deps {
  readonly environment: Environment;
  readonly output: Output;
  /** Standard input, chunk by chunk. Only a command that needs it begins to read. */
  readonly input: AsyncIterable<Uint8Array>;
  readonly clock: Clock;
  /** The words after `--`: a command to run beside the server. */
  readonly commandToRun?: readonly string[];
  /** Aborted when the user asks the command to stop, as Ctrl-C does. */
  readonly stop: AbortSignal;
}
