import { readFileSync } from 'node:fs';

const file = new URL('../../../../CHANGELOG.md', import.meta.url);

/** Returns the changelog that is installed with this program; empty if a package left it out. */
export function ownChangelog(): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
