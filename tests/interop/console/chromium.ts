import { spawnSync } from 'node:child_process';
import { systemEnvironment } from '@weir/core';

/** Where Debian has it. */
export const chromiumPath = '/usr/bin/chromium';

/**
 * Why there is no browser, as the `skip` of a test. In CI as root, Debian's is installed first; on a developer's
 * machine nothing is installed.
 */
export function missingChromium(): string | false {
  if (hasChromium()) return false;
  if (systemEnvironment.CI === undefined || process.getuid?.() !== 0) return 'chromium is not installed';
  spawnSync('apt-get', ['update', '-qq'], { timeout: 120_000 });
  const options = ['install', '-y', '--no-install-recommends', 'chromium'];
  const installed = spawnSync('apt-get', options, { encoding: 'utf8', timeout: 300_000 });
  if (hasChromium()) return false;
  return `chromium is not installed, and apt-get cannot: ${installed.error?.message ?? installed.stderr.trim().split('\n').at(-1)}`;
}

function hasChromium(): boolean {
  return spawnSync(chromiumPath, ['--version']).status === 0;
}
