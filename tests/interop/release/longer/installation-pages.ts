/** docs/start/install.md, as the tests follow it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from '../../readme/blocks.ts';
import type { Shown } from '../../readme/page-run.ts';
import { platform } from './made-release.ts';

const root = join(import.meta.dirname, '../../../..');

/** The page names the artefacts for x64. */
const installPage = readFileSync(join(root, 'docs/start/install.md'), 'utf8')
  .replaceAll('linux-x64', platform.name)
  .replaceAll('_amd64.deb', `_${platform.debianName}.deb`);

const chapters = installPage.split(/^(?=## )/m);

/** Those that a test follows; blocks of others say why they are not run. */
const followed: readonly string[] = [
  'npm',
  'Archive',
  'Debian package',
  'Image',
  'A first record',
  'Deploy',
  'systemd',
];

/** Commands of the page that no test runs, and that do not say so. */
export function unrunCommands(): string[] {
  return chapters
    .filter((text) => !followed.some((heading) => text.startsWith(`## ${heading}\n`)))
    .flatMap(blocksOf)
    .filter(({ language, notRun }) => language === 'sh' && notRun === undefined)
    .map(({ text }) => text);
}

/** Chapters of docs/start/install.md by their headings, one after the other, as a reader goes through them. */
export function installChapters(...headings: readonly string[]): string {
  return headings
    .map((heading) => {
      const found = chapters.find((text) => text.startsWith(`## ${heading}\n`));
      if (found === undefined || !followed.includes(heading))
        throw new Error(`docs/start/install.md has no chapter ${heading}`);
      return found;
    })
    .join('\n');
}

/** What the commands for a first record are there to show, on every page. */
export const firstRecord: readonly Shown[] = [
  ['weir cli create-topic -topic orders', /orders/],
  ['weir cli fetch -topic orders -offset earliest', /one order/],
];
