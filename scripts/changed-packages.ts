import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Returns the folders of packages that differ from the main branch, or depend on one that does. */
export function changedPackages(root: string): readonly string[] {
  const folders = new Map<string, Manifest>();
  for (const path of globSync(
    ['packages/*/package.json', 'bench/package.json', 'tests/interop/package.json'],
    {
      cwd: root,
    },
  )) {
    folders.set(dirname(path), JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest);
  }
  const files = changedFiles(root);
  const changed = new Set<string>();
  for (const [folder, { name }] of folders) {
    if (files.some((file) => file.startsWith(`${folder}/`))) changed.add(name);
  }
  for (let before = -1; before !== changed.size; ) {
    before = changed.size;
    for (const { name, dependencies } of folders.values()) {
      if (Object.keys(dependencies ?? {}).some((dependency) => changed.has(dependency))) changed.add(name);
    }
  }
  // Development dependencies affect only the package's own tests, and not its dependents.
  const tested = [...folders.values()].filter(({ devDependencies }) =>
    Object.keys(devDependencies ?? {}).some((dependency) => changed.has(dependency)),
  );
  for (const { name } of tested) changed.add(name);
  return [...folders].filter(([, { name }]) => changed.has(name)).map(([folder]) => folder);
}

/**
 * Returns the files that differ from the merge base with the main branch, committed or not. On the main branch:
 * uncommitted files.
 */
function changedFiles(root: string): readonly string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const base = git('merge-base', 'HEAD', 'main');
  const listed = [git('diff', '--name-only', base), git('ls-files', '--others', '--exclude-standard')];
  return listed
    .join('\n')
    .split('\n')
    .filter((path) => path !== '');
}
