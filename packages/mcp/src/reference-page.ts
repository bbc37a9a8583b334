import { apiKeyHeader, docsMcpPath, mcpConfiguration, mcpPath } from '@weir/api';
import { escapePipes, markdownTable } from '@weir/core';
import { mcpLimits } from './limits.ts';
import { prompts } from './prompts/prompts.ts';
import { eventTypeFamily, fixedResources } from './resources/resources.ts';
import type { Tool } from './tools/tool.ts';
import { listedTool } from './tools/tool-list.ts';
import { tools } from './tools/tools.ts';
import { writeTools } from './writes/write-tools.ts';

/** The reference page of the Model Context Protocol, as Markdown. */
export function mcpPage(): string {
  return `${[introduction, keys, configuration, answers, toolList, ...tools.map(sectionOf), writes, ...writeTools.map(sectionOf), others].join('\n\n')}\n`;
}

const introduction = `# Models

<!-- Written by scripts/docs.ts from packages/mcp/src. Change the definitions there, not this page. -->

Clients of the Model Context Protocol look at virtual clusters at \`{base_url}${mcpPath}\`. They speak revision 2026-07-28 or 2025-11-25, and earlier ones, over
HTTP with POST; there are no sessions. Tools only read, whatever the key may do, unless the operator enables [tools that change something](#tools-that-change-something). The documentation has a server of its own at \`{base_url}${docsMcpPath}\`, which
needs no key and reaches no cluster.`;

const keys = `## Keys

Every request brings its keys: \`${apiKeyHeader}-<workspace id>\` once for each workspace, or \`${apiKeyHeader}\` alone, and never both. One key that is wrong, or that is not of
the workspace in the name of its header, is answered with 401 and \`invalid API key\`. Workspace ids have underscores, and some proxies drop headers with
underscores in their names unless configured otherwise; hyphens instead of the underscores mean the same. \`Authorization: Bearer <key>\` means the same as
\`${apiKeyHeader}\`; it counts only without a header of ours.

Too many requests of one key are answered with 429 and \`Retry-After\`. Pages of other sites are refused by their \`Origin\`.`;

const configuration = `## Configuration

\`create_mcp_configuration\` of the [API](api.md) and \`weir cli mcp-config\` make keys that only read and print this. A further \`mcp-config\` for the same client and
workspaces replaces the key of the one before, because secrets are shown only once. \`-mcp-reads records,audit_log\`
lets an assistant read records of topics (\`sample_records\`) and the audit log too; by default it reads neither:

\`\`\`json
${mcpConfiguration('url', { baseUrl: 'https://weir.example', serverName: 'weir', headers: { [apiKeyHeader]: '<API_KEY>' } })}
\`\`\`

One kind of client wants \`serverUrl\` for \`url\`, and some have a command:

\`\`\`
${mcpConfiguration('command_line', { baseUrl: 'https://weir.example', serverName: 'weir', headers: { [apiKeyHeader]: '<API_KEY>' } })}
\`\`\``;

const answers = `## Answers

An answer has at most ${thousands(mcpLimits.mcpAnswerTokensUsual)} tokens of four characters, or up to ${thousands(mcpLimits.mcpAnswerTokensMax)} for callers that ask with \`max_tokens\`, which every tool takes. \`format\` \`concise\` gives the main fields, \`detailed\` all of them. The text has lines and tables with
tabs, the structured content the same as JSON: some clients hand a model only the one, some only the other. \`limit\` is of rows, at most ${mcpLimits.mcpRowsMax}. \`truncated\` says that something was left out, \`next_cursor\` where to go on, and \`hint\` what to do next.
What goes wrong is an answer as well: a code that does not change, and what to do.`;

const toolList = `## Tools

${pipeSafeTable(
  ['tool', 'does'],
  tools.map(({ name, description }) => [`[\`${name}\`](#${name})`, description]),
)}`;

const writes = `## Tools that change something

They are off by default. \`-mcpWrites\` of \`weir control-plane\`, \`playground\`, \`local\` and \`demo\` offers them to clients whose key may write: an application key that is not read-only
(\`weir cli create-key -key-kind application\`) in place of the read-only key of \`mcp-config\`. Each checks the rights of the key and the limits as the API does.

- \`dry_run\` is true by default: the call validates, changes nothing and returns what would change, with the values before and after.
- With \`dry_run\` false the client asks its user to confirm that change (elicitation), and only then it is made. That needs a client of revision 2026-07-28 that declares
  \`elicitation\`; all others get \`confirmation_unavailable\`, and a person makes the change in the console.
- A confirmation is valid for ${mcpLimits.mcpConfirmationSecondsMax / 60} minutes, for this caller, these arguments and the values that the user saw, and counts once.
- The audit log records the key and that the change came over MCP (\`via\`).

Deleting topics, groups, credentials and clusters is left to people.

${pipeSafeTable(
  ['tool', 'does', 'can take something away'],
  writeTools.map(({ name, description, isDestructive }) => [
    `[\`${name}\`](#${name})`,
    description,
    isDestructive === true ? 'yes' : 'no',
  ]),
)}`;

function sectionOf(tool: Tool): string {
  const { properties = {}, required = [] } = listedTool(tool, 'https://weir.example').inputSchema as {
    properties?: Readonly<Record<string, Argument>>;
    required?: readonly string[];
  };
  const rows = Object.entries(properties).map(([name, argument]) => [
    required.includes(name) ? `**\`${name}\`**` : `\`${name}\``,
    typeOf(argument),
    argument.default === undefined ? '' : `\`${JSON.stringify(argument.default)}\``,
    argument.description ?? '',
  ]);
  return `### ${tool.name}\n\n${tool.description}\n\n${pipeSafeTable(['argument', 'type', 'default', 'meaning'], rows)}`;
}

interface Argument {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly items?: Argument;
  readonly description?: string;
  readonly default?: unknown;
  readonly anyOf?: readonly Argument[];
}

function typeOf({ type, enum: words, items, anyOf }: Argument): string {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(', ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return [type ?? 'any'].flat().join(' or ');
}

const others = `## Resources and prompts

${pipeSafeTable(
  ['resource', 'has'],
  [
    ...fixedResources.map(({ uri, description }) => [`\`${uri}\``, description]),
    [`\`${eventTypeFamily.uriTemplate}\``, eventTypeFamily.description],
    ['`docs://{+path}`', 'The documentation, page by page.'],
  ],
)}

${pipeSafeTable(
  ['prompt', 'asks', 'arguments'],
  prompts.map(({ name, title, args }) => [
    `\`${name}\``,
    title,
    args.map((one) => `\`${one.name}\``).join(', '),
  ]),
)}

Names of clusters, consumer groups, fields and event types are completed.`;

function pipeSafeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownTable(
    head,
    rows.map((cells) => cells.map(escapePipes)),
  );
}

function thousands(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
