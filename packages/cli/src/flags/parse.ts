import type { Environment } from '@weir/core';
import type { CommandName } from '../commands/catalogue.ts';
import type { Outcome } from '../outcome.ts';
import { type Problem, shownSetting } from '../problem.ts';
import { defaultOf, type FlagName, type FlagValues, flagRows } from './catalogue.ts';
import type { FlagRow } from './row.ts';
import { chooseSettings, readArguments, readEnvironment, type Setting } from './settings.ts';

/** A command line that was understood. Whether it may be run is for the rules and the availability to say. */
export interface CommandLine {
  readonly values: FlagValues;
  /** What the user set, by flag or by variable. */
  readonly settings: ReadonlyMap<FlagName, Setting>;
  readonly wantsHelp: boolean;
}

/** Reads the arguments of a command and the variables it takes. */
export function parseCommandLine(
  command: CommandName,
  argv: readonly string[],
  environment: Environment,
): Outcome<CommandLine, Problem> {
  const read = readArguments(command, argv);
  if ('problem' in read) return read;
  const { wantsHelp } = read.value;
  // Help is given whatever else is set: it may be what shows how to set it right.
  const settings = wantsHelp
    ? { value: new Map<FlagName, Setting>() }
    : chooseSettings(read.value.settings, readEnvironment(command, environment));
  if ('problem' in settings) return settings;
  const values = parseValues(command, settings.value);
  if ('problem' in values) return values;
  return { value: { values: values.value, settings: settings.value, wantsHelp } };
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

/**
 * An empty text is a value: it empties a list, and unsets what may be unset. Only a setting that always has a value
 * refuses it.
 */
function parseText(row: FlagRow, text: string): Outcome<unknown, string> {
  if (text !== '') return row.type.parse(text);
  if (row.type.empty !== undefined) return { value: row.type.empty };
  return row.default === undefined ? { value: undefined } : { problem: 'an empty value is not allowed' };
}
