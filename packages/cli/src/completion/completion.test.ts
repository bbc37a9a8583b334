import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { completionScript, type Shell } from './completion-script.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-completion-'));
before(() => {
  writeFileSync(join(folder, 'token.txt'), '');
  for (const shell of ['bash', 'zsh', 'fish'] as const)
    writeFileSync(join(folder, shell), completionScript(shell));
});
after(() => rmSync(folder, { recursive: true }));

function has(shell: Shell): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

/** Completes the last word, as bash splits it: an equals sign is a word. */
const typed = [
  ['weir', 'vers', 'version'],
  ['weir', 'cli', 'list-t', 'list-topics'],
  ['weir', 'cli', 'events', '', 'search tail enable disable fields'],
  ['weir', 'completion', '', 'bash zsh fish'],
  ['weir', 'cli', 'list-topics', '-out', '-output'],
  ['weir', 'cli', 'list-topics', '--out', '--output'],
  ['weir', 'cli', 'list-topics', '-output', '', 'table json'],
  ['weir', 'cli', 'list-topics', '--output', 'j', 'json'],
  ['weir', 'cli', 'list-topics', '-output', '=', 'table json'],
  ['weir', 'cli', 'list-topics', '-output', '=', 'ta', 'table'],
  ['weir', 'cli', 'list-topics', '-tls', '=', 't', 'true'],
  ['weir', 'cli', 'list-topics', '-tls', '-output', 't', 'table'],
  ['weir', 'cli', 'list-topics', '-client-id', '', ''],
  ['weir', 'cli', 'list-topics', '-oauthTokenFile', 'tok', 'token.txt'],
  ['weir', 'apply', '-f', 'tok', 'token.txt'],
  ['weir', 'cli', 'create-acls', '-operation', 'DESCRIBE_C', 'DESCRIBE_CONFIGS'],
  ['weir', 'agent', '-batchTimeo', '-batchTimeout'],
  ['weir', 'nonsense', '-ou', ''],
] as const;

test('bash completes commands, flags and values', { skip: !has('bash') && 'bash is not installed' }, () => {
  const lines = typed.map((words) => {
    const given = words.slice(0, -1).map((word) => `'${word}'`);
    return `COMP_WORDS=(${given.join(' ')}); COMP_CWORD=${given.length - 1}; _weir; echo "\${COMPREPLY[*]}"`;
  });
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', `. ./bash\n${lines.join('\n')}`], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.deepEqual([status, stderr], [0, '']);
  const found = stdout.split('\n');
  for (const [index, words] of typed.entries()) assert.equal(found[index], words.at(-1), words.join(' '));
});

for (const shell of ['zsh', 'fish'] as const) {
  test(`${shell} reads its script`, { skip: !has(shell) && `${shell} is not installed` }, () => {
    const { status, stderr } = spawnSync(shell, ['-n', shell], { cwd: folder, encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
  });
}

test('fish completes as bash does', { skip: !has('fish') && 'fish is not installed' }, () => {
  const line = 'source ./fish; complete -C "weir cli list-topics -output j"';
  const { stdout } = spawnSync('fish', ['--no-config', '-c', line], { cwd: folder, encoding: 'utf8' });
  assert.match(stdout, /^json\b/);
});

test('every script names every available tool', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = completionScript(shell);
    for (const word of ['list-topics', 'diagnose-record', 'saslMechanism', 'SCRAM-SHA-512'])
      assert.ok(script.includes(word), `${shell} ${word}`);
  }
});
