import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { mcpLimits } from '../limits.ts';

/** A page of the documentation. */
export interface DocsPage {
  /** The path below the folder, such as `reference/acls.md`. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** Returns the pages that are installed with this program; empty if a package left them out. */
export function readDocumentation(folder: string): readonly DocsPage[] {
  return markdownIn(folder)
    .slice(0, mcpLimits.docsPagesMax)
    .map((file) => {
      const text = readFileSync(file, 'utf8');
      return { path: relative(folder, file).split(sep).join('/'), title: titleOf(text), text };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function markdownIn(folder: string): string[] {
  const names = namesIn(folder);
  return names.flatMap((name) => {
    const path = join(folder, name);
    const found = statSync(path);
    if (found.isDirectory()) return markdownIn(path);
    return name.endsWith('.md') && found.size <= mcpLimits.docsPageBytesMax ? [path] : [];
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function titleOf(text: string): string {
  return /^#\s+(.+)$/m.exec(text)?.[1]?.trim() ?? '';
}
