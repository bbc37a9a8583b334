import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { ClusterUnavailable, NotLeader } from '@weir/cluster';
import { silentLog, systemClock, systemRandom } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { ClusterNode } from '@weir/metadata';
import { startLeader, startNode } from '../../testing/leading-node.ts';
import { until } from '../../testing/until.ts';
import { LeaderPorts, type LeaderPortsOptions } from './leader-ports.ts';

function portsOf(t: TestContext, options: Partial<LeaderPortsOptions>): LeaderPorts {
  const ports = new LeaderPorts({
    host: { node: () => undefined, refresh: async () => {} },
    secretsOf: () => undefined,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    ...options,
  });
  t.after(() => ports.close());
  return ports;
}

test('calls about a cluster led here stay in the process, and a new cluster is looked up', async (t) => {
  const leader = await startLeader(t);
  let isKnown = false;
  const host = {
    node: () => (isKnown ? leader : undefined),
    refresh: async () => {
      isKnown = true;
    },
  };
  const port = portsOf(t, { host }).portOf('vci_test');
  assert.deepEqual(await port.listAgents(), []);
  const snapshot = await new Promise<{ readonly topics: readonly unknown[] }>((resolve) => {
    port.follow({ onSnapshot: resolve, onChanges: () => {} });
  });
  assert.deepEqual(snapshot.topics, []);
});

test('calls about an unknown cluster are refused', async (t) => {
  await assert.rejects(portsOf(t, {}).portOf('vci_test').listAgents(), ClusterUnavailable);
});

test('calls without a leader wait for one, up to a deadline', async (t) => {
  const listeners = new Set<() => void>();
  const node = { role: 'standby', leaderUrl: undefined, onLeader: listen } as unknown as ClusterNode & {
    role: string;
  };
  function listen(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }
  const clock = new HandClock();
  const port = portsOf(t, { host: { node: () => node, refresh: async () => {} }, clock }).portOf('vci_test');
  const tooLate = assert.rejects(port.listAgents(), { message: /^vci_test has no leader now/ });
  await until(() => listeners.size === 1);
  clock.advance(5_000);
  await tooLate;
  assert.equal(listeners.size, 0);

  const leader = await startLeader(t);
  const answer = port.listAgents();
  await until(() => listeners.size === 1);
  Object.assign(node, { role: 'leader', listAgents: () => leader.listAgents() });
  for (const listener of listeners) listener();
  assert.deepEqual(await answer, []);
});

test('a follower does not stay with a former leader', async (t) => {
  const listeners = new Set<() => void>();
  let followed = 0;
  let ended = 0;
  const node = {
    role: 'leader',
    leaderUrl: undefined,
    onLeader(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    follow() {
      followed++;
      return () => ended++;
    },
  };
  const turn = (role: string) => {
    node.role = role;
    for (const listener of [...listeners]) listener();
  };
  const host = { node: () => node as unknown as ClusterNode, refresh: async () => {} };
  const unfollow = portsOf(t, { host })
    .portOf('vci_test')
    .follow({ onSnapshot() {}, onChanges() {} });
  await until(() => followed === 1);
  turn('standby');
  assert.equal(ended, 1);
  turn('leader');
  await until(() => followed === 2);
  unfollow();
  assert.deepEqual([followed, ended, listeners.size], [2, 2, 0]);
});

test('a call to a former leader is retried at the current one', async (t) => {
  const leader = await startLeader(t);
  const former = {
    role: 'leader',
    listAgents: async () => {
      throw new NotLeader('led until now', undefined);
    },
  } as unknown as ClusterNode;
  let lookups = 0;
  const host = { node: () => (lookups++ < 2 ? former : leader), refresh: async () => {} };
  assert.deepEqual(await portsOf(t, { host }).portOf('vci_test').listAgents(), []);
});

test('a standby that has not read the secrets of a cluster fails in the end', async (t) => {
  const databaseUrl = `memory://${randomUUID()}`;
  await startLeader(t, databaseUrl);
  const standby = await startNode(t, databaseUrl, 'two');
  await until(() => standby.leaderUrl !== undefined);
  let nowMs = 0;
  const clock = { ...systemClock, monotonicMs: () => (nowMs += 1_000) };
  const port = portsOf(t, { host: { node: () => standby, refresh: async () => {} }, clock }).portOf(
    'vci_test',
  );
  await assert.rejects(port.listAgents(), { message: /has no secrets yet/ });
});
