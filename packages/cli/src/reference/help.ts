import { release } from '@weir/core';
import { type CommandName, commandRow } from '../commands/catalogue.ts';
import { familyOf, topLevelNames } from '../commands/find.ts';
import { notAvailable } from '../flags/availability.ts';
import { flagGroups } from '../flags/catalogue.ts';
import type { FlagRow } from '../flags/row.ts';
import { rulebook } from '../rules/rulebook.ts';
import { commandsInWords, defaultInWords, marksOf } from './facts.ts';
import { wrap } from './wrap.ts';

const width = 100;
const variableColumn = 52;

/** The output of `weir` alone and of `weir help`: the release, the available commands and the planned ones. */
export function overview(): string {
  return lines([
    `weir ${release}`,
    '',
    'Usage: weir <command> [flags]',
    ...listed('Commands', topLevelNames),
    '',
    'weir help <command> shows the flags of a command.',
  ]);
}

/** Commands under a heading; planned commands under a heading of their own. */
function listed(heading: string, names: readonly CommandName[]): readonly string[] {
  const existing = names.filter((name) => commandRow(name).status === 'available');
  const planned = names.filter((name) => commandRow(name).status === 'planned');
  return [
    ...(existing.length > 0 ? ['', `${heading}:`, ...commandLines(existing)] : []),
    ...(planned.length > 0 ? ['', `Planned, ${notAvailable}:`, ...commandLines(planned)] : []),
  ];
}

/** What `weir <command> --help` prints. */
export function commandHelp(command: CommandName): string {
  const { help, status } = commandRow(command);
  const tools = familyOf(command === 'cli-old' ? 'cli' : command);
  const groups = flagGroups
    .map(({ title, rows }) => ({ title, rows: rows.filter((row) => row.commands.includes(command)) }))
    .filter(({ rows }) => rows.length > 0);
  const usage = `Usage: weir ${command}${tools.length > 0 ? ' <tool>' : ''}`;
  return lines([
    ...wrap(`weir ${command}: ${help}`, { indent: 0, width }),
    ...(status === 'planned' ? [`(${notAvailable})`] : []),
    ...(command === 'cli-old' ? ['', ...wrap(formerFlags, { indent: 0, width })] : []),
    '',
    groups.length > 0 || tools.length > 0 ? `${usage} [flags]` : usage,
    ...listed('Tools', tools),
    ...(groups.length > 0 ? ['', ...wrap(howToWriteFlags, { indent: 0, width })] : []),
    ...groups.flatMap(({ title, rows }) => [
      '',
      title,
      ...rows.flatMap((row) => ['', ...rowHelp(row, command)]),
    ]),
    ...ruleLines(command),
  ]);
}

/** What `weir cli-old <tool> --help` prints. */
export function formerHelp(command: CommandName): string {
  return lines([...wrap(formerFlags, { indent: 0, width }), '']) + commandHelp(command);
}

const formerFlags =
  'weir cli-old runs the tools of weir cli. It accepts their flags and also the camelCase spellings of servers: ' +
  '-bootstrapHost for -bootstrap-host. The tool can also be set with -type.';

const howToWriteFlags =
  'A flag is written -flag value or -flag=value, with one dash or two. A bool stands alone or takes its value after an ' +
  'equals sign. The environment variable of a flag is used if the flag is not set; an empty variable means empty.';

function commandLines(names: readonly CommandName[]): readonly string[] {
  const nameWidth = Math.max(...names.map((name) => name.length));
  return names.map((name) => `  ${name.padEnd(nameWidth)}  ${commandRow(name).help}`);
}

/** The rules of a command that involve more than one of its flags. */
function ruleLines(command: CommandName): readonly string[] {
  const rules = rulebook.filter(({ commands }) => commands.includes(command));
  if (rules.length === 0) return [];
  return [
    '',
    'Rules across flags',
    ...rules.flatMap(({ statement }) => ['', ...wrap(statement, { indent: 2, width })]),
  ];
}

function rowHelp(row: FlagRow, command: CommandName): readonly string[] {
  const flag = row.hasFlag ? `  -${row.name} <${row.type.label}>` : `  (variable) <${row.type.label}>`;
  const aligned = `${flag.padEnd(variableColumn)}${row.env}`;
  // A flag or a variable that is too long for its column gets its own line.
  const isAligned = flag.length < variableColumn && aligned.length <= width;
  const title = isAligned ? [aligned] : [flag, `      ${row.env}`];
  const facts = [
    `Default: ${defaultInWords(row, command)}.`,
    ...(row.type.allowed === undefined ? [] : [`Allowed: ${row.type.allowed}.`]),
    ...(row.rule === undefined ? [] : [row.rule]),
    ...(row.aliases === undefined ? [] : [`Also ${row.aliases.join(', ')}.`]),
    ...(row.deprecatedNames === undefined ? [] : [`Formerly ${row.deprecatedNames.join(', ')}.`]),
    `Commands: ${commandsInWords(row.commands)}.`,
  ];
  const marks = marksOf(row).map((mark) => `(${mark})`);
  const paragraphs = [row.help, facts.join(' '), marks.join(' ')].filter((text) => text !== '');
  return [...title, ...paragraphs.flatMap((text) => wrap(text, { indent: 6, width }))];
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
