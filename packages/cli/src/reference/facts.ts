/** Facts about a row that help and the reference page share. */

import { type CommandName, cliTools } from '../commands/catalogue.ts';
import { notAvailable } from '../flags/availability.ts';
import { defaultOf } from '../flags/catalogue.ts';
import type { FlagRow } from '../flags/row.ts';

/** `9092`, `empty` or `none`. A default is never a secret, because it is written in the catalogue. */
export function defaultInWords(row: FlagRow, command: CommandName): string {
  const value = defaultOf(row, command);
  if (value === undefined) return 'none';
  return row.type.print(value) || 'empty';
}

/** `agent, metrics`; all tools of the `cli` family are named together. */
export function commandsInWords(commands: readonly CommandName[]): string {
  // A family is absent if all its tools are.
  const absent = cliTools.filter(
    (tool) => !commands.includes(tool) && !commands.some((command) => command.startsWith(`${tool} `)),
  );
  // A family is listed by its name.
  const named = absent.filter((name) => !absent.some((other) => name.startsWith(`${other} `)));
  if (named.length > cliTools.length / 2) return commands.join(', ');
  const others = commands.filter((name) => !name.startsWith('cli '));
  const except = named.map((name) => name.replace('cli ', '')).join(', ');
  return [...others, `every cli tool${except === '' ? '' : ` but ${except}`}`].join(', ');
}

/** What a reader must know before using the row at all. */
export function marksOf(row: FlagRow): readonly string[] {
  const marks: string[] = [];
  if (row.secret === true) marks.push('secret, never printed');
  if (row.status === 'planned') marks.push(notAvailable);
  return marks;
}
