import type { CommandName } from '../commands/catalogue.ts';
import { type FlagName, flagRows } from './catalogue.ts';
import { toolStyle } from './names.ts';
import { servers } from './rows/takers.ts';

const flagNames: ReadonlySet<string> = new Set(flagRows.map(({ name }) => name));

/** A flag as messages to a user of the command show it: servers join words by capitals, tools by dashes. */
export function shownFlag(name: FlagName, command: CommandName): string {
  return `-${isServer(command) ? name : toolStyle(name)}`;
}

/** A text about flags of several commands, in the style of this one. */
export function withShownFlags(text: string, command: CommandName): string {
  return text.replace(/(?<![\w-])-([a-zA-Z][\w-]*)/g, (written, name: string) =>
    flagNames.has(name) ? shownFlag(name as FlagName, command) : written,
  );
}

export function isServer(command: CommandName): boolean {
  return (servers as readonly CommandName[]).includes(command);
}
