import type { CommandName } from './commands/catalogue.ts';
import type { Deps } from './deps.ts';
import type { CommandValues } from './flags/catalogue.ts';

/** A command: takes the values of its flags and its dependencies, and returns the exit status. */
export type Handler<Name extends CommandName> = (
  values: CommandValues<Name>,
  deps: Deps,
) => number | Promise<number>;

/** The exit status of a command that the user stopped: 128 + SIGINT. */
export const stoppedStatus = 130;
