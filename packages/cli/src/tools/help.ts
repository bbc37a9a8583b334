import type { CommandName } from '../commands/catalogue.ts';
import type { Handler } from '../handler.ts';
import { commandHelp, overview } from '../reference/help.ts';

export const help: Handler<'help'> = (_values, { output }) => {
  output.out(overview());
  return 0;
};

/** A command without a tool lists its tools. */
const toolsOf =
  <Name extends CommandName>(name: Name): Handler<Name> =>
  (_values, { output }) => {
    output.out(commandHelp(name));
    return 0;
  };

export const cli = toolsOf('cli');
export const cliOld = toolsOf('cli-old');
export const cliEvents = toolsOf('cli events');
export const cliTables = toolsOf('cli tables');
export const secretFamily = toolsOf('secret');
