import type { Handler } from '../handler.ts';
import { overview } from '../reference/help.ts';

export const help: Handler<'help'> = (_values, { output }) => {
  output.out(overview());
  return 0;
};
