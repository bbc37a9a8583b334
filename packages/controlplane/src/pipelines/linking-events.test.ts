import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ControlPlaneEvent, ListedJob } from '@weir/cluster';
import { seededRandom, silentLog } from '@weir/core';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import { linkingEvents } from './linking-events.ts';

const clusterOf = (id: string, type: VirtualCluster['type'], workspaceId = 'wi_1') =>
  ({ id, name: `name of ${id}`, accountId: 'ai_1', workspaceId, type }) as VirtualCluster;

const registry = clusterOf('vci_sr_1', 'byoc_schema_registry');

const ended = (state: ListedJob['state'], message: string) =>
  ({ scope: 'pi_1 pci_1', state, message, endedMs: 1_700_000_000_000 }) as ListedJob;

function stage({ isUnavailable = false } = {}) {
  const put = new Map<string, readonly ControlPlaneEvent[]>();
  const emit = linkingEvents({
    pipelines: { list: async () => [{ id: 'pi_1', name: 'orders' }] as never },
    clusters: () => [
      registry,
      clusterOf('vci_1', 'byoc'),
      clusterOf('vci_2', 'byoc'),
      clusterOf('vci_3', 'byoc', 'wi_2'),
    ],
    portOf: (clusterId) => ({
      async putControlPlaneEvents(events: readonly ControlPlaneEvent[]) {
        if (isUnavailable) throw new Error('no leader');
        put.set(clusterId, events);
      },
    }),
    random: seededRandom(1),
    log: silentLog,
  });
  return { put, emit };
}

const dataOf = (events: readonly ControlPlaneEvent[] | undefined) => JSON.parse(events![0]!.text).data;

test('a sync is an event of the Kafka clusters of its workspace, and of no others', async () => {
  const { put, emit } = stage();
  await emit(registry, ended('done', '3 versions of 2 subjects; 1 new, 0 deleted'));
  assert.deepEqual([...put.keys()], ['vci_1', 'vci_2']);
  assert.deepEqual(dataOf(put.get('vci_2')), {
    module: 'pipelines',
    pipeline_id: 'pi_1',
    pipeline_name: 'orders',
    stage: 'schema_linking',
    registry_id: 'vci_sr_1',
    log_level: 'info',
    message: 'linked schemas',
    result: '3 versions of 2 subjects; 1 new, 0 deleted',
    virtual_cluster_id: 'vci_2',
    virtual_cluster_name: 'name of vci_2',
  });
});

for (const [state, level] of [
  ['failing', 'warn'],
  ['stopped', 'error'],
] as const)
  test(`a sync that is ${state} is an event of the level ${level} with its reason`, async () => {
    const { put, emit } = stage();
    await emit(registry, ended(state, 'source registry unavailable: refused'));
    const { log_level, message, error } = dataOf(put.get('vci_1'));
    assert.deepEqual(
      { log_level, message, error },
      {
        log_level: level,
        message: 'failed to link schemas',
        error: 'source registry unavailable: refused',
      },
    );
  });

test('clusters without a leader cost nothing but the event', async () => {
  const { emit } = stage({ isUnavailable: true });
  await emit(registry, ended('done', ''));
});
