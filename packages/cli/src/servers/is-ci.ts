import type { Environment } from '@weir/core';

/** Whether the process runs in CI, by the variable that CI services have in common. */
export function isCi({ CI }: Environment): boolean {
  return CI !== undefined && CI !== '' && CI !== 'false' && CI !== '0';
}
