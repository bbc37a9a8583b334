import type { Environment } from '@weir/core';
import type { CommandName } from '../commands/catalogue.ts';
import type { Outcome } from '../outcome.ts';
import { type Problem, shownSetting } from '../problem.ts';
import { defaultOf, type FlagName, type FlagValues, flagRows } from './catalogue.ts';
import type { FlagRow } from './row.ts';
import { chooseSettings, type Help, readArguments, readEnvironment, type Setting } from './settings.ts';

/** A parsed command line. Rules and availability are checked separately. */
export interface CommandLine {
  readonly values: FlagValues;
  /** What the user set, by flag or by variable. */
  readonly settings: ReadonlyMap<FlagName, Setting>;
  readonly help: Help;
}

/** Reads the arguments of a command and the variables it takes. */
export function parseCommandLine(
  command: CommandName,
  argv: readonly string[],
  environment: Environment,
): Outcome<CommandLine, Problem> {
  const read = readArguments(command, argv);
  if ('problem' in read) return read;
  const { help } = read.value;
  // Help ignores all other settings: it may show how to correct them.
  const settings =
    help === 'none'
      ? chooseSettings(read.value.settings, readEnvironment(command, environment))
      : { value: new Map<FlagName, Setting>() };
  if ('problem' in settings) return settings;
  const values = parseValues(command, settings.value);
  if ('problem' in values) return values;
  return { value: { values: values.value, settings: settings.value, help } };
}

function parseValues(
  command: CommandName,
  settings: ReadonlyMap<FlagName, Setting>,
): Outcome<FlagValues, Problem> {
  const values: Partial<Record<FlagName, unknown>> = {};
  for (const row of flagRows) {
    const setting = settings.get(row.name);
    const parsed = setting === undefined ? { value: defaultOf(row, command) } : parseText(row, setting.text);
    if ('problem' in parsed) {
      return {
        problem: { subject: shownSetting(row, setting!.spelling, setting!.text), rule: parsed.problem },
      };
    }
    values[row.name] = parsed.value;
  }
  // Every row has just been given what its type parses to, or its default.
  return { value: values as FlagValues };
}

/** Runs the checks of values that parsing leaves out. */
export async function checkValues({ values, settings }: CommandLine): Promise<Problem | undefined> {
  for (const { row, spelling, text } of settings.values()) {
    const value = values[row.name];
    const problem = value === undefined ? undefined : await row.type.check?.(value);
    if (problem !== undefined) return { subject: shownSetting(row, spelling, text), rule: problem };
  }
  return undefined;
}

/**
 * Parses a text, which may be empty: an empty text empties a list, and unsets a setting that has no default. Only a
 * setting that always has a value rejects it.
 */
function parseText(row: FlagRow, text: string): Outcome<unknown, string> {
  if (text !== '') return row.type.parse(text);
  if (row.type.empty !== undefined) return { value: row.type.empty };
  return row.default === undefined ? { value: undefined } : { problem: 'an empty value is not allowed' };
}
