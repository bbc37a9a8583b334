/**
 * Writes the parser of the filter language from its grammar:
 *
 *     node packages/events/testing/generate-parser.ts
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { buildParserFile } from '@lezer/generator';

const folder = new URL('../src/filter/', import.meta.url);
export const generatedParserUrl = new URL('parser.ts', folder);

/** Returns the required contents of parser.ts. */
export function generateParser(): string {
  const grammar = readFileSync(new URL('filter.grammar', folder), 'utf8');
  const { parser } = buildParserFile(grammar, {
    fileName: 'filter.grammar',
    typeScript: true,
    exportName: 'generatedParser',
    warn(message) {
      throw new Error(message);
    },
  });
  const note = ['assist', 'format', 'lint']
    .map((rule) => `// biome-ignore-all ${rule}: generated\n`)
    .join('');
  return `${note}${parser.trimEnd()}\n`;
}

if (import.meta.main) writeFileSync(generatedParserUrl, generateParser());
