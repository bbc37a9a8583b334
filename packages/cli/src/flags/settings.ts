/** Reads command line and environment into settings: what the user set, by which name, as text. */

import type { Environment } from '@weir/core';
import { nearestName } from '@weir/core';
import type { CommandName } from '../commands/catalogue.ts';
import type { Outcome } from '../outcome.ts';
import { onOneLine, type Problem, shownSetting } from '../problem.ts';
import { type FlagName, flagRows, rowsOf } from './catalogue.ts';
import type { FlagRow } from './row.ts';

/** One setting of the user. */
export interface Setting {
  readonly row: FlagRow<FlagName>;
  /** As the user wrote it: `-apiURL`, `-consoleURL` or `SERVICE_API_URL`. */
  readonly spelling: string;
  readonly text: string;
}

/** The parsed arguments of a command. */
interface Arguments {
  readonly settings: readonly Setting[];
  readonly help: Help;
}

/** Which help the user asked for, if any. */
export type Help = 'none' | 'short' | 'full';

const helpFlags: ReadonlyMap<string, Help> = new Map([
  ['-h', 'short'],
  ['-help', 'short'],
  ['-help-all', 'full'],
]);

/** The names by which a row can be set on the command line, each with its dash; the current one first. */
export function flagSpellings(row: FlagRow): readonly string[] {
  const former = (row.deprecatedNames ?? []).filter((name) => name.startsWith('-'));
  return row.hasFlag ? [`-${row.name}`, ...(row.aliases ?? []), ...former] : former;
}

/** A spelling without the style of its words: `-apiURL`, `-api-url` and `-apiUrl` are the same flag. */
export function withoutStyle(spelling: string): string {
  return spelling.replaceAll('-', '').toLowerCase();
}

/** The names by which a row can be set in the environment; the current one first. */
export function variableSpellings(row: FlagRow): readonly string[] {
  return [row.env, ...(row.deprecatedNames ?? []).filter((name) => !name.startsWith('-'))];
}

/**
 * Reads `-flag value` and `-flag=value`, with one dash or two. A flag that implies a value (a bool) takes another one
 * only after an equals sign; every other flag takes the next argument whatever it looks like, so that `-num-records -1`
 * works. Words may be joined by capitals or by dashes: servers show `-kafkaPort`, tools `-bootstrap-host`.
 */
export function readArguments(command: CommandName, argv: readonly string[]): Outcome<Arguments, Problem> {
  const rowsBySpelling = new Map(
    rowsOf(command).flatMap((row) => flagSpellings(row).map((name) => [name, row])),
  );
  const rowsByWords = new Map([...rowsBySpelling].map(([name, row]) => [withoutStyle(name), row]));
  const settings: Setting[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index]!;
    const match = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(argument);
    if (match === null) return { problem: strayArgument(command, argument, settings.at(-1)) };
    const spelling = `-${match[1]}`;
    const help = helpFlags.get(spelling);
    if (help !== undefined) return { value: { settings, help } };
    const row = rowsBySpelling.get(spelling) ?? rowsByWords.get(withoutStyle(spelling));
    if (row === undefined) return { problem: unknownFlag(command, spelling, [...rowsBySpelling.keys()]) };
    let text = match[2] ?? row.type.impliedText;
    if (text === undefined) {
      index++;
      text = argv[index];
      if (text === undefined)
        return { problem: { subject: spelling, rule: `a value is needed (${row.type.label})` } };
    }
    settings.push({ row, spelling, text });
  }
  return { value: { settings, help: 'none' } };
}

/** Reads the variables of a command. Others are left alone, because the environment is shared with other programs. */
export function readEnvironment(command: CommandName, environment: Environment): readonly Setting[] {
  const settings: Setting[] = [];
  for (const row of rowsOf(command)) {
    for (const spelling of variableSpellings(row)) {
      const text = environment[spelling];
      if (text !== undefined) settings.push({ row, spelling, text });
    }
  }
  return settings;
}

/**
 * Chooses one setting per row: a flag takes precedence over a variable. Two flags or two variables of one row must
 * agree, unless the row is repeatable.
 */
export function chooseSettings(
  fromArguments: readonly Setting[],
  fromEnvironment: readonly Setting[],
): Outcome<ReadonlyMap<FlagName, Setting>, Problem> {
  const flags = new Map<FlagName, Setting>();
  const variables = new Map<FlagName, Setting>();
  for (const [settings, chosen] of [
    [fromArguments, flags],
    [fromEnvironment, variables],
  ] as const) {
    for (const setting of settings) {
      const other = chosen.get(setting.row.name);
      if (other !== undefined && setting.row.isRepeatable === true) {
        chosen.set(setting.row.name, {
          ...other,
          text: `${other.text}${setting.row.type.separator ?? ','}${setting.text}`,
        });
        continue;
      }
      if (other !== undefined && other.text !== setting.text)
        return { problem: contradiction(setting, other) };
      chosen.set(setting.row.name, other ?? setting);
    }
  }
  return { value: new Map([...variables, ...flags]) };
}

function contradiction(setting: Setting, other: Setting): Problem {
  const shownOther = shownSetting(other.row, other.spelling, other.text);
  const rule =
    setting.spelling === other.spelling
      ? `contradicts the earlier ${shownOther}; set it once`
      : `contradicts ${shownOther}; both names mean the same setting, so set one`;
  return { subject: shownSetting(setting.row, setting.spelling, setting.text), rule };
}

function unknownFlag(command: CommandName, spelling: string, known: readonly string[]): Problem {
  const subject = onOneLine(spelling);
  const nearest = nearestName(spelling, known);
  if (nearest !== undefined) return { subject, rule: `unknown flag; did you mean ${nearest}?` };
  const elsewhere = flagRows.find((row) => flagSpellings(row).includes(spelling));
  if (elsewhere === undefined) return { subject, rule: 'unknown flag' };
  return { subject, rule: `not a flag of weir ${command}, but of weir ${elsewhere.commands[0]}` };
}

/** Flags of what other programs take as an argument. */
const takenInstead: Partial<Record<CommandName, string>> = {
  'cli blobl': '-mapping',
  'cli run-pipeline': '-file',
  'cli validate-pipeline-config': '-config-file',
};

/** Does not repeat an argument that may be a secret, such as the second half of an unquoted password. */
function strayArgument(command: CommandName, argument: string, previous: Setting | undefined): Problem {
  if (command.startsWith('secret '))
    return { rule: 'unexpected argument; a value is read from standard input or -secret-file' };
  const isSwitch = previous?.row.type.impliedText !== undefined;
  if (isSwitch && /^(?:true|false)$/i.test(argument)) {
    const written = `${previous.spelling}=${argument.toLowerCase()}`;
    return { rule: `unexpected argument: ${argument}; write ${written} with an equals sign` };
  }
  const wanted = takenInstead[command];
  if (wanted !== undefined && previous === undefined && !argument.startsWith('-'))
    return { rule: `unexpected argument: ${onOneLine(argument)}; write it after ${wanted}` };
  return previous?.row.secret === true
    ? { rule: `unexpected argument after ${previous.spelling}; quote a value that has spaces` }
    : { rule: `unexpected argument: ${onOneLine(argument)}` };
}
