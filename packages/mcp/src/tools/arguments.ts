import { caps } from '@weir/core';
import * as z from 'zod';

/** Arguments that many tools have. */

export const clusterArgument = {
  virtual_cluster: z.string().min(1).max(135).describe('Id or name of the virtual cluster.'),
};

export const formatArguments = {
  format: z
    .enum(['concise', 'detailed'])
    .default('concise')
    .describe('concise: a table of the main fields; detailed: all, as JSON.'),
  max_tokens: z
    .int()
    .min(200)
    .max(caps.mcpAnswerTokensMax)
    .default(caps.mcpAnswerTokensUsual)
    .describe('How long the answer may be.'),
};

export function listArguments(rowsDefault: number) {
  return {
    limit: z.int().min(1).max(caps.mcpRowsMax).default(rowsDefault).describe('Rows at most.'),
    cursor: z.string().max(caps.apiCursorCharsMax).optional().describe('next_cursor of the answer before.'),
    ...formatArguments,
  };
}

export const queryArgument = {
  query: z.string().max(256).optional().describe('Only names that have this in them, in any case.'),
};

/** Whether a name has what was asked for in it. */
export function hasQuery(name: string, query: string | undefined): boolean {
  return query === undefined || name.toLowerCase().includes(query.toLowerCase());
}
