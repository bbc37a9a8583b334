import { spawnSync } from 'node:child_process';
import { missingPackage } from '../debian-package.ts';

/** Where Debian has it. */
export const chromiumPath = '/usr/bin/chromium';

export function missingChromium(): string | false {
  return missingPackage('chromium', () => spawnSync(chromiumPath, ['--version']).status === 0);
}
