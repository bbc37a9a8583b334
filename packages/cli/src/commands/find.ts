import { nearestName } from '@weir/core';
import type { Outcome } from '../outcome.ts';
import { onOneLine, type Problem } from '../problem.ts';
import { type CommandName, commandNames, commandRow } from './catalogue.ts';

/** The command that the first words name, and the arguments after them. */
interface FoundCommand {
  readonly command: CommandName;
  readonly rest: readonly string[];
  readonly warnings: readonly string[];
  /** Whether it was found by `cli-old`, which takes flags also as they could be written before v821. */
  readonly isFormer: boolean;
}

/** Takes as many words as name a command: `cli create-acls` rather than `cli`. */
export function findCommand(argv: readonly string[]): Outcome<FoundCommand, Problem> {
  const [word = '', ...afterWord] = argv;
  const former = word === 'cli-old' ? formerTool(afterWord) : undefined;
  if (former !== undefined) {
    const found = findCommand(['cli', ...former]);
    return 'problem' in found ? found : { value: { ...found.value, isFormer: true } };
  }
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
      return { value: { command, rest, warnings, isFormer: false } };
    const words: string = `${command} ${tool}`;
    const found = tools.find((name) => name === words);
    if (found === undefined) return { problem: unknownCommand(words, tools) };
    command = found;
    rest = afterTool;
  }
}

/** The words from the tool on, which may stand behind `-type` as that of `kcmd` does; `undefined` without a tool. */
function formerTool(argv: readonly string[]): readonly string[] | undefined {
  const [first = '', ...others] = argv;
  const [, given] = /^--?type(?:=(.*))?$/s.exec(first) ?? [first, first];
  const [tool, ...rest] = given === undefined ? others : [given, ...others];
  return tool === undefined || tool === '' || tool.startsWith('-') ? undefined : [tool, ...rest];
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
