import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { AllowedHosts } from '@weir/cluster/outbound';
import { Metrics } from '@weir/core';
import { type DiagnosticRecord, newRecord } from '@weir/diagnostics';
import { MemoryDiagnosticsStore } from '@weir/diagnostics/testing';
import { accountsDeps } from '../../testing/accounts-deps.ts';
import { makeAccount } from '../../testing/two-accounts.ts';
import { until } from '../../testing/until.ts';
import { startWebhookReceiver } from '../../testing/webhook-receiver.ts';
import type { AlertSource } from '../accounts/alerts/alert-types.ts';
import { openAccounts } from '../accounts/open.ts';
import { AlertEngine, type AlertEngineOptions } from './alert-engine.ts';
import { alertDeliveriesRow, alertEvaluationsRow } from './alert-metrics.ts';

const minuteMs = 60_000;
const by = 'ada@example.com';
const onAll: AlertSource = { kind: 'diagnostics', diagnosticIds: [], minSeverity: 'medium' };

async function start(t: TestContext) {
  const deps = accountsDeps();
  const { clock, log } = deps;
  const accounts = await openAccounts(`memory://${randomUUID()}`, deps);
  t.after(() => accounts.close());
  const ours = await makeAccount(accounts, 'Ours');
  const { clusterId, id: workspaceId } = ours.a;
  const place = { accountId: ours.accountId, clusterId };
  const receiver = await startWebhookReceiver(t);
  const channel = await accounts.alertChannels.create(
    place,
    { name: 'hook', kind: 'webhook', settings: { target: '' }, secrets: { webhookUrl: receiver.url } },
    by,
  );
  const store = new MemoryDiagnosticsStore();
  const versions = new Map<string, number>();
  /** Has a diagnostic fail, or recover. */
  const set = async (name: string, change: Partial<DiagnosticRecord> = {}) => {
    const record: DiagnosticRecord = {
      ...newRecord(clusterId, name, 0),
      status: 'failed',
      severity: 'high',
      findings: [
        { entity: { kind: 'cluster', name: 'c' }, message: `${name}!`, severity: 'high', sinceMs: 0 },
      ],
      ...change,
    };
    const loadedVersion = versions.get(name) ?? 0;
    versions.set(name, loadedVersion + 1);
    await store.save([{ record, loadedVersion, transitions: [] }]);
  };
  const metrics = new Metrics();
  let count: () => Promise<number> = async () => 0;
  const engine = (differences: Partial<AlertEngineOptions> = {}) =>
    new AlertEngine({
      leading: () => new Map([[clusterId, 'vcn_ours']]),
      records: accounts.alertRecords,
      channels: accounts.alertChannels,
      diagnostics: store,
      hosts: new AllowedHosts(['loopback']),
      countEvents: async () => ({ count: await count(), viewName: 'Denials' }),
      linkOf: (id) => `https://weir.example/${id}`,
      clock,
      log,
      metrics,
      ...differences,
    });
  const make = (source: AlertSource = onAll, name = 'unwell') =>
    accounts.alerts.create(
      place,
      { name, source, channelIds: [channel.id], repeatMinutes: 60, notifiesResolved: true, isEnabled: true },
      by,
    );
  const view = () =>
    accounts.eventViews.create(place.accountId, workspaceId, {
      userId: undefined,
      name: 'Denials',
      search: {},
      savedBy: by,
    });
  const kinds = () => receiver.received.map(({ json }) => json.kind);
  const countAs = (next: typeof count) => (count = next);
  return {
    ...accounts,
    place,
    clusterId,
    clock,
    receiver,
    channel,
    set,
    engine,
    make,
    view,
    kinds,
    countAs,
    metrics,
  };
}

test('diagnostics that fail are sent in one message, and once, until they are resolved', async (t) => {
  const { set, engine, make, kinds, receiver, clock, alertRecords, clusterId, metrics } = await start(t);
  await make();
  const one = engine();
  await one.look();
  assert.deepEqual(kinds(), []);
  await set('no_agents', { severity: 'critical' });
  await set('single_zone', { severity: 'low' });
  await set('clock_skew');
  await set('small_files', { mute: { by, atMs: 0, untilMs: null, reason: '' } });
  clock.advance(minuteMs);
  await one.look();
  await one.look();
  const [{ json }] = receiver.received as [(typeof receiver.received)[number]];
  assert.deepEqual(
    (json.findings as { key: string }[]).map(({ key }) => key),
    ['no_agents', 'clock_skew'],
  );
  assert.deepEqual(
    [json.kind, json.severity, (json.cluster as { name: string }).name, json.link],
    ['fired', 'critical', 'vcn_ours', `https://weir.example/${clusterId}`],
  );
  clock.advance(minuteMs);
  await one.look();
  await set('no_agents', { status: 'recovered' });
  await set('clock_skew', { status: 'recovered' });
  clock.advance(minuteMs);
  await one.look();
  assert.deepEqual(kinds(), ['fired', 'resolved']);
  const history = await alertRecords.history({ clusterId, limit: 10 });
  assert.deepEqual(
    history.map(({ message, deliveries }) => [message.kind, deliveries.map(({ state }) => state)]),
    [
      ['resolved', ['delivered']],
      ['fired', ['delivered']],
    ],
  );
  assert.equal(metrics.total(alertDeliveriesRow), 2);
});

test('a new leader continues: nothing is lost, and nothing is sent twice', async (t) => {
  const { set, engine, make, kinds, receiver, clock } = await start(t);
  await make();
  await set('no_agents');
  const [first, second] = [engine(), engine()];
  // Both believe that they lead.
  await Promise.all([first.look(), second.look()]);
  assert.deepEqual(kinds(), ['fired']);
  clock.advance(minuteMs);
  await second.look();
  assert.deepEqual(kinds(), ['fired']);

  // The first one stops between storing a message and sending it.
  receiver.status = undefined;
  await set('no_agents', { status: 'recovered' });
  clock.advance(minuteMs);
  const left = first.look();
  await until(() => receiver.received.length >= 2);
  await first.stop();
  await left;
  receiver.status = 200;
  await second.look();
  assert.deepEqual(kinds(), ['fired', 'resolved', 'resolved'], 'an attempt that was cut is repeated');
  await second.look();
  assert.equal(
    receiver.received[1]!.headers['idempotency-key'],
    receiver.received[2]!.headers['idempotency-key'],
  );

  // One that does not lead does nothing.
  const idle = engine({ leading: () => new Map() });
  await set('no_agents');
  clock.advance(10 * minuteMs);
  await idle.look();
  assert.equal(receiver.received.length, 3);
});

test('a destination that fails is tried again later, in order, and given up in the end', async (t) => {
  const { set, engine, make, kinds, receiver, clock, alertRecords, alertChannels, clusterId } =
    await start(t);
  await make();
  await set('no_agents');
  receiver.status = 500;
  const one = engine();
  await one.look();
  await one.look();
  assert.equal(receiver.received.length, 1, 'not at once');
  await set('no_agents', { status: 'recovered' });
  clock.advance(minuteMs);
  receiver.status = 200;
  await one.look();
  assert.deepEqual(kinds(), ['fired', 'fired', 'resolved']);
  assert.deepEqual(await alertChannels.failing(clusterId), []);

  await set('no_agents');
  receiver.status = 500;
  for (let n = 0; n < 40; n++) {
    clock.advance(minuteMs);
    await one.look();
  }
  const [last] = await alertRecords.history({ clusterId, limit: 1 });
  const [delivery] = last!.deliveries;
  assert.deepEqual(
    [delivery!.state, delivery!.attempts, delivery!.lastError],
    ['failed', 6, 'The server answered with status 500.'],
  );
  const [failing] = await alertChannels.failing(clusterId);
  assert.equal(failing!.failures, 6);

  // What cannot succeed is not tried again.
  receiver.status = 404;
  const before = receiver.received.length;
  clock.advance(30 * minuteMs);
  for (let n = 0; n < 5; n++) {
    await one.look();
    clock.advance(minuteMs);
  }
  assert.equal(receiver.received.length, before + 1);
});

test('a count of events fires above its limit, and one that fails changes nothing', async (t) => {
  const { engine, make, view, kinds, receiver, clock, countAs, alertRecords, clusterId, metrics } =
    await start(t);
  const { id: viewId } = await view();
  await make({ kind: 'events', viewId, moreThan: 10, withinMinutes: 5 });
  const one = engine();
  const after = async (found: () => Promise<number>) => {
    countAs(found);
    await one.look();
    clock.advance(minuteMs);
    return (await alertRecords.load(clusterId))[0]!.state;
  };
  assert.equal(
    (await after(async () => 10)).summary,
    '10 events of "Denials" in the last 5 minutes, the limit is 10',
  );
  await after(async () => 11);
  assert.deepEqual(kinds(), ['fired']);
  const failed = await after(() => Promise.reject(new Error('No agent runs queries.')));
  assert.deepEqual([failed.problem, failed.firing.length], ['No agent runs queries.', 1]);
  assert.ok(
    metrics
      .read()
      .some(
        ({ row, series }) =>
          row.name === alertEvaluationsRow.name &&
          series.some(({ labels, value }) => labels.result === 'failed' && value === 1),
      ),
  );
  await after(async () => 0);
  assert.deepEqual(kinds(), ['fired', 'resolved']);
  assert.equal(
    receiver.received[0]!.json.summary,
    '11 events of "Denials" in the last 5 minutes, the limit is 10',
  );
});

test('an alert that is turned off while it fires is resolved, and one that is muted is not sent', async (t) => {
  const { set, engine, make, kinds, clock, alerts, alertRecords, place, clusterId } = await start(t);
  const { id } = await make();
  await set('no_agents');
  const one = engine();
  await alerts.mute(place, id, { by, untilMs: clock.nowMs() + minuteMs, reason: '' }, by);
  await one.look();
  assert.deepEqual(kinds(), []);
  const [muted] = await alertRecords.history({ clusterId, limit: 1 });
  assert.deepEqual([muted!.isMuted, muted!.deliveries], [true, []]);
  clock.advance(minuteMs);
  await one.look();
  assert.deepEqual(kinds(), ['fired']);
  await alerts.change(place, id, { isEnabled: false }, by);
  await one.look();
  await one.look();
  clock.advance(5 * minuteMs);
  await one.look();
  assert.deepEqual(kinds(), ['fired', 'resolved']);
});

test('it looks at intervals until it is stopped, and a database that is away does not end it', async (t) => {
  const { set, engine, make, kinds, clock, alertRecords } = await start(t);
  await make();
  await set('no_agents');
  let isAway = true;
  const records = Object.assign(Object.create(alertRecords), {
    clusterIds: () => (isAway ? Promise.reject(new Error('away')) : alertRecords.clusterIds()),
  });
  const one = engine({ records });
  one.start();
  clock.advance(minuteMs / 4);
  await one.look();
  isAway = false;
  clock.advance(minuteMs / 4);
  await until(() => kinds().length > 0);
  await one.stop();
  clock.advance(minuteMs);
});
