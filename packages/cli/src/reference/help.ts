import { release } from '@weir/core';
import { type CommandName, commandRow } from '../commands/catalogue.ts';
import { familyOf, topLevelNames } from '../commands/find.ts';
import { notAvailable } from '../flags/availability.ts';
import { defaultOf, type FlagGroup, type FlagName, flagGroups, flagRow, rowsOf } from '../flags/catalogue.ts';
import type { FlagRow } from '../flags/row.ts';
import { isServer, shownFlag, withShownFlags } from '../flags/shown-flag.ts';
import { rulebook } from '../rules/rulebook.ts';
import { requiredFlags } from '../rules/tool-needs.ts';
import { commandsInWords, defaultInWords, marksOf } from './facts.ts';
import { wrap } from './wrap.ts';

const width = 100;
/** Where the short help explains a flag. A longer flag gets its own line. */
const explanationColumn = 34;
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

/**
 * What `weir <command> --help` prints: a line or two per flag that this release has. A tool shows its own flags, the
 * required ones first; those that most tools share are only named.
 */
export function commandHelp(command: CommandName): string {
  const groups = groupsOf(command)
    .map((group) => ({ ...group, rows: group.rows.filter(({ status }) => status === 'available') }))
    .filter(({ rows }) => rows.length > 0);
  const hint = `weir help ${command} -all explains all flags, their variables and rules.`;
  return lines([
    ...heading(command),
    ...(isServer(command)
      ? groups.flatMap((group) => flagLines(group, command))
      : toolLines(groups, command)),
    ...(groups.length > 0 ? ['', hint] : []),
  ]);
}

/** The flags of a tool: its own, then the names of the shared ones. */
function toolLines(groups: readonly FlagGroup[], command: CommandName): readonly string[] {
  const required = requiredFlags(command);
  const rank = ({ name }: FlagRow<FlagName>) => (required.includes(name) ? 0 : name === 'output' ? 2 : 1);
  const isFolded = (group: FlagGroup, row: FlagRow<FlagName>) =>
    group.isShared === true && !required.includes(row.name);
  const own = groups.flatMap((group) => group.rows.filter((row) => !isFolded(group, row)));
  const shared = groups.flatMap((group) => group.rows.filter((row) => isFolded(group, row)));
  return [
    ...flagLines({ title: 'Flags', rows: own.toSorted((a, b) => rank(a) - rank(b)) }, command),
    ...(shared.length === 0
      ? []
      : [
          '',
          'Connection',
          ...wrap(shared.map(({ name }) => shownFlag(name, command)).join(', '), { indent: 2, width }),
        ]),
  ];
}

function flagLines({ title, rows }: FlagGroup, command: CommandName): readonly string[] {
  return rows.length === 0 ? [] : ['', title, ...rows.flatMap((row) => shortRowHelp(row, command))];
}

/** What `weir <command> --help-all` prints: each flag with its variable, its default and its rules. */
export function fullHelp(command: CommandName): string {
  const groups = groupsOf(command);
  return lines([
    ...heading(command),
    ...(groups.length > 0 ? ['', ...wrap(howToWriteFlags, { indent: 0, width })] : []),
    ...groups.flatMap(({ title, rows }) => [
      '',
      title,
      ...rows.flatMap((row) => ['', ...rowHelp(row, command)]),
    ]),
    ...ruleLines(command),
  ]);
}

/** What the command does, how to call it, and its tools. */
function heading(command: CommandName): readonly string[] {
  const { help, status, runsCommand } = commandRow(command);
  const tools = familyOf(command === 'cli-old' ? 'cli' : command);
  const hasFlags = rowsOf(command).length > 0 || tools.length > 0;
  const required = requiredFlags(command).map(
    (name) => ` ${shownFlag(name, command)} <${flagRow(name).type.label}>`,
  );
  const usage = `Usage: weir ${command}${tools.length > 0 ? ' <tool>' : ''}${required.join('')}`;
  return [
    ...wrap(`weir ${command}: ${help}`, { indent: 0, width }),
    ...(status === 'planned' ? [`(${notAvailable})`] : []),
    ...(command === 'cli-old' ? ['', ...wrap(formerFlags, { indent: 0, width })] : []),
    '',
    `${usage}${hasFlags ? ' [flags]' : ''}${runsCommand === true ? ' [-- <command>]' : ''}`,
    ...listed('Tools', tools),
  ];
}

function groupsOf(command: CommandName): readonly FlagGroup[] {
  return flagGroups
    .map((group) => ({ ...group, rows: group.rows.filter((row) => row.commands.includes(command)) }))
    .filter(({ rows }) => rows.length > 0);
}

/** The help of a `weir cli-old` tool. */
export function formerHelp(help: string): string {
  return lines([...wrap(formerFlags, { indent: 0, width }), '']) + help;
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
    ...rules.flatMap(({ statement }) => [
      '',
      ...wrap(withShownFlags(statement, command), { indent: 2, width }),
    ]),
  ];
}

function rowHelp(row: FlagRow<FlagName>, command: CommandName): readonly string[] {
  const flag = row.hasFlag
    ? `  ${shownFlag(row.name, command)} <${row.type.label}>`
    : `  (variable) <${row.type.label}>`;
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
  return [
    ...title,
    ...paragraphs.flatMap((text) => wrap(withShownFlags(text, command), { indent: 6, width })),
  ];
}

function shortRowHelp(row: FlagRow<FlagName>, command: CommandName): readonly string[] {
  const { type } = row;
  const label = type.words !== undefined && type.words.length <= 3 ? type.words.join('|') : type.label;
  const placeholder = type.impliedText === undefined ? ` <${label}>` : '';
  const flag = row.hasFlag ? `  ${shownFlag(row.name, command)}${placeholder}` : `  ${row.env}`;
  const value = defaultOf(row, command);
  const isWorthSaying = value !== undefined && value !== false && type.print(value) !== '';
  const text = isWorthSaying ? `${row.help} Default: ${type.print(value)}.` : row.help;
  const [first = '', ...others] = wrap(withShownFlags(text, command), { indent: explanationColumn, width });
  return flag.length < explanationColumn - 1
    ? [flag + first.slice(flag.length), ...others]
    : [flag, first, ...others];
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
