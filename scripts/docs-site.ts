/**
 * Writes the documentation site into site, which the control plane serves at /docs: the pages of docs/ and those
 * beside it. VitePress, which does the work, is installed by the first build, with its own lock file, into the cache of
 * this clone; nothing that runs Weir needs it.
 *
 *   npm run docs:site                  into site
 *   npm run docs:site -- --out FOLDER  elsewhere
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import { release, systemEnvironment } from '@weir/core';
import { pagesBesideDocs } from '@weir/mcp';
import { navigation, sitePages } from './docs-site/pages.ts';

const root = join(import.meta.dirname, '..');
const generator = join(import.meta.dirname, 'docs-site/generator');
const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'site') } } });
const out = resolve(values.out);
const cache = join(root, 'node_modules/.cache/weir/docs-site');

/** The generator, by the lock file; no script of a package runs. */
function installGenerator(): void {
  const lock = readFileSync(join(generator, 'package-lock.json'));
  const stamp = createHash('sha256').update(lock).digest('hex');
  const stampPath = join(cache, '.installed');
  if (existsSync(stampPath) && readFileSync(stampPath, 'utf8') === stamp) return;
  process.stderr.write('Installing the generator of the site (about 100 MB), which happens once …\n');
  mkdirSync(cache, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(generator, name), join(cache, name));
  run(
    'npm',
    ['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    cache,
  );
  writeFileSync(stampPath, stamp);
}

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...systemEnvironment, CI: '1', NO_COLOR: '1' },
  });
  if (status === 0) return;
  throw new Error(`${command} ${args[0]} failed: ${error?.message ?? `${stdout}${stderr}`}`);
}

function filesBelow(folder: string, ends: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith(ends) && !path.startsWith(join(root, 'site')))
    .sort();
}

function writeBelow(folder: string, path: string, content: string | Uint8Array): void {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, content);
}

const ofRoot = (path: string) => relative(root, path).split(sep).join(posix.sep);
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

installGenerator();
const work = join(cache, `build-${process.pid}`);
try {
  cpSync(join(generator, '.vitepress'), join(work, '.vitepress'), { recursive: true });
  const images = ['.png', '.svg'].flatMap((ends) => filesBelow(join(root, 'docs'), ends)).map(ofRoot);
  const paths = [...filesBelow(join(root, 'docs'), '.md').map(ofRoot), ...Object.keys(pagesBesideDocs)];
  const pages = sitePages(
    paths.map((path) => ({ path, text: textOf(path) })),
    (path) => images.includes(path),
  );
  for (const { path, text } of pages) writeBelow(join(work, 'pages'), path, text);
  for (const path of images) cpSync(join(root, path), join(work, 'pages', path.slice('docs/'.length)));
  writeBelow(work, 'pages/public/logo.svg', readFileSync(join(root, 'packages/console/public/favicon.svg')));
  const built = join(work, 'built');
  const settings = {
    release,
    outDir: built,
    navigation: navigation(textOf('docs/README.md')),
  };
  writeBelow(work, 'site.json', JSON.stringify(settings));
  run(process.execPath, [join(cache, 'node_modules/vitepress/bin/vitepress.js'), 'build', '.'], work);
  // Takes the place of the last build at once: a server may read the folder.
  const last = join(work, 'last');
  mkdirSync(dirname(out), { recursive: true });
  if (existsSync(out)) renameSync(out, last);
  renameSync(built, out);
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.stderr.write(`Built the site: ${out}
`);
