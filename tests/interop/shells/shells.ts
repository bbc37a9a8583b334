import { spawnSync } from 'node:child_process';
import { missingPackage } from '../debian-package.ts';

type OtherShell = 'zsh' | 'fish';

export function missingShell(shell: OtherShell): string | false {
  return missingPackage(shell, () => spawnSync(shell, ['--version']).status === 0);
}
