import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shutdownLeaseMs, shutdownLockIntervalMs } from '@weir/cluster';
import { silentLog } from '@weir/core';
import { HandClock, settle, until } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { startAgentUnderTest } from '../testing/running-agent.ts';
import { ShutdownLock } from './shutdown-lock.ts';

const minuteMs = 60_000;

/** A cluster whose leader has led long enough to grant locks. */
function settledCluster(clock = new HandClock()): TestCluster {
  const cluster = new TestCluster({ clock });
  clock.advance(shutdownLeaseMs);
  return cluster;
}

/** Returns whether another agent of the group gets the lock, also from a new leader. */
function isFree(cluster: TestCluster, group: string): Promise<boolean> {
  return cluster.lockShutdown({ agentId: 'another', group, hasIt: true });
}

function agents() {
  const clock = new HandClock();
  const port = settledCluster(clock);
  const acquired: string[] = [];
  const lockOf = (agentId: string, group = 'g') =>
    new ShutdownLock({ port, agentId, group, clock, log: silentLog });
  return {
    port,
    acquired,
    lockOf,
    takes: (agentId: string, lock: ShutdownLock, waitMs = minuteMs) =>
      lock.take(waitMs).then(() => acquired.push(agentId)),
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 500) {
        clock.advance(500);
        await settle();
      }
    },
  };
}

test('an agent waits until the previous one has stopped', async () => {
  const { port, acquired, takes, lockOf, pass } = agents();
  const [first, second] = [lockOf('first'), lockOf('second')];
  await takes('first', first);
  void takes('second', second);
  void takes('stranger', lockOf('stranger', 'other'));
  await pass(minuteMs / 2);
  assert.deepEqual(acquired, ['first', 'stranger']);
  await first.release();
  await pass(shutdownLockIntervalMs);
  assert.deepEqual(acquired, ['first', 'stranger', 'second']);
  assert.equal(await isFree(port, 'g'), false);
});

test('waiting is bounded, whether another agent holds the lock or the control plane is unreachable', async () => {
  for (const unavailable of [false, true]) {
    const { port, acquired, takes, lockOf, pass } = agents();
    await takes('first', lockOf('first'));
    port.unavailable = unavailable;
    void takes('second', lockOf('second'), 10_000);
    await pass(9_500);
    assert.deepEqual(acquired, ['first']);
    await pass(500);
    assert.deepEqual(acquired, ['first', 'second']);
  }
});

test('the holder renews the lock until it is done', async () => {
  const { port, takes, lockOf, pass } = agents();
  const lock = lockOf('first');
  await takes('first', lock);
  await pass(shutdownLockIntervalMs * 5);
  assert.equal(port.calls.lockShutdown, 6);
  // A new leader does not know the lock until it is renewed.
  port.failOver();
  await pass(shutdownLockIntervalMs);
  assert.equal(port.calls.lockShutdown, 7);
  assert.equal(await isFree(port, 'g'), false);
  await lock.release();
  await pass(shutdownLockIntervalMs * 2);
  assert.equal(port.calls.lockShutdown, 8);
  assert.equal(await isFree(port, 'g'), true);
});

test('an agent serves clients while it waits for the lock, and then stops', async (t) => {
  const cluster = settledCluster();
  const { agent, clock, connect, pass } = await startAgentUnderTest(t, { cluster, locksShutdown: true });
  assert.equal(await isFree(cluster, ''), true);
  let isStopped = false;
  void agent.stop({ deadlineMs: 10 * minuteMs }).then(() => {
    isStopped = true;
  });
  await pass(minuteMs);
  assert.equal(cluster.calls.leave, 0);
  const heartbeats = cluster.calls.heartbeat;
  await pass(minuteMs);
  assert.ok(cluster.calls.heartbeat > heartbeats, 'it still sends heartbeats');
  const client = await connect();
  assert.equal((await client.call('ApiVersions', 0, {})).errorCode, 0);
  client.socket.destroy();

  await cluster.unlockShutdown('another');
  await until(() => {
    clock.advance(250);
    return isStopped;
  });
  assert.equal(cluster.calls.leave, 1);
  assert.equal(await isFree(cluster, ''), true);
});
