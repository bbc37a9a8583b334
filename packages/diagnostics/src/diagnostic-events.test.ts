import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterUnavailable, type ControlPlaneEvent } from '@weir/cluster';
import { seededRandom, silentLog, systemClock } from '@weir/core';
import { eventEnvelope } from '@weir/events';
import { diagnosticEvents } from './diagnostic-events.ts';
import { newRecord, type Transition } from './record.ts';
import { checks } from './registry.ts';

const [check] = checks;
const transition: Transition = {
  clusterId: 'vci_1',
  name: check!.name,
  number: 3,
  kind: 'failed',
  atMs: Date.UTC(2026, 10, 15),
  by: null,
  severity: 'high',
  message: 'it is broken',
  isSilent: false,
};

function world(put: (events: readonly ControlPlaneEvent[]) => Promise<void>, needsStats = false) {
  const contacted: string[] = [];
  const events = diagnosticEvents({
    portOf: (clusterId) => {
      contacted.push(clusterId);
      return { putControlPlaneEvents: put };
    },
    nameOf: () => 'orders',
    needsStats: () => needsStats,
    random: seededRandom(1),
    clock: systemClock,
    log: silentLog,
  });
  return { contacted, events };
}

test('a transition becomes an event of its cluster', () => {
  const put: ControlPlaneEvent[] = [];
  const { contacted, events } = world(async (left) => void put.push(...left));
  events.changed(transition);
  assert.deepEqual(contacted, ['vci_1']);
  const [{ type, timeMs, text }] = put as [ControlPlaneEvent];
  assert.deepEqual([type, timeMs], ['diagnostics_logs', transition.atMs]);
  const { id, ...event } = eventEnvelope.parse(JSON.parse(text));
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(event, {
    specversion: '1.0',
    source: 'ws:control-plane:vci_1:diagnostics',
    type: 'diagnostics_logs',
    time: '2026-11-15T00:00:00.000Z',
    datacontenttype: 'application/json',
    data: {
      diagnostic_id: check!.name,
      diagnostic_source: check!.source,
      diagnostic_type: check!.type,
      transition: 'failed',
      virtual_cluster_id: 'vci_1',
      virtual_cluster_name: 'orders',
      title: check!.title,
      message: 'it is broken',
      severity: 'high',
    },
  });
});

test('a silent transition is no event, and a cluster without a leader does not block', async () => {
  const { contacted, events } = world(() => Promise.reject(new ClusterUnavailable('no leader')));
  events.changed({ ...transition, isSilent: true });
  assert.deepEqual(contacted, []);
  events.changed(transition);
  assert.deepEqual(contacted, ['vci_1']);
});

test('every diagnostic with a known status becomes an event, if metrics are wanted', () => {
  const put: ControlPlaneEvent[] = [];
  const records = [
    { ...newRecord('vci_1', check!.name, 0), status: 'failed', severity: 'high' } as const,
    newRecord('vci_1', checks[1]!.name, 0),
  ];
  world(async (left) => void put.push(...left)).events.checked('vci_1', records);
  assert.equal(put.length, 0);
  world(async (left) => void put.push(...left), true).events.checked('vci_1', records);
  assert.deepEqual(
    put.map(({ type }) => type),
    ['cluster_metrics'],
  );
  const { data } = eventEnvelope.parse(JSON.parse(put[0]!.text));
  assert.deepEqual(data, {
    metric_name: 'service_diagnostic_failure',
    value: 1,
    tags: {
      diagnostic_name: check!.name,
      diagnostic_type: check!.type,
      severity_low: 'false',
      severity_medium: 'false',
      severity_high: 'true',
      severity_critical: 'false',
      muted: 'false',
    },
    virtual_cluster_id: 'vci_1',
    virtual_cluster_name: 'orders',
  });
});
