import { spawnSync } from 'node:child_process';
import { systemEnvironment } from '@weir/core';

/** Several test files may install something at the same time. */
const waitForOthers = ['-o', 'DPkg::Lock::Timeout=240'];

/**
 * Why a program is not available, as the `skip` of a test. In CI as root, Debian's package of that name is installed
 * first; on a developer's machine nothing is installed. A small one is installed wherever tests run as root, as they do
 * in containers.
 */
export function missingPackage(
  name: string,
  isThere: () => boolean,
  { isSmall = false } = {},
): string | false {
  if (isThere()) return false;
  const mayInstall = process.getuid?.() === 0 && (isSmall || systemEnvironment.CI !== undefined);
  if (!mayInstall) return `${name} is not installed`;
  const install = () =>
    spawnSync('apt-get', [...waitForOthers, 'install', '-y', '--no-install-recommends', name], {
      encoding: 'utf8',
      timeout: 400_000,
    });
  // Lists of packages are fetched only if there are none, or old ones.
  install();
  if (isThere()) return false;
  spawnSync('apt-get', [...waitForOthers, 'update', '-qq'], { timeout: 120_000 });
  const { error, stderr } = install();
  if (isThere()) return false;
  return `${name} is not installed, and apt-get cannot: ${error?.message ?? stderr.trim().split('\n').at(-1)}`;
}
