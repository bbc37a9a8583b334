import assert from 'node:assert/strict';
import { apiLimits } from '@weir/api/limits';
import type { AlertDelivery, AlertMessage, AlertSource } from '../../src/accounts/alerts/alert-types.ts';
import { cluster, type First, outcomes, refused, type Scene, type Stage } from './stage.ts';

const by = 'ada@example.com';
const onDiagnostics: AlertSource = { kind: 'diagnostics', diagnosticIds: [], minSeverity: 'high' };
const webhook = {
  name: 'on call',
  kind: 'slack',
  settings: { target: 'https://hooks.example/…' },
  secrets: { webhookUrl: 'https://hooks.example/secret' },
} as const;

async function start(scene: Scene, { accountId, workspaceId }: First) {
  const { id: clusterId } = await scene.virtualClusters.create(accountId, workspaceId, cluster);
  const place = { accountId, clusterId };
  const channel = await scene.alertChannels.create(place, webhook, by);
  const definition = {
    name: 'unwell',
    source: onDiagnostics,
    channelIds: [channel.id],
    repeatMinutes: null,
    notifiesResolved: true,
    isEnabled: true,
  };
  return { place, clusterId, channel, definition };
}

const messageAt = (alertId: string, clusterId: string, atMs: number): AlertMessage => ({
  kind: 'fired',
  alertId,
  alertName: 'unwell',
  clusterId,
  clusterName: 'orders',
  atMs,
  severity: 'high',
  summary: 'ü',
  findings: [],
  findingCount: 0,
  resolved: [],
  incidentKey: `${alertId}.1`,
  link: '',
});

const pending: AlertDelivery = {
  channelId: 'aci_1',
  channelName: 'on call',
  state: 'pending',
  attempts: 0,
  lastError: null,
  nextMs: 0,
  endedMs: null,
};

/** Alerts, their channels, and what was sent. */
export function alertsContract({ inhabited }: Stage): void {
  inhabited('a channel is made, changed, noted as failing, and deleted', async (scene, first) => {
    const { alertChannels, alerts, deps } = scene;
    const { place, clusterId, channel, definition } = await start(scene, first);
    assert.match(channel.id, /^aci_[0-9a-f]{8}_/);
    assert.deepEqual(await alertChannels.list(place), [channel]);
    assert.deepEqual(await alertChannels.secretsOf(channel), webhook.secrets);
    await refused(alertChannels.create(place, webhook, by), 'duplicate_name');

    const failedMs = deps.clock.nowMs();
    await alertChannels.noteAttempt(channel.id, 'no\nanswer');
    deps.clock.advance(5);
    await alertChannels.noteAttempt(channel.id, 'still none');
    const [failing] = await alertChannels.failing(clusterId);
    assert.deepEqual(
      [failing!.failures, failing!.failingSinceMs, failing!.lastError],
      [2, failedMs, 'still none'],
    );
    await alertChannels.noteAttempt(channel.id, undefined);
    assert.deepEqual(await alertChannels.failing(clusterId), []);

    const { id } = await alerts.create(place, definition, by);
    await refused(alertChannels.delete(place, channel.id), 'conflict');
    await alerts.delete(place, id);
    const stranger = { ...place, clusterId: 'vci_other' };
    await refused(alertChannels.delete(stranger, channel.id), 'not_found');
    const changed = await alertChannels.change(
      place,
      channel.id,
      { name: 'nights', settings: { target: 'x' }, secrets: {} },
      'bob@example.com',
    );
    assert.deepEqual([changed.name, changed.updatedBy], ['nights', 'bob@example.com']);
    assert.deepEqual(await alertChannels.secretsOf(changed), {});
    await alertChannels.delete(place, channel.id);
    assert.deepEqual(await alertChannels.list(place), []);
  });

  inhabited(
    'an alert needs its channels and a shared search, which stay while it is there',
    async (scene, first) => {
      const { alerts, eventViews } = scene;
      const { accountId, workspaceId, userId } = first;
      const { place, definition } = await start(scene, first);
      const viewOf = (name: string, owner: string | undefined) =>
        eventViews.create(accountId, workspaceId, {
          userId: owner,
          name,
          search: { types: 'acl_logs' },
          savedBy: by,
        });
      const shared = await viewOf('shared', undefined);
      const own = await viewOf('own', userId);
      const on = (viewId: string) => ({
        ...definition,
        source: { kind: 'events', viewId, moreThan: 1, withinMinutes: 5 } as const,
      });
      const missing = 'aci_00000000_0000_4000_8000_000000000000';
      await refused(alerts.create(place, { ...definition, channelIds: [missing] }, by), 'not_found');
      await refused(alerts.create(place, on('evi_none'), by), 'not_found');
      await refused(alerts.create(place, on(own.id), by), 'invalid_request');
      const made = await alerts.create(place, on(shared.id), by);
      assert.match(made.id, /^ali_[0-9a-f]{8}_/);
      await refused(alerts.create(place, definition, by), 'duplicate_name');

      const view = { accountId, workspaceId, viewId: shared.id, userId };
      await refused(eventViews.delete(view), 'conflict');
      await refused(eventViews.change(view, { userId, savedBy: by }), 'conflict');
      await eventViews.change(view, { userId: undefined, savedBy: by, name: 'renamed' });
      const mute = { by, untilMs: 5, reason: 'r' };
      const { before, after } = await alerts.mute(place, made.id, mute, by);
      assert.deepEqual([before.mute, after.mute], [undefined, mute]);
      await alerts.change(place, made.id, { source: onDiagnostics, name: 'other', isEnabled: false }, by);
      const [changed] = await alerts.list(place);
      assert.deepEqual(changed, { ...made, source: onDiagnostics, name: 'other', isEnabled: false, mute });
      await eventViews.delete(view);

      const many = Array.from({ length: apiLimits.alertsPerClusterMax }, (_, n) => ({
        ...definition,
        name: `a${n}`,
      }));
      const found = [];
      for (const one of many) found.push(...(await outcomes([alerts.create(place, one, by)])));
      assert.deepEqual(found.slice(-2), ['ok', 'limit_exceeded']);
    },
  );

  inhabited('of two processes that continue an alert, one does', async (scene, first) => {
    const { place, clusterId, definition } = await start(scene, first);
    const { id } = await scene.alerts.create(place, definition, by);
    const other = await scene.another();
    assert.deepEqual(await other.alertRecords.clusterIds(), [clusterId]);
    const [mine] = await scene.alertRecords.load(clusterId);
    const [theirs] = await other.alertRecords.load(clusterId);
    const message = messageAt(id, clusterId, 7);
    const state = { ...mine!.state, checkedMs: 7, notificationCount: 1 };
    const saved = await Promise.all([
      scene.alertRecords.save(mine!, state, { message, isMuted: false, deliveries: [pending] }),
      other.alertRecords.save(theirs!, state, { message, isMuted: false, deliveries: [pending] }),
    ]);
    assert.deepEqual(saved.toSorted(), [false, true]);
    const [open, ...others] = await scene.alertRecords.open(clusterId);
    assert.deepEqual([open!.message, others], [message, []]);

    const claimed = [{ ...pending, attempts: 1 }];
    assert.equal(await scene.alertRecords.saveDeliveries(open!, claimed), true);
    assert.equal(await other.alertRecords.saveDeliveries(open!, claimed), false);
    const delivered = [{ ...pending, state: 'delivered' as const, endedMs: 9 }];
    assert.equal(await scene.alertRecords.saveDeliveries({ ...open!, version: 2 }, delivered), true);
    assert.deepEqual(await scene.alertRecords.open(clusterId), []);
  });

  inhabited('the newest notifications of an alert are kept, and end with it', async (scene, first) => {
    const { alertRecords, alerts } = scene;
    const { place, clusterId, definition } = await start(scene, first);
    const { id } = await alerts.create(place, definition, by);
    const max = apiLimits.alertHistoryMax;
    for (let n = 0; n < max + 3; n++) {
      const [record] = await alertRecords.load(clusterId);
      const state = { ...record!.state, checkedMs: n, notificationCount: n + 1 };
      const message = messageAt(id, clusterId, Math.floor(n / 2));
      assert.ok(await alertRecords.save(record!, state, { message, isMuted: false, deliveries: [] }));
    }
    const numbers: number[] = [];
    for (let after: { atMs: number; alertId: string; number: number } | undefined; ; ) {
      const page = await alertRecords.history({ clusterId, alertId: id, after, limit: 30 });
      const last = page.at(-1);
      if (last === undefined) break;
      numbers.push(...page.map(({ number }) => number));
      after = { atMs: last.message.atMs, alertId: last.alertId, number: last.number };
    }
    assert.deepEqual(
      numbers,
      Array.from({ length: max }, (_, n) => max + 2 - n),
    );
    await alerts.delete(place, id);
    assert.deepEqual(await alertRecords.history({ clusterId, limit: 30 }), []);
  });
}
