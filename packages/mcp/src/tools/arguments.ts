import { apiLimits } from '@weir/api/limits';
import * as z from 'zod';
import { mcpLimits } from '../limits.ts';

/**
 * Arguments of many tools; their names are not explained again, since every tool that has one pays for the text. They
 * have the names of the API; where the API takes an id, a name may be given.
 */

export const clusterArgument = {
  virtual_cluster_id: z.string().min(1).max(135).describe('Id or name.'),
};

export const formatArguments = {
  format: z
    .enum(['concise', 'detailed'])
    .default('concise')
    .describe('concise: the main fields; detailed: all.'),
  max_tokens: z.int().min(200).max(mcpLimits.mcpAnswerTokensMax).default(mcpLimits.mcpAnswerTokensUsual),
};

export function listArguments(rowsDefault: number) {
  return {
    limit: z.int().min(1).max(mcpLimits.mcpRowsMax).default(rowsDefault),
    cursor: z
      .string()
      .max(apiLimits.apiCursorCharsMax)
      .optional()
      .describe('next_cursor of the last result.'),
    ...formatArguments,
  };
}

export const queryArgument = {
  query: z.string().max(256).optional().describe('Part of the name, ignoring case.'),
};

/** Whether a name contains the query. */
export function hasQuery(name: string, query: string | undefined): boolean {
  return query === undefined || name.toLowerCase().includes(query.toLowerCase());
}
