import { coreLimits, escapePipes } from '@weir/core';
import { type Example, exampleSections } from './examples.ts';
import { operatorList } from './operator-advice.ts';
import { casts, words } from './tree.ts';

/** The reference page of the filter language, as Markdown. */
export function eventFiltersPage(): string {
  const sections = exampleSections.map(
    ({ title, rule, rows }) => `## ${title}\n\n${rule}\n\n${tableOf(rows)}`,
  );
  return `${[introduction, ...sections, limits].join('\n\n')}\n`;
}

const introduction = `# Event filters

<!-- Written by scripts/docs.ts from packages/events/src/filter. Change the examples there, not this page; tests hold the code to them. -->

A filter says which [events](events.md) a search finds. It is an expression and nothing else: no pipeline, no selection of fields.

\`\`\`
type == "acl_logs" and data.operation in ["CREATE", "ALTER"] and data.principal not like "User:admin%"
\`\`\`

| part | written |
|---|---|
| condition | a field, an operator, a value: \`data.log_level == "error"\` |
| operators | ${operatorList.split(', ').map(code).join(', ')} |
| texts | in double or single quotes; \`\\"\`, \`\\'\`, \`\\\\\`, \`\\n\`, \`\\r\`, \`\\t\`, \`\\b\`, \`\\f\`, \`\\/\` and \`\\u00e9\` as in JSON |
| numbers | \`5\`, \`-1.5\`, \`2e9\` |
| other values | \`true\`, \`false\`, \`null\` |
| lists | in square brackets: \`["warn", "error"]\` |
| fields | names with dots between them: \`data.operation\`; odd names in backticks |
| casts | ${casts.map((cast) => code(`::${cast}`)).join(', ')} behind a field |
| joined by | \`and\`, \`or\`, parentheses; whole filters by \`\\|\` |
| words | ${words.map(code).join(', ')}, in small letters |

Numbers are 64-bit floating point, so that integers beyond 2^53 compare by the nearest such number. There is no \`not\` before a whole
condition: \`==\`, \`like\` and \`in\` have their opposites. A filter that is mistaken is refused with every place that is wrong and, where it can be
guessed, what was meant.

Below, each row of a table is a filter, the \`data\` of an event, and whether the event passes.`;

const limits = `## Limits

| of a filter | at most |
|---|---|
| characters | ${count(coreLimits.filterCharsMax)} |
| conditions | ${count(coreLimits.filterConditionsMax)} |
| parentheses within each other | ${count(coreLimits.filterDepthMax)} |
| values in a list | ${count(coreLimits.filterListValuesMax)} |
| characters of a pattern | ${count(coreLimits.filterPatternCharsMax)} |
| names in a field | ${count(coreLimits.filterPathKeysMax)} |`;

function tableOf(rows: readonly Example[]): string {
  const lines = rows.map(
    ([filter, data, passes]) =>
      `| ${code(filter)} | ${code(JSON.stringify(data))} | ${passes ? 'yes' : 'no'} |`,
  );
  return ['| filter | `data` | passes |', '|---|---|---|', ...lines].join('\n');
}

/** Formats text as code in a table cell. Backticks within it need a longer fence. */
function code(text: string): string {
  if (text === '') return '(empty)';
  const escaped = escapePipes(text);
  return text.includes('`') ? `\`\` ${escaped} \`\`` : `\`${escaped}\``;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
