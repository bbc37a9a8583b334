import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { mcpLimits } from '../limits.ts';

/** A page of the documentation. */
export interface DocsPage {
  /** The path below the folder, such as `reference/acls.md`. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/**
 * Pages of the documentation site that lie beside the folder in the repository, by their names among the others.
 * A release has them in the folder.
 */
export const pagesBesideDocs: Readonly<Record<string, string>> = {
  'README.md': 'tour.md',
  'DESIGN.md': 'architecture.md',
  'CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'security.md',
  'CONTRIBUTING.md': 'contributing.md',
};

/** Returns the pages that are installed with this program; empty if a package left them out. */
export function readDocumentation(folder: string): readonly DocsPage[] {
  const below = markdownIn(folder).map((file) => ({
    file,
    path: relative(folder, file).split(sep).join('/'),
  }));
  const beside = Object.entries(below.length === 0 ? {} : pagesBesideDocs)
    .map(([name, path]) => ({ file: join(folder, '..', name), path }))
    .filter(({ file, path }) => !below.some((page) => page.path === path) && existsSync(file));
  return [...below, ...beside]
    .slice(0, mcpLimits.docsPagesMax)
    .map(({ file, path }) => {
      const text = readFileSync(file, 'utf8');
      return { path, title: titleOf(text), text };
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
