import { spawnSync } from 'node:child_process';
import { systemEnvironment } from '@weir/core';

type OtherShell = 'zsh' | 'fish';

/**
 * Why a shell is not available, as the `skip` of a test. In CI as root, Debian's is installed first; on a developer's
 * machine nothing is installed.
 */
export function missingShell(shell: OtherShell): string | false {
  if (hasShell(shell)) return false;
  if (systemEnvironment.CI === undefined || process.getuid?.() !== 0) return `${shell} is not installed`;
  spawnSync('apt-get', ['update', '-qq'], { timeout: 120_000 });
  const options = ['install', '-y', '--no-install-recommends', shell];
  const installed = spawnSync('apt-get', options, { encoding: 'utf8', timeout: 300_000 });
  if (hasShell(shell)) return false;
  return `${shell} is not installed, and apt-get cannot: ${installed.error?.message ?? installed.stderr.trim().split('\n').at(-1)}`;
}

function hasShell(shell: OtherShell): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}
