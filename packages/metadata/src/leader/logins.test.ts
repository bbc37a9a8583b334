import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { agentDescription, credentialsOf } from '@weir/cluster/testing';
import { ControlPlanes } from '../../testing/control-planes.ts';
import type { ClusterNode } from './cluster-node.ts';
import { defaultTiming } from './timing.ts';

/** Logins across changes of the leader. */

const dayMs = 86_400_000;

const agent = agentDescription('a1');

function stage(t: TestContext) {
  const planes = new ControlPlanes();
  const { clock } = planes;
  let reportCount = 0;
  return {
    clock,
    /** A process that leads alone until it ends. */
    async lead(id: string) {
      const { process, node } = planes.start(id);
      t.after(() => process.kill());
      assert.ok(await clock.pass(10_000, () => node.role === 'leader'), `${id} leads`);
      return { node, process };
    },
    async makeCredentials(node: ClusterNode, ...usernames: string[]) {
      const credentials = credentialsOf(...usernames);
      for (const { error } of await node.putCredentials(credentials)) assert.equal(error, 'NONE');
    },
    /** An agent reports a login now. */
    async logIn(node: ClusterNode, username: string): Promise<number> {
      const nowMs = clock.nowMs();
      const number = ++reportCount;
      const logins = [{ username, agoMs: 0 }];
      const report = { startedMs: 1, number, sinceNumber: number - 1, spanMs: 20_000, nowMs, logins };
      await node.heartbeat({ ...agent, report });
      return nowMs;
    },
    async lastUses(node: ClusterNode) {
      const all = await node.listCredentials();
      return Object.fromEntries(all.map(({ username, lastUsedMs }) => [username, lastUsedMs]));
    },
    loginsSinceMs: async (node: ClusterNode) => (await node.receivedReports()).loginsReceivedSinceMs,
  };
}

test('a login is known at once, and to the next leader when this one stops', async (t) => {
  const { clock, lead, makeCredentials, logIn, lastUses, loginsSinceMs } = stage(t);
  const first = await lead('one');
  await makeCredentials(first.node, 'ann', 'bob');
  const sinceMs = await loginsSinceMs(first.node);
  await clock.pass(1_000);
  const usedMs = await logIn(first.node, 'ann');
  assert.deepEqual(await lastUses(first.node), { ann: usedMs, bob: null });
  await first.node.stop();
  const second = await lead('two');
  assert.deepEqual(await lastUses(second.node), { ann: usedMs, bob: null });
  assert.equal(await loginsSinceMs(second.node), sinceMs);
});

test('a login is known to the next leader after a handover', async (t) => {
  const { lead, makeCredentials, logIn, lastUses } = stage(t);
  const first = await lead('one');
  await makeCredentials(first.node, 'ann');
  const usedMs = await logIn(first.node, 'ann');
  const second = lead('two');
  await first.node.handOver('two should lead');
  first.process.kill();
  assert.deepEqual(await lastUses((await second).node), { ann: usedMs });
});

test('ninety leaders of a day each know as much as one leader of ninety days', async (t) => {
  const { clock, lead, makeCredentials, logIn, lastUses, loginsSinceMs } = stage(t);
  let { node } = await lead('day 0');
  await makeCredentials(node, 'ann', 'bob', 'carol');
  const sinceMs = await loginsSinceMs(node);
  const bobMs = await logIn(node, 'bob');
  for (let day = 1; day <= 90; day++) {
    await logIn(node, 'ann');
    await node.stop();
    clock.advance(dayMs);
    ({ node } = await lead(`day ${day}`));
  }
  const { ann, ...others } = await lastUses(node);
  assert.deepEqual(others, { bob: bobMs, carol: null });
  assert.ok(clock.nowMs() - ann! < 2 * dayMs);
  assert.equal(await loginsSinceMs(node), sinceMs);
});

test('a dying leader loses only the logins since the last save', async (t) => {
  const { clock, lead, makeCredentials, logIn, lastUses, loginsSinceMs } = stage(t);
  const first = await lead('one');
  await makeCredentials(first.node, 'ann', 'bob');
  const sinceMs = await loginsSinceMs(first.node);
  const annMs = await logIn(first.node, 'ann');
  await clock.pass(defaultTiming.loginNoteMs);
  await logIn(first.node, 'bob');
  first.process.kill();
  const second = await lead('two');
  assert.deepEqual(await lastUses(second.node), { ann: annMs, bob: null });
  assert.equal(await loginsSinceMs(second.node), sinceMs);
});

test('while agents without login reports are present, the next leader restarts the login history', async (t) => {
  const { clock, lead, makeCredentials, loginsSinceMs } = stage(t);
  const first = await lead('one');
  await makeCredentials(first.node, 'ann');
  for (let elapsedMs = 0; elapsedMs < 2 * defaultTiming.loginNoteMs; elapsedMs += 5_000) {
    await first.node.heartbeat(agent);
    await clock.pass(5_000);
  }
  assert.equal(await loginsSinceMs(first.node), undefined);
  await first.node.stop();
  clock.advance(dayMs);
  const second = await lead('two');
  assert.ok((await loginsSinceMs(second.node))! > clock.nowMs() - 10_000);
});

test('repeated logins of the same user are not written again', async (t) => {
  const { clock, lead, makeCredentials, logIn } = stage(t);
  const { node, process } = await lead('one');
  await makeCredentials(node, 'ann');
  await logIn(node, 'ann');
  await clock.pass(2 * defaultTiming.loginNoteMs);
  const { appendCount } = process;
  for (let minute = 0; minute < 5; minute++) {
    await logIn(node, 'ann');
    await clock.pass(defaultTiming.loginNoteMs);
  }
  assert.equal(process.appendCount, appendCount);
});
