import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { systemEnvironment } from '@weir/core';
import { passedAloneTally } from '../../scripts/test-run.ts';
import { root } from './repository.ts';

test('the gate ends without an error when its reader goes away', async () => {
  // Node's test runner refuses to run below another one that sets this variable.
  const { NODE_TEST_CONTEXT: _, ...env } = systemEnvironment;
  const child = spawn(process.execPath, ['scripts/check.ts', 'packages/core/src/bytes.test.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const closed = once(child, 'close');
  child.stdout.destroy();
  const [status] = await closed;
  assert.equal(errors, '');
  assert.equal(status, 141);
});

test('a run fails if too many files pass only when run alone', () => {
  const files = ['a.test.ts', 'b.test.ts', 'c.test.ts', 'd.test.ts'];
  assert.equal(passedAloneTally(files.slice(1), 3).failed, 0);
  assert.equal(passedAloneTally(files, 3).failed, 1);
  assert.equal(passedAloneTally(files, Number.POSITIVE_INFINITY).failed, 0);
});
