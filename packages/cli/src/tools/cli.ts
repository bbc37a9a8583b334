import type { Handler } from '../handler.ts';
import { commandHelp } from '../reference/help.ts';

/** Without a tool, lists the tools. */
export const cli: Handler<'cli'> = (_values, { output }) => {
  output.out(commandHelp('cli'));
  return 0;
};

export const cliOld: Handler<'cli-old'> = (_values, { output }) => {
  output.out(commandHelp('cli-old'));
  return 0;
};
