import { readFileSync } from 'node:fs';

const file = new URL('../../../../CHANGELOG.md', import.meta.url);

/** The changelog that came with this program; empty where a package left it out. */
export function ownChangelog(): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
