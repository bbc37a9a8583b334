import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { WriteHealth } from '@weir/broker';
import { failingMsMax, TestStore } from '@weir/broker/testing';
import { Metrics, silentLog } from '@weir/core';
import { HandClock, settle } from '@weir/core/testing';
import { StoreError } from '@weir/storage';
import { agentLimits } from '../limits.ts';
import { lookMs, Readiness, silenceMsMax } from './readiness.ts';

const full = new StoreError('full', 'key', 'the disk is full (ENOSPC)');

function stage(t: TestContext, { deletes = true } = {}) {
  const clock = new HandClock();
  const store = new TestStore();
  const logged: string[] = [];
  const log = {
    ...silentLog,
    error: (message: string) => void logged.push(message),
    info: (message: string) => void logged.push(message),
  };
  const metrics = new Metrics();
  const writes = new WriteHealth(clock);
  const readiness = new Readiness({ writes, store, probeKey: 'probes/a', deletes, clock, log, metrics });
  t.after(() => readiness.stop());
  /** Lets time pass while the control plane answers. */
  const pass = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
      readiness.heartbeatAnswered();
      await clock.pass(1_000);
    }
  };
  const gauge = () => /^service_agent_ready (\d)$/m.exec(metrics.render())?.[1];
  return { clock, store, writes, readiness, pass, logged, gauge };
}

test('an agent is alive from its start, and ready from then until it stops', async (t) => {
  const { readiness, gauge } = stage(t);
  assert.deepEqual([readiness.hasStarted, readiness.problem()?.reason, gauge()], [false, 'starting', '0']);
  readiness.heartbeatAnswered();
  readiness.start();
  assert.deepEqual([readiness.hasStarted, readiness.problem()?.reason, gauge()], [true, undefined, '1']);
  readiness.stop();
  assert.deepEqual([readiness.hasStarted, readiness.problem()?.reason, gauge()], [true, 'stopping', '0']);
});

test('an agent that cannot write is not ready, and finds out by itself when it can again', async (t) => {
  const { store, writes, readiness, pass, logged, gauge } = stage(t);
  readiness.heartbeatAnswered();
  readiness.start();
  await pass(60_000);
  assert.equal(store.puts, 0, 'nothing is written while nothing fails');

  store.beforePut = () => Promise.reject(full);
  writes.began(3_000).failed(full);
  await pass(failingMsMax);
  assert.match(readiness.problem()!.detail, /^writes to the bucket have failed for \d+ s: the disk is full/);
  assert.equal(readiness.problem()!.reason, 'disk full', 'what everyone may know has no details');
  writes.began(3_000).failed(new StoreError('timeout', 'key', 'no answer'));
  assert.equal(readiness.problem()!.reason, 'store unavailable');
  writes.began(3_000).failed(full);
  const puts = store.puts;
  for (let i = 0; i < 100; i++) readiness.problem();
  await settle();
  assert.equal(store.puts, puts, 'asking costs no request');
  await pass(10 * lookMs);
  assert.ok(store.puts - puts <= 10, `${store.puts - puts} probes`);
  assert.deepEqual([logged, gauge()], [['lost readiness'], '0']);

  store.beforePut = () => {};
  await pass(2 * lookMs);
  assert.equal(readiness.problem(), undefined);
  assert.deepEqual([logged, gauge()], [['lost readiness', 'recovered readiness'], '1']);
  assert.deepEqual([...store.objects.keys()], [], 'the probe is removed');
  const putsOfAll = store.puts;
  await pass(10 * lookMs);
  assert.equal(store.puts, putsOfAll, 'no more probes');
});

test('a probe is about as large as what failed', async (t) => {
  for (const [failedBytes, probeBytes] of [
    [3_000, 3_000],
    [1 << 26, agentLimits.writeProbeBytesMax],
  ] as const) {
    const { store, writes, readiness, pass } = stage(t, { deletes: false });
    readiness.heartbeatAnswered();
    readiness.start();
    writes.began(failedBytes).failed(full);
    await pass(lookMs);
    assert.equal(store.objects.get('probes/a')?.length, probeBytes);
  }
});

test('a write of a client makes an agent ready at once', async (t) => {
  const { store, writes, readiness, pass } = stage(t);
  store.beforePut = () => Promise.reject(full);
  readiness.heartbeatAnswered();
  readiness.start();
  writes.began(1).failed(full);
  await pass(failingMsMax);
  assert.notEqual(readiness.problem(), undefined);
  writes.began(1).succeeded();
  assert.equal(readiness.problem(), undefined);
});

test('an agent that has lost its control plane stays ready, and says what it lacks', async (t) => {
  const { clock, readiness, logged, gauge } = stage(t);
  readiness.heartbeatAnswered();
  readiness.start();
  await clock.pass(silenceMsMax - 1);
  assert.equal(readiness.limitation(), undefined);
  await clock.pass(1);
  assert.deepEqual([readiness.problem(), readiness.limitation()], [undefined, 'control plane unavailable']);
  await clock.pass(10 * lookMs);
  assert.deepEqual([logged, gauge()], [['lost control plane'], '1']);
  readiness.heartbeatAnswered();
  assert.equal(readiness.limitation(), undefined);
  await clock.pass(lookMs);
  assert.deepEqual(logged, ['lost control plane', 'recovered control plane']);
});

test('an agent that cannot write is not ready, whether its control plane answers or not', async (t) => {
  const { clock, store, writes, readiness } = stage(t);
  store.beforePut = () => Promise.reject(full);
  readiness.heartbeatAnswered();
  readiness.start();
  writes.began(1).failed(full);
  await clock.pass(silenceMsMax);
  assert.deepEqual(
    [readiness.problem()?.reason, readiness.limitation()],
    ['disk full', 'control plane unavailable'],
  );
});

test('a stop ends a probe that hangs', async (t) => {
  const { clock, store, writes, readiness, pass } = stage(t);
  store.beforePut = () => new Promise(() => {});
  readiness.heartbeatAnswered();
  readiness.start();
  writes.began(1).failed(full);
  await pass(lookMs);
  assert.equal(store.runningPuts, 1);
  readiness.stop();
  await settle();
  assert.deepEqual([store.runningPuts, clock.waiting], [0, 0]);
});
