import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { completedFile, completionCases } from '../../../packages/cli/testing/completion-cases.ts';
import { missingShell } from './shells.ts';

const weir = join(import.meta.dirname, '../../../bin/weir');
const cases = completionCases();

/** A folder with the script that the command prints for a shell, and what is asked. */
function folderFor(t: TestContext, shell: 'zsh' | 'fish'): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-shell-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const { status, stdout, stderr } = spawnSync(weir, ['completion', shell], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  writeFileSync(join(folder, 'script'), stdout);
  writeFileSync(join(folder, completedFile), '');
  writeFileSync(join(folder, 'lines'), cases.map(({ typed }) => `${typed}\n`).join(''));
  return folder;
}

/** Compares with answers that each end with a line of two dashes. */
function compare(answers: string): void {
  const found = answers.split(/^--\n/m).slice(0, -1);
  assert.equal(found.length, cases.length);
  for (const [index, { typed, words }] of cases.entries()) {
    const offered = new Set(found[index]!.split('\n').filter(Boolean));
    assert.deepEqual([...offered].toSorted(), words.toSorted(), `«${typed}»`);
  }
}

test('fish completes every command, flag and value of the table', { skip: missingShell('fish') }, (t) => {
  const folder = folderFor(t, 'fish');
  // A description follows a tab.
  const ask =
    'source ./script; while read -l -z line; complete -C "$line" | string replace -r "\\t.*" ""; printf "%s\\n" --; end';
  const input = cases.map(({ typed }) => `${typed}\0`).join('');
  const { status, stdout, stderr } = spawnSync('fish', ['--no-config', '-c', ask], {
    cwd: folder,
    encoding: 'utf8',
    input,
    timeout: 300_000,
  });
  assert.deepEqual([status, stderr], [0, '']);
  compare(stdout);
});

for (const [how, isInFpath] of [
  ['by a script that is sourced', false],
  ['by a script in a folder of $fpath', true],
] as const)
  test(`zsh completes every command, flag and value of the table ${how}`, {
    skip: missingShell('zsh'),
  }, (t) => {
    const folder = folderFor(t, 'zsh');
    copyFileSync(join(import.meta.dirname, 'zsh-setup.zsh'), join(folder, 'setup.zsh'));
    if (isInFpath) {
      mkdirSync(join(folder, 'fpath'));
      copyFileSync(join(folder, 'script'), join(folder, 'fpath', '_weir'));
    }
    const ask = join(import.meta.dirname, 'zsh-ask.zsh');
    const { status, stderr } = spawnSync('zsh', ['-f', ask], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 300_000,
    });
    assert.deepEqual([status, stderr], [0, '']);
    compare(readFileSync(join(folder, 'answers'), 'utf8'));
  });
