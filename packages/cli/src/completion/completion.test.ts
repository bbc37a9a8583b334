import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { completedFile, completionCases } from '../../testing/completion-cases.ts';
import { completionScript } from './completion-script.ts';

const hasBash = spawnSync('bash', ['-c', 'true']).status === 0;

/** Other shells: tests/interop/shells. */
test('bash completes commands, flags and values', { skip: !hasBash && 'bash is not installed' }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-completion-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, completedFile), '');
  const cases = completionCases();
  // To bash an equals sign is a word of its own, and what is before it is not completed.
  const lines = cases.map(({ typed }) => {
    const words = typed.split(/ |(?<==)(?!$)|(?==)/).map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _weir; echo "\${COMPREPLY[*]}"`;
  });
  writeFileSync(join(folder, 'try'), `${completionScript('bash')}\n${lines.join('\n')}`);
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', './try'], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, '']);
  const found = stdout.split('\n');
  for (const [index, { typed, words }] of cases.entries())
    assert.deepEqual(
      found[index]!.split(' ').filter(Boolean),
      words.map((word) => word.replace(/^.*=/, '')),
      typed,
    );
});
