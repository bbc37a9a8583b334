import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './repository.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    (match) => match[1]!,
  );
}

test('the commands of the tour answer as the tour says', () => {
  const commands = blocks('console')
    .join('')
    .split(/^\$ /m)
    .filter((text) => text !== '');
  assert.ok(commands.length >= 3);
  for (const text of commands) {
    const [line, ...expected] = text.trimEnd().split('\n');
    const [program, ...args] = line!.split(' ');
    const { stdout, stderr } = spawnSync(join(root, program!), args, { cwd: root, encoding: 'utf8' });
    assert.equal((stdout + stderr).trimEnd(), expected.join('\n'), line);
  }
});
