import type { Handler } from '../handler.ts';
import { commandHelp } from '../reference/help.ts';

/** Without a tool, lists the tools. */
export const cliEvents: Handler<'cli events'> = (_values, { output }) => {
  output.out(commandHelp('cli events'));
  return 0;
};
