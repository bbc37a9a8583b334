import { docsTools } from './docs/docs-tools.ts';
import type { DocsPage } from './docs/documentation.ts';
import { mcpLimits } from './limits.ts';
import { prompts } from './prompts/prompts.ts';
import type { ServerManifest } from './protocol-server.ts';
import { docsFamily, eventTypeFamily, fixedResources } from './resources/resources.ts';
import { tools } from './tools/tools.ts';
import { writeTools } from './writes/write-tools.ts';

const writing =
  'Tools with `dry_run` change something: by default they return what would change, with values before and after; with dry_run false the user is asked to confirm that change, and then it is made. Show the dry run first.';

/** What the control plane offers; it requires keys. With `writes`, also tools that change something. */
export function controlPlaneManifest(
  pages: readonly DocsPage[],
  { writes = false }: { readonly writes?: boolean } = {},
): ServerManifest {
  return {
    name: 'weir',
    title: 'Weir',
    instructions: [
      `Tools to look at virtual clusters of a Kafka-compatible streaming service. ${writes ? writing : 'All of them only read.'}`,
      'Call get_context first: it names the virtual clusters. Other tools take them by id or name.',
      'For events, prefer aggregate_events before search_events; a search reaches over 24 hours at most.',
      'Results say in `truncated` and `next_cursor` whether there is more, and in `hint` what to do next; `cursor` takes next_cursor.',
      `\`format\` concise (default) gives the main fields as a table, detailed all of them; \`limit\` is of rows, at most ${mcpLimits.mcpRowsMax}; \`max_tokens\` ${mcpLimits.mcpAnswerTokensUsual} by default, at most ${mcpLimits.mcpAnswerTokensMax}.`,
    ].join(' '),
    tools: writes ? [...tools, ...writeTools] : tools,
    resources: fixedResources,
    families: [eventTypeFamily, docsFamily(pages)],
    prompts,
    isPublic: false,
  };
}

/** What the documentation offers, without keys. It has no access to clusters. */
export function documentationManifest(pages: readonly DocsPage[]): ServerManifest {
  return {
    name: 'weir-docs',
    title: 'Documentation of Weir',
    instructions: 'search_docs finds sections of the documentation by words; read_doc reads a page.',
    tools: docsTools(pages),
    resources: [],
    families: [docsFamily(pages)],
    prompts: [],
    isPublic: true,
  };
}
