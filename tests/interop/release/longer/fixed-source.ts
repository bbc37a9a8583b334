import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../../..');

/** What npm and the release fetched, which a second clone need not fetch again. */
const caches = ['release', 'docs-site'];

/**
 * A clone of this clone with its uncommitted changes and its packages, which stays as it is while others commit here or
 * edit: two releases of it are of the same commit.
 */
export function fixedSource(folder: string): string {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const head = git(root, 'rev-parse', 'HEAD').trim();
  git(root, 'clone', '--quiet', '--no-checkout', root, folder);
  git(folder, '-c', 'advice.detachedHead=false', 'checkout', '--quiet', head);
  const changed = [
    ...git(root, 'diff', '--name-only', '-z', head).split('\0'),
    ...git(root, 'ls-files', '--others', '--exclude-standard', '-z').split('\0'),
  ];
  for (const path of changed) {
    if (path === '') continue;
    if (existsSync(join(root, path))) cpSync(join(root, path), join(folder, path));
    else rmSync(join(folder, path), { force: true });
  }
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.cache/weir'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (name !== '.cache') copyTree(join(root, 'node_modules', name), join(modules, name));
  for (const name of caches) {
    const path = join('.cache/weir', name);
    if (existsSync(join(root, 'node_modules', path)))
      copyTree(join(root, 'node_modules', path), join(modules, path));
  }
  return folder;
}

/** By hard links where that is possible. Links between workspaces are relative, and so lead into the new clone. */
function copyTree(from: string, to: string): void {
  if (spawnSync('cp', ['-al', from, to]).status === 0) return;
  rmSync(to, { recursive: true, force: true });
  execFileSync('cp', ['-a', from, to]);
}
