import { apiLimits } from '@weir/api/limits';
import { nearestNames } from '@weir/core';
import * as z from 'zod';
import { conciseText } from '../answers/concise-text.ts';
import { ToolProblem } from '../answers/problem.ts';
import { charsPerToken } from '../answers/tokens.ts';
import { mcpLimits } from '../limits.ts';
import type { Tool } from '../tools/tool.ts';
import type { DocsPage } from './documentation.ts';
import { docsSearch } from './search-docs.ts';

const hit = z.object({
  path: z.string(),
  title: z.string(),
  section: z.string(),
  line: z.int(),
  excerpt: z.string(),
});

const hitsMax = 20;
const hitsUsual = 8;
const charsMax = mcpLimits.mcpAnswerTokensUsual * charsPerToken;

/** The tools of the documentation server: search pages and read them. They have no access to clusters. */
export function docsTools(pages: readonly DocsPage[]): readonly Tool[] {
  const search = docsSearch(pages);
  const searchInput = z.strictObject({
    query: z.string().min(1).max(256).describe('Words to look for, such as "retention of compacted topics".'),
    limit: z.int().min(1).max(hitsMax).default(hitsUsual).describe('Sections at most.'),
  });
  const readInput = z.strictObject({
    path: z.string().min(1).max(256).describe('The page, as search_docs returns it.'),
    line: z.int().min(1).default(1).describe('Where to begin, from 1.'),
  });
  return [
    {
      name: 'search_docs',
      icon: 'docs',
      title: 'Search the documentation',
      description: 'Finds sections of the documentation by words, the best first. read_doc reads a page.',
      input: searchInput,
      output: z.object({ hits: z.array(hit), hint: z.string().optional() }),
      operations: [],
      run: async ({ query, limit }: z.output<typeof searchInput>, { clock }) => {
        const hits = await search(query, limit, clock);
        const fields =
          hits.length > 0
            ? { hits }
            : { hits, hint: `No section contains these words. Pages: ${pathsOf(pages)}` };
        return { fields, text: conciseText(fields) };
      },
    },
    {
      name: 'read_doc',
      icon: 'docs',
      title: 'Read a page of the documentation',
      description: 'Gives a page of the documentation as Markdown, or the part of it that begins at a line.',
      input: readInput,
      output: z.object({
        path: z.string(),
        title: z.string(),
        text: z.string(),
        truncated: z.boolean(),
        next_line: z.int().nullable(),
      }),
      operations: [],
      run: async ({ path, line }: z.output<typeof readInput>) => {
        const page = pages.find((one) => one.path === path);
        if (page === undefined) throw noPage(pages, path);
        const part = partOf(page, line);
        const fields = { path, title: page.title, ...part };
        const more = part.next_line === null ? '' : `\n\n(continues: read_doc with line ${part.next_line})`;
        return { fields, text: part.text + more };
      },
    },
  ];
}

function noPage(pages: readonly DocsPage[], path: string): ToolProblem {
  const near = nearestNames(
    path,
    pages.map((page) => page.path),
  );
  const there = near.length > 0 ? near.join(', ') : pathsOf(pages);
  return new ToolProblem('page_not_found', `Page not found. Pages: ${there}`);
}

function pathsOf(pages: readonly DocsPage[]): string {
  return pages
    .map(({ path }) => path)
    .join(', ')
    .slice(0, apiLimits.apiTextCharsMax);
}

/** Returns whole lines of a page, as many as fit one answer. A longer line is cut. */
function partOf({ text }: DocsPage, line: number) {
  const lines = text.split('\n').slice(line - 1);
  let chars = 0;
  let count = 0;
  for (const one of lines) {
    chars += one.length + 1;
    if (chars > charsMax && count > 0) break;
    count++;
  }
  const hasMore = count < lines.length;
  return {
    text: lines.slice(0, count).join('\n').slice(0, charsMax),
    truncated: hasMore,
    next_line: hasMore ? line + count : null,
  };
}
