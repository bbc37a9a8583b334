import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Builds the program in `bento/` by Go, which takes some minutes of processor time once, and returns its path. */
export function bentoProgram(): string {
  const built = join(import.meta.dirname, '../../../node_modules/.cache/weir/bento-pipelines');
  mkdirSync(join(built, '..'), { recursive: true });
  const cwd = join(import.meta.dirname, 'bento');
  const result = spawnSync('go', ['build', '-o', built, '.'], { cwd, stdio: 'inherit' });
  if (result.status !== 0) throw new Error('go could not build the program that runs Bento');
  return built;
}
