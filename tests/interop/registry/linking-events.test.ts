import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { pause } from '../brokers/waiting.ts';
import { lastFirst, startWeir, temporaryFolder } from '../brokers/weir-process.ts';
import {
  anyPort,
  demand,
  registryAgentArgs,
  startRegistryAgent,
  startRegistryCluster,
} from './registry-cluster.ts';

/**
 * Syncs of one registry cluster from another one, and what the events of a Kafka cluster of the workspace have of
 * them. All are processes of their own.
 */
test('presets of pipeline events find syncs of schema linking', {
  timeout: 240_000,
}, async (t: TestContext) => {
  const lifetime = lastFirst(t);
  const folder = temporaryFolder(lifetime);
  const hosts = ['-allowedTargetHosts', 'loopback'];
  const registry = await startRegistryCluster(lifetime, { folder, controlPlaneFlags: hosts });
  const api = registry.api();
  const url = registry.controlPlanes[0]!.address('control plane');
  const kafka = await api.call('create_virtual_cluster', { virtual_cluster_name: 'orders' });
  const source = await api.call('create_virtual_cluster', {
    virtual_cluster_name: 'source',
    virtual_cluster_type: 'byoc_schema_registry',
  });
  const on = { virtual_cluster_id: kafka.virtual_cluster_id };
  await api.call('update_events_state', { ...on, enabled: true });
  const broker = await startWeir(
    [
      ...['agent', '-metadataURL', url],
      ...['-defaultVirtualClusterID', kafka.virtual_cluster_id, '-agentKey', kafka.agent_key!.key],
      ...['-bucketURL', pathToFileURL(join(folder, 'bucket')).href, '-availabilityZone', 'zone-a'],
      ...['-kafkaPort', '0', '-httpPort', '0', '-bindAddress', '127.0.0.1'],
      ...['-gracefulShutdownDuration', '5s'],
    ],
    ['Kafka', 'HTTP'],
  );
  lifetime.after(() => broker.stop());
  const sourceAgent = await startRegistryAgent(
    lifetime,
    registryAgentArgs([url], source.virtual_cluster_id, source.agent_key!.key),
  );
  const agent = await registry.addAgent([...anyPort, ...hosts]);
  await demand(sourceAgent, 'POST /subjects/orders/versions', { schema: '"string"' });

  const portOf = (address: string) => new URL(address).port;
  const place = { virtual_cluster_id: registry.clusterId };
  const { pipeline_id } = await api.call('create_pipeline', {
    ...place,
    pipeline_name: 'mirror',
    pipeline_type: 'schema_linking',
  });
  const syncFrom = async (port: string) => {
    const { configuration_id } = await api.call('create_pipeline_configuration', {
      ...place,
      pipeline_id,
      configuration_yaml: `source_schema_registry: {hostname: 127.0.0.1, port: ${port}}\n`,
    });
    await api.call('change_pipeline_state', {
      ...place,
      pipeline_id,
      desired_state: 'running',
      deployed_configuration_id: configuration_id,
    });
  };

  const { presets } = await api.call('list_event_presets', on);
  const found = async (title: string) => {
    const preset = presets.find((one) => one.title === title)!;
    const { event_types, filter, time_range, group_by } = preset;
    const { timeline, events } = await api.call('search_events', {
      ...on,
      event_types,
      filter,
      time_range,
      timeline: { group_by },
    });
    return { keys: timeline!.series.map(({ key }) => key), events };
  };
  const until = async (title: string, key: string) => {
    for (;;) {
      const { keys, events } = await found(title);
      if (keys.includes(key)) return events.map(({ data }) => data);
      await pause(200);
    }
  };
  // Nothing listens there.
  await syncFrom('9');
  const warnings = await until('Pipeline Warnings', 'mirror');
  assert.match(String(warnings[0]!.error), /^source registry unavailable: /);
  assert.deepEqual((await found('Pipeline Errors')).keys, []);
  // It answers, but is no registry.
  await syncFrom(portOf(url));
  const errors = await until('Pipeline Errors', 'mirror');
  assert.equal(errors[0]!.registry_id, registry.clusterId);
  await syncFrom(portOf(sourceAgent.address('registry')));
  const isSync = ({ message }: Readonly<Record<string, unknown>>) => message === 'linked schemas';
  let lines = await until('Events by Stage', 'schema_linking');
  for (; !lines.some(isSync); lines = await until('Events by Stage', 'schema_linking')) await pause(200);
  const { result, pipeline_name, virtual_cluster_id } = lines.find(isSync)!;
  assert.deepEqual(
    [result, pipeline_name, virtual_cluster_id],
    ['1 versions of 1 subjects; 1 new, 0 deleted', 'mirror', kafka.virtual_cluster_id],
  );
  assert.deepEqual(await demand(agent, 'GET /subjects'), ['orders']);
});
