import { escapeMarkdown, markdownTable } from '@weir/core';
import { type CommandName, commands } from '../commands/catalogue.ts';
import { notAvailable } from '../flags/availability.ts';
import { flagGroups, flagRows } from '../flags/catalogue.ts';
import type { FlagRow } from '../flags/row.ts';
import { rulebook } from '../rules/rulebook.ts';
import { commandsInWords, defaultInWords } from './facts.ts';

/** The reference page of flags, as Markdown. */
export function flagsPage(): string {
  const sections = [
    introduction,
    typeSection(),
    commandSection(),
    ruleSection(),
    ...flagGroups.map(
      ({ title, rows }) => `## ${title}\n\n${markdownTable(flagColumns, rows.map(flagCells))}`,
    ),
  ];
  return `${sections.join('\n\n')}\n`;
}

const introduction = `# Flags

<!-- Written by scripts/docs.ts from the catalogue in packages/cli/src/flags. Change the catalogue, not this page. -->

Every flag and every environment variable of \`weir\`, ${flagRows.length} in all.

- A flag is written \`-flag value\` or \`-flag=value\`, with one dash or two. A bool is written \`-flag\` or
  \`-flag=false\`, never \`-flag false\`.
- Words of a flag are joined by capitals or by dashes: \`-apiURL\` and \`-api-url\` are the same flag. The help of
  servers shows the first style, the help of tools the second.
- The variable is read when the flag is not given. Its name is \`SERVICE_\` and the words of the flag in capitals, but
  for the few that are known by another name. A setting that was only known as a variable has a flag too, by the same
  rule.
- Empty is a value. An empty variable, or \`-flag=\`, empties a list and unsets a setting that has no default; a setting
  that always has a value refuses it.
- A former name works like the current one and prints a warning. Both at once must agree.
- A variable that no row names is ignored, because the environment is shared with other programs. An unknown flag is
  refused.
- A mistake ends the command with status 2 and one line that names the flag, the value and the rule.
- A row marked *planned* is refused with \`${notAvailable}\` when it is set.
- A row marked *secret* is never printed, neither in messages nor in logs. Passwords inside URLs are hidden too.`;

/** The value types that need an explanation, in the order in which the rows use them. */
function typeSection(): string {
  const types = flagRows.map(({ type }) => type.item ?? type);
  const syntaxByLabel = new Map(types.map(({ label, syntax }) => [label, syntax]));
  const rows = [...syntaxByLabel].flatMap(([label, syntax]) =>
    syntax === undefined ? [] : [[label, syntax]],
  );
  const listRow = ['list of …', 'items with commas between them; blanks around an item do not count'];
  return `## Types\n\n${markdownTable(['Type', 'How it is written'], [...rows, listRow])}`;
}

function commandSection(): string {
  const rows = commands.map(({ name, help, status }) => [`\`${name}\``, help, status]);
  return `## Commands\n\n${markdownTable(['Command', 'What it does', 'Status'], rows)}`;
}

function ruleSection(): string {
  const items = rulebook.map(({ statement, commands }) => {
    return `- ${escapeMarkdown(statement)} (${commands.map((name) => `\`${name}\``).join(', ')})`;
  });
  return `## Rules across flags\n\n${items.join('\n')}`;
}

const flagColumns = ['Flag and variable', 'Type', 'Default', 'Allowed', 'Meaning', 'Commands', 'Status'];

function flagCells(row: FlagRow): readonly string[] {
  const meaning = [row.help, row.rule ?? ''].join(' ').trim();
  const former = row.deprecatedNames?.map((name) => `\`${name}\``).join(', ');
  const aliases = row.aliases?.map((name) => `\`${name}\``).join(', ');
  return [
    row.hasFlag ? `\`-${row.name}\`<br>\`${row.env}\`` : `\`${row.env}\``,
    row.type.label,
    defaults(row),
    escapeMarkdown(row.type.allowed ?? ''),
    escapeMarkdown(meaning) +
      (aliases === undefined ? '' : ` Also ${aliases}.`) +
      (former === undefined ? '' : ` Formerly ${former}.`),
    commandsInWords(row.commands),
    statusInWords(row),
  ];
}

/** `available, secret`; a row that some commands do not support yet names them. */
function statusInWords({ status, secret }: FlagRow): string {
  const words = [status, ...(secret === true ? ['secret'] : [])];
  return words.join(', ');
}

/** `5m; local: 0s` where a command has a default of its own. */
function defaults(row: FlagRow): string {
  const own = Object.keys(row.defaultByCommand ?? {}) as CommandName[];
  const usual = row.commands.find((name) => !own.includes(name)) ?? row.commands[0]!;
  const texts = [usual, ...own].map((name, index) => {
    const words = defaultInWords(row, name);
    const text = words === 'none' || words === 'empty' ? words : `\`${words}\``;
    return index === 0 ? text : `${name}: ${text}`;
  });
  return texts.join('; ');
}
