import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { systemEnvironment } from '@weir/core';
import { plantedMistakes } from './planted-mistakes.ts';

/**
 * Shows how strong the tests of JSON Schema's compatibility are: runs those that compare verdicts with values, not
 * those that list verdicts, once for each planted mistake, and prints which were not noticed.
 */
const folder = join(import.meta.dirname, '../src/json-schema/compatibility');
const tests = ['keyword-changes.test.ts', 'compatibility-properties.test.ts'].map((name) =>
  join(folder, name),
);
const hook = import.meta.resolve('./plant-mistake.ts');
const seed = join(import.meta.dirname, '../../../scripts/property-seed.ts');

function isNoticed(index: number, test: string): boolean {
  const { status, stdout } = spawnSync(
    process.execPath,
    [`--import=${hook}`, `--import=${seed}`, '--test', '--test-isolation=none', test],
    { encoding: 'utf8', env: { ...systemEnvironment, WEIR_PLANTED_MISTAKE: String(index) } },
  );
  const moved = /\S+ has no longer the text .*/.exec(stdout)?.[0];
  if (moved !== undefined) throw new Error(moved);
  return status !== 0;
}

let noticed = 0;
for (const [index, { file, text, instead }] of plantedMistakes.entries()) {
  if (tests.some((test) => isNoticed(index, test))) noticed++;
  else process.stdout.write(`not noticed: ${file}: ${text} -> ${instead}\n`);
}
process.stdout.write(`${noticed} of ${plantedMistakes.length} planted mistakes noticed\n`);
process.exitCode = noticed === plantedMistakes.length ? 0 : 1;
