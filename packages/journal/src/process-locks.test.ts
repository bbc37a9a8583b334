import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { openJournals } from './open.ts';
import { ProcessLocks } from './process-locks.ts';

function databaseIn(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-slots-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'weir.db');
}

/** Another process that claims a slot and then does nothing; resolves with its name. */
async function claimElsewhere(t: TestContext, path: string): Promise<[name: string, process: ChildProcess]> {
  const module = new URL('./process-locks.ts', import.meta.url).href;
  const script = `
    const { ProcessLocks } = await import(${JSON.stringify(module)});
    globalThis.slots = new ProcessLocks(${JSON.stringify(path)});
    process.stdout.write(globalThis.slots.claim());
    process.stdin.resume();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [name] = (await once(child.stdout, 'data')) as [Buffer];
  return [name.toString(), child];
}

test('live processes have different names, and a killed one leaves its name to the next', async (t) => {
  const path = databaseIn(t);
  const [name, child] = await claimElsewhere(t, path);
  const ours = new ProcessLocks(path);
  t.after(() => ours.release());
  assert.notEqual(ours.claim(), name);
  assert.equal(ours.claim(), ours.claim(), 'a process has one name');
  assert.equal(ours.isGone(ours.claim()), false);
  assert.equal(ours.isGone(name), false);
  child.kill('SIGSTOP');
  assert.equal(ours.isGone(name), false, 'a paused process may go on');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(ours.isGone(name), true);
  assert.equal(ours.isGone(name), true, 'a check changes nothing');
  const next = new ProcessLocks(path);
  t.after(() => next.release());
  assert.equal(next.claim(), name);
  assert.equal(ours.isGone(name), false);
  for (const foreign of ['', 'process-', 'process-999', '6c1b-uuid'])
    assert.equal(ours.isGone(foreign), false);
});

test('no process waits for the lease of a process that is gone', async (t) => {
  const path = databaseIn(t);
  const [name, child] = await claimElsewhere(t, path);
  // Time stands still, so that no lease expires by itself.
  const hub = openJournals(path, { clock: new HandClock(), log: silentLog });
  t.after(() => hub.close());
  const journal = hub.journal('c');
  const { epoch } = await journal.acquireLease({ id: name, url: 'http://dead' }, 3_000);
  const self = { id: hub.processId()!, url: 'http://us' };
  const refused = await journal.acquireLease(self, 3_000);
  assert.deepEqual([refused.epoch, 'heldBy' in refused && refused.heldBy.id], [undefined, name]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const taken = await journal.acquireLease(self, 3_000);
  assert.ok(taken.epoch! > epoch!);
});
