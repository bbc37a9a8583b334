import type { CommandName } from './commands/catalogue.ts';
import type { Deps } from './deps.ts';
import type { CommandValues } from './flags/catalogue.ts';

/** What a command does: it gets what its flags say and all it may know of the world, and gives the exit status. */
export type Handler<Name extends CommandName> = (
  values: CommandValues<Name>,
  deps: Deps,
) => number | Promise<number>;

/** The status of a command that the user stopped: 128 and the number of SIGINT. */
export const stoppedStatus = 130;
