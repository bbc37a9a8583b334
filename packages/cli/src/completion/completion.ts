import type { Handler } from '../handler.ts';
import { commandHelp } from '../reference/help.ts';
import { completionScript, type Shell } from './completion-script.ts';

/** Without a shell, lists the shells. */
export const completion: Handler<'completion'> = (_values, { output }) => {
  output.out(commandHelp('completion'));
  return 0;
};

function printing(shell: Shell): Handler<'completion bash'> {
  return (_values, { output }) => {
    output.out(completionScript(shell));
    return 0;
  };
}

export const bashCompletion = printing('bash');
export const zshCompletion: Handler<'completion zsh'> = printing('zsh');
export const fishCompletion: Handler<'completion fish'> = printing('fish');
