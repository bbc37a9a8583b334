import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
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

/** Runs a file with tests as the gate does. */
function runFile(t: TestContext, source: string, ...flags: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-gate-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'one.test.mjs');
  writeFileSync(file, source);
  const { NODE_TEST_CONTEXT: _, ...env } = systemEnvironment;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/test-process.ts'), ...flags, file],
    { encoding: 'utf8', env, timeout: 60_000 },
  );
  const results = stdout.split('\n').filter((line) => line.includes('"passed":'));
  return { status, stderr, results: results.map((line) => JSON.parse(line.slice(line.indexOf('{')))) };
}

test('a quick process follows no promises, and still knows which tests are within a suite', (t) => {
  const source = `
    import assert from 'node:assert/strict';
    import { executionAsyncId } from 'node:async_hooks';
    import { describe, test } from 'node:test';
    describe('suite', () => {
      test('inner', async () => {
        await null;
        const before = executionAsyncId();
        await null;
        assert.equal(executionAsyncId() === before, process.argv.includes('--quick'));
      });
    });`;
  for (const flags of [[], ['--quick']]) {
    const { status, results, stderr } = runFile(t, source, ...flags);
    assert.equal(status, 0, `${stderr}${JSON.stringify(results)}`);
    assert.deepEqual(
      results.map(({ name, isSuite }) => [name, isSuite]),
      [
        ['inner', false],
        ['suite', true],
      ],
    );
  }
});

test('an error that no test caught fails the process, and without --quick the test', (t) => {
  const source = `
    import { test } from 'node:test';
    test('waits for what failed', async () => {
      await null;
      void Promise.reject(new Error('stray'));
      await new Promise(() => {});
    });`;
  const quick = runFile(t, source, '--quick');
  assert.equal(quick.status, 1);
  assert.match(quick.stderr, /^no test caught this: Error: stray\n/);
  const usual = runFile(t, source);
  assert.equal(usual.status, 1);
  assert.deepEqual(
    usual.results.map(({ name, passed }) => [name, passed]),
    [['waits for what failed', false]],
  );
});
