import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { runLine } from '../../../packages/cli/testing/command-run.ts';
import { brokenPromises, earlyPromises } from '../../../packages/cli/testing/demo-promises.ts';
import { type RunningDemo, startDemo } from '../../../packages/cli/testing/running-demo.ts';

const bounded = { timeout: 300_000 };

/** A directory for temporary files that the test looks into. */
function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-demo-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

async function start(
  t: TestContext,
  flags: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<RunningDemo> {
  const demo = await startDemo(flags, env);
  t.after(() => demo.child.kill('SIGKILL'));
  return demo;
}

/** Faults take fifteen checks to be found, so that they are checked more often and more happens in between. */
const quick = ['-rate', '400', '-diagnosticsInterval', '500ms'];

test('a demo keeps its promises, its commands work, and it leaves nothing', {
  timeout: 300_000,
}, async (t) => {
  const folder = temporaryFolder(t);
  const demo = await start(t, quick, { TMPDIR: folder });
  // The data lake has a folder to write in as soon as its agent runs, which may be before this.
  const files = readdirSync(folder).filter((name) => !name.startsWith('weir-lake-'));
  assert.deepEqual(files, []);
  let open = earlyPromises;
  while (open.length > 0) {
    assert.equal(demo.child.exitCode, null, demo.stderr());
    await new Promise<void>((resolve) => systemClock.after(500, resolve));
    const broken = await brokenPromises(demo, open);
    // Diagnostics come and go when they run this often, so that one that failed once counts.
    open = open.filter(({ name }) => broken.some((problem) => problem.startsWith(`${name}: `)));
  }
  assert.equal(demo.commands.length, 4);
  for (const command of demo.commands) {
    const { status, out, err } = await runLine(command);
    assert.equal(status, 0, `${command}: ${err}`);
    assert.notEqual(out, '', command);
  }
  assert.equal(await demo.stop(), 0);
  assert.match(demo.stdout(), /\nweir demo has stopped\n$/);
  assert.equal(demo.stderr(), '');
  assert.deepEqual(readdirSync(folder), []);
});

test('a demo in a directory is continued, and a duration ends it', bounded, async (t) => {
  const folder = temporaryFolder(t);
  const flags = ['-dataDir', folder, '-duration', '1s'];
  for (let times = 0; times < 2; times++) {
    const demo = await start(t, flags);
    assert.equal(await demo.ended, 0);
    assert.ok(demo.stdout().includes(folder));
    assert.equal(demo.stderr(), '');
  }
  assert.deepEqual(await runLine('demo -bucketURL mem://bucket'), {
    status: 1,
    out: '',
    err: 'weir demo: -bucketURL: needs -dataDir, which stores the keys of the cluster\n',
  });
});
