import { spawnSync } from 'node:child_process';
import { systemEnvironment } from '@weir/core';

/** Several test files may install something at the same time. */
const waitForOthers = ['-o', 'DPkg::Lock::Timeout=240'];

/**
 * Why a program is not available, as the `skip` of a test. In CI as root, Debian's package of that name is installed
 * first; on a developer's machine nothing is installed.
 */
export function missingPackage(name: string, isThere: () => boolean): string | false {
  if (isThere()) return false;
  if (systemEnvironment.CI === undefined || process.getuid?.() !== 0) return `${name} is not installed`;
  spawnSync('apt-get', [...waitForOthers, 'update', '-qq'], { timeout: 120_000 });
  const options = [...waitForOthers, 'install', '-y', '--no-install-recommends', name];
  const { error, stderr } = spawnSync('apt-get', options, { encoding: 'utf8', timeout: 400_000 });
  if (isThere()) return false;
  return `${name} is not installed, and apt-get cannot: ${error?.message ?? stderr.trim().split('\n').at(-1)}`;
}
