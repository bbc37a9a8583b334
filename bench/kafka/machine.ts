import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, release as kernelRelease, totalmem, type } from 'node:os';
import { GiB } from '@weir/core';

/** Describes this machine. Results of two machines do not belong in one table. */
export function machine(): string {
  const [, java] =
    /version "([^"]+)"/.exec(spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr) ?? [];
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.replaceAll(/\s+/g, ' ') ?? 'unknown'})`,
    `${Math.round(totalmem() / GiB)} GiB`,
    `${type()} ${kernelRelease()}`,
    `Node ${process.versions.node}`,
    java === undefined ? 'no Java' : `Java ${java}`,
  ].join(', ');
}

/** Returns the measured commit, with a plus if the working tree differs from it. */
export function commit(root: string): string {
  const git = (...args: string[]) =>
    spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? '';
  const short = git('rev-parse', '--short=9', 'HEAD');
  if (short === '') return 'unknown';
  return git('status', '--porcelain', '--', 'packages') === '' ? short : `${short}+`;
}
