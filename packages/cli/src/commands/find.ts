import { nearestName } from '@weir/core';
import type { Outcome } from '../outcome.ts';
import { onOneLine, type Problem } from '../problem.ts';
import { type CommandName, commandNames, commandRow } from './catalogue.ts';

/** The command that the first words name, and the arguments after them. */
interface FoundCommand {
  readonly command: CommandName;
  readonly rest: readonly string[];
  readonly warnings: readonly string[];
}

/** Takes as many words as name a command: `cli create-acls` rather than `cli`. */
export function findCommand(argv: readonly string[]): Outcome<FoundCommand, Problem> {
  const [word = '', ...afterWord] = argv;
  const current = commandNames.find(
    (name) => name === word || commandRow(name).deprecatedNames?.includes(word),
  );
  if (current === undefined) return { problem: unknownCommand(word, topLevelNames) };
  const warnings = current === word ? [] : [`weir ${word} is the former name of weir ${current}`];
  let command = current;
  let rest = afterWord;
  for (;;) {
    const tools = familyOf(command);
    const [tool, ...afterTool] = rest;
    if (tools.length === 0 || tool === undefined || tool.startsWith('-'))
      return { value: { command, rest, warnings } };
    const words: string = `${command} ${tool}`;
    const found = tools.find((name) => name === words);
    if (found === undefined) return { problem: unknownCommand(words, tools) };
    command = found;
    rest = afterTool;
  }
}

/** The commands of more words that start with this one. */
export function familyOf(command: CommandName): readonly CommandName[] {
  return commandNames.filter((name) => name.startsWith(`${command} `));
}

export const topLevelNames: readonly CommandName[] = commandNames.filter((name) => !name.includes(' '));

function unknownCommand(words: string, known: readonly string[]): Problem {
  const nearest = nearestName(words, known);
  const hint = nearest === undefined ? 'weir help lists the commands' : `did you mean weir ${nearest}?`;
  return { subject: onOneLine(words), rule: `unknown command; ${hint}` };
}
