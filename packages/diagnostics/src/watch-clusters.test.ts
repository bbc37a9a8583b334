import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { startLeader, startNode } from '@weir/controlplane/testing';
import { Metrics, silentLog, systemClock } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { MemoryDiagnosticsStore } from '../testing/memory-diagnostics-store.ts';
import type { Transition } from './record.ts';
import { type LedCluster, logTransition, watchClusters } from './watch-clusters.ts';

function watched(t: TestContext, clusters: readonly LedCluster[], store = new MemoryDiagnosticsStore()) {
  const metrics = new Map<string, Metrics>();
  const transitions: Transition[] = [];
  const led = new Set(clusters);
  const metricsOf = (clusterId: string) => {
    const own = metrics.get(clusterId) ?? new Metrics();
    metrics.set(clusterId, own);
    return own;
  };
  const runner = watchClusters({
    leading: () => [...led],
    store,
    metricsOf,
    onTransition: (transition) => transitions.push(transition),
    clock: systemClock,
    log: silentLog,
  });
  t.after(() => runner.stop());
  const published = () => transitions.map(({ clusterId, name, kind }) => `${clusterId} ${name} ${kind}`);
  return { runner, led, published, store, shown: (clusterId: string) => metricsOf(clusterId).render() };
}

const ledBy = (node: ClusterNode, clusterId = 'vci_test'): LedCluster => ({ clusterId, kind: 'kafka', node });

const rule = {
  resourceType: 'TOPIC',
  resourceName: '*',
  patternType: 'PREFIXED',
  principal: 'User:alice',
  host: '*',
  operation: 'READ',
  permission: 'ALLOW',
} as const;

/** A leader in ACL shadow mode, with a rule that never matches. */
async function leaderWithBadRule(t: TestContext): Promise<ClusterNode> {
  const node = await startLeader(t);
  await node.createAcls([rule]);
  const change = { name: 'service.acl.shadowing.enabled', operation: 'set', value: 'true' } as const;
  const configs = { kind: 'cluster', name: '', replacesAll: false, changes: [change] } as const;
  await node.alterConfigs([configs], { validateOnly: false });
  return node;
}

test('a problem of a cluster is reported until it is fixed', async (t) => {
  const node = await leaderWithBadRule(t);
  const { runner, published, shown } = watched(t, [ledBy(node)]);
  await runner.checkAll();
  assert.deepEqual(published(), ['vci_test invalid_acls failed']);
  const failing = /^service_diagnostic_failure\{.*"invalid_acls".*severity_medium="true".*\} 1$/m;
  assert.match(shown('vci_test'), failing);
  await node.deleteAcls([{ ...rule }]);
  await runner.checkAll();
  assert.equal(published().at(-1), 'vci_test invalid_acls recovered');
  assert.doesNotMatch(shown('vci_test'), failing);
});

test('the next leader continues from the stored records', async (t) => {
  const node = await leaderWithBadRule(t);
  const before = watched(t, [ledBy(node)]);
  await before.runner.checkAll();
  const after = watched(t, [ledBy(node)], before.store);
  await after.runner.checkAll();
  assert.deepEqual(after.published(), []);
  assert.match(after.shown('vci_test'), /"invalid_acls".*\} 1$/m);
});

test('each cluster has its own metrics while it is led here', async (t) => {
  const [one, two] = [ledBy(await leaderWithBadRule(t), 'vci_one'), ledBy(await startLeader(t), 'vci_two')];
  const { runner, led, shown } = watched(t, [one, two]);
  await runner.checkAll();
  assert.match(shown('vci_one'), /^service_control_plane_utilization\{cluster="vci_one"\} [\d.e-]+$/m);
  assert.match(shown('vci_two'), /"invalid_acls".*\} 0$/m);
  led.delete(one);
  await runner.checkAll();
  assert.doesNotMatch(shown('vci_one'), /^service_/m);
  assert.match(shown('vci_two'), /^service_control_plane_utilization\{cluster="vci_two"\}/m);
});

test('a cluster that is led elsewhere now is no longer checked here, and others are', async (t) => {
  const database = `memory://${randomUUID()}`;
  await startLeader(t, database);
  const standby = await startNode(t, database, 'two');
  const { runner, store } = watched(t, [ledBy(standby, 'vci_lost'), ledBy(await startLeader(t), 'vci_led')]);
  await runner.checkAll();
  const statuses = async (clusterId: string) =>
    new Set((await store.load(clusterId)).map(({ record }) => record.status));
  assert.ok((await statuses('vci_led')).has('healthy'));
  assert.deepEqual(await statuses('vci_lost'), new Set(['unknown']));
});

test('a severe failure is logged as a warning, everything else as info', () => {
  const lines: string[] = [];
  const note = (level: string) => () => void lines.push(level);
  const log = { ...silentLog, info: note('info'), warn: note('warn') };
  const transition: Transition = {
    clusterId: 'vci_test',
    name: 'no_agents',
    number: 0,
    kind: 'failed',
    atMs: 1,
    by: null,
    severity: 'critical',
    message: '',
    isSilent: false,
  };
  logTransition(transition, log);
  logTransition({ ...transition, severity: 'low' }, log);
  logTransition({ ...transition, kind: 'recovered' }, log);
  assert.deepEqual(lines, ['warn', 'info', 'info']);
});
