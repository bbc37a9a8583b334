import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallOf, clusterIdOf, type ErrorCode } from '@weir/api';
import { openTestClusterApi } from '../../../testing/test-cluster-api.ts';

type Change = CallOf<'update_virtual_cluster_configuration'>['virtual_cluster_configuration'];

test('the configuration of a new cluster', async (t) => {
  const testApi = await openTestClusterApi(t);
  const { virtual_cluster_configuration } = await testApi.call('describe_virtual_cluster_configuration', {});
  assert.deepEqual(virtual_cluster_configuration, {
    are_acls_enabled: false,
    acl_shadowing_enabled: false,
    is_auto_create_topic_enabled: true,
    default_num_partitions: 1,
    default_retention_millis: 86_400_000,
    default_topic_type: 'classic',
    enable_deletion_protection: false,
    soft_delete_topics_enabled: true,
    inactive_topics_ttl: 86_400_000_000_000,
    tier: 'pro',
    broker_configs: {
      'auto.create.topics.enable': 'true',
      'delete.topic.enable': 'true',
      'log.retention.ms': '86400000',
      'num.partitions': '1',
      'offsets.retention.minutes': '10080',
      'service.default.topic.type': 'classic',
      'service.soft.delete.topic.enable': 'true',
      'service.soft.delete.topic.ttl.ms': '86400000',
    },
    bucket_url: null,
  });
});

const changes: [what: string, change: Change, then: Record<string, unknown>][] = [
  ['ACLs', { are_acls_enabled: true }, { are_acls_enabled: true, acl_shadowing_enabled: false }],
  [
    'ACLs only tried out, from enforced ones',
    { are_acls_enabled: false, acl_shadowing_enabled: true },
    { are_acls_enabled: false, acl_shadowing_enabled: true },
  ],
  ['deletion protection', { enable_deletion_protection: true }, { enable_deletion_protection: true }],
  ['the tier', { tier: 'enterprise' }, { tier: 'enterprise', enable_deletion_protection: true }],
  ['no tier', { tier: '' }, { tier: 'enterprise' }],
  [
    'configs of brokers, by any of their names',
    { broker_configs: { 'num.partitions': '4', 'log.retention.hours': '2', 'delete.topic.enable': null } },
    { default_num_partitions: 4, default_retention_millis: 7_200_000 },
  ],
  ['nothing', {}, { default_num_partitions: 4, are_acls_enabled: false }],
  ['the bucket', { bucket_url: 's3://other?region=x' }, { bucket_url: 's3://other?region=x' }],
  [
    'several buckets as one',
    { bucket_url: 'service_multi://s3://one?region=x<>s3://two?region=x' },
    { bucket_url: 'service_multi://s3://one?region=x<>s3://two?region=x' },
  ],
  ['the bucket back', { bucket_url: null }, { bucket_url: null }],
  [
    'how long topics stay restorable',
    { broker_configs: { 'service.soft.delete.topic.ttl.hours': '1' } },
    { inactive_topics_ttl: 3_600_000_000_000 },
  ],
];

test('a change affects only the named configs', async (t) => {
  const testApi = await openTestClusterApi(t);
  for (const [what, change, then] of changes) {
    await t.test(what, async () => {
      await testApi.call('update_virtual_cluster_configuration', { virtual_cluster_configuration: change });
      const { virtual_cluster_configuration: after } = await testApi.call(
        'describe_virtual_cluster_configuration',
        {},
      );
      assert.deepEqual({ ...after, ...then }, after);
    });
  }
});

test('a config that was set is returned with the default ones', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: {
      are_acls_enabled: true,
      broker_configs: { 'message.max.bytes': '5', 'group.max.size': '7' },
    },
  });
  const { virtual_cluster_configuration } = await testApi.call('describe_virtual_cluster_configuration', {});
  const { broker_configs } = virtual_cluster_configuration;
  assert.equal(broker_configs['message.max.bytes'], '5');
  assert.equal(broker_configs['group.max.size'], '7');
  assert.ok(!('service.acls.enabled' in broker_configs), 'it has its own field');
});

test('configs that can be set are listed with their values, checked and reset', async (t) => {
  const testApi = await openTestClusterApi(t);
  const definitionsByName = async () => {
    const { definitions } = await testApi.call('list_cluster_config_definitions', {});
    return new Map(definitions.map((definition) => [definition.name, definition]));
  };
  const before = await definitionsByName();
  for (const name of ['service.acls.enabled', 'service.events.enabled', 'transaction.max.timeout.ms'])
    assert.ok(!before.has(name), `${name} has a field of its own or cannot be set`);
  const { type, rule, default: usual, value, is_set } = before.get('num.partitions')!;
  assert.deepEqual([type, usual, value, is_set], ['int', '1', '1', false]);
  assert.match(rule, /^a whole number from 1 to/);
  const set = { broker_configs: { 'num.partitions': '6', 'message.max.bytes': '5000' } };
  await testApi.call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: { ...set, tier: 'dev' },
    validate_only: true,
  });
  assert.deepEqual(await definitionsByName(), before, 'checked and not done');
  await testApi.call('update_virtual_cluster_configuration', { virtual_cluster_configuration: set });
  const after = await definitionsByName();
  assert.deepEqual(
    { ...before.get('num.partitions'), value: '6', is_set: true },
    after.get('num.partitions'),
  );
  await testApi.call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: { reset_broker_configs: ['num.partitions', 'message.max.bytes'] },
  });
  assert.deepEqual(await definitionsByName(), before);
});

const refusals: [what: string, change: Change, code: ErrorCode, pattern: RegExp][] = [
  [
    'an unknown config',
    { broker_configs: { 'no.such.config': '1' } },
    'unsupported_cluster_config',
    /^unsupported cluster config "no\.such\.config"$/,
  ],
  [
    'a value that a config cannot have',
    { broker_configs: { 'num.partitions': 'many' } },
    'invalid_cluster_config',
    /^invalid cluster config "num\.partitions": must be a whole number/,
  ],
  [
    'a config that cannot be set',
    { broker_configs: { 'transaction.max.timeout.ms': '1' } },
    'invalid_cluster_config',
    /^invalid cluster config "transaction\.max\.timeout\.ms"/,
  ],
  [
    'a config set and reset',
    { broker_configs: { 'num.partitions': '2' }, reset_broker_configs: ['num.partitions'] },
    'invalid_request',
    /use one of them/,
  ],
  [
    'a reset of a config that is a field',
    { reset_broker_configs: ['service.bucket.url'] },
    'unsupported_cluster_config',
    /use bucket_url/,
  ],
  [
    'a config that is a field',
    { broker_configs: { 'service.acls.enabled': 'true' } },
    'unsupported_cluster_config',
    /use are_acls_enabled/,
  ],
  [
    'a config that is an operation',
    { broker_configs: { 'service.events.enabled': 'true' } },
    'unsupported_cluster_config',
    /use update_events_state/,
  ],
  [
    'ACLs enforced and in shadow mode',
    { acl_shadowing_enabled: true, are_acls_enabled: true },
    'invalid_request',
    /both/,
  ],
  ['both ways of ACLs in two steps', { acl_shadowing_enabled: true }, 'invalid_cluster_config', /both/],
  ['an invalid bucket', { bucket_url: 'https://b' }, 'invalid_cluster_config', /one of mem/],
  ['an unknown parameter', { bucket_url: 's3://logs?x=1' }, 'invalid_cluster_config', /parameter x/],
  [
    'a region that names a server',
    { bucket_url: 's3://logs?region=eu@evil.example%23' },
    'invalid_cluster_config',
    /region=/,
  ],
  [
    'a secret in one of several buckets',
    { bucket_url: 'service_stripe://s3://one?region=x<>s3://key:secret@two?region=x' },
    'invalid_cluster_config',
    /"bucket_url"/,
  ],
  [
    'one bucket as several',
    { bucket_url: 'service_multi://s3://one' },
    'invalid_cluster_config',
    /"bucket_url"/,
  ],
  ['a bucket with a secret', { bucket_url: 's3://key:secret@b' }, 'invalid_cluster_config', /"bucket_url"/],
];

test('a refused change changes nothing, not even elsewhere', async (t) => {
  const testApi = await openTestClusterApi(t);
  await testApi.call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: { are_acls_enabled: true },
  });
  const before = await testApi.call('describe_virtual_cluster_configuration', {});
  for (const [what, change, code, pattern] of refusals) {
    await t.test(what, async () => {
      const [given, message] = await testApi.refusal('update_virtual_cluster_configuration', {
        virtual_cluster_configuration: { ...change, tier: 'dev', enable_deletion_protection: true },
      });
      assert.equal(given, code);
      assert.match(message, pattern);
      assert.ok(!message.includes('secret'), 'the message does not repeat a possible secret');
      assert.deepEqual(await testApi.call('describe_virtual_cluster_configuration', {}), before);
    });
  }
});

const kafkaTypes = [
  'acl_logs',
  'agent_logs',
  'cluster_metrics',
  'diagnostics_logs',
  'orbit_logs',
  'pipeline_logs',
];

test('events: a cluster has the types of its kind', async (t) => {
  const testApi = await openTestClusterApi(t);
  const lake = { virtual_cluster_id: clusterIdOf('byoc_data_lake', '6dd7bd33-8c96-4a3a-a5b2-8e8e2f1f5a10') };
  const registry = {
    virtual_cluster_id: clusterIdOf('byoc_schema_registry', '6dd7bd33-8c96-4a3a-a5b2-8e8e2f1f5a10'),
  };
  const typesIn = async (cluster: { readonly virtual_cluster_id?: string }) =>
    Object.keys((await testApi.call('get_events_state', cluster)).event_types).sort();
  assert.deepEqual(await typesIn({}), kafkaTypes);
  assert.deepEqual(await typesIn(registry), []);
  const lakeTypes = ['agent_logs', 'cluster_metrics', 'diagnostics_logs', 'tableflow_logs'];
  assert.deepEqual(await typesIn(lake), lakeTypes);

  const tables = { event_types: { tableflow_logs: { enabled: true } } };
  await testApi.call('update_events_state', { ...lake, enabled: true, ...tables });
  assert.equal((await testApi.call('get_events_state', lake)).enabled, true);
  const [code, message] = await testApi.refusal('update_events_state', tables);
  assert.equal(code, 'invalid_request');
  assert.match(message, /a cluster of this type has no tableflow_logs, but agent_logs, /);
  assert.deepEqual(
    (await testApi.refusal('update_events_state', { ...registry, enabled: true }))[0],
    'unsupported_cluster_type',
  );
});

test('events: omitted fields stay unchanged, and durations are exact', async (t) => {
  const testApi = await openTestClusterApi(t);
  const week = 604_800_000_000_000;
  const before = await testApi.call('get_events_state', {});
  assert.equal(before.enabled, false);
  assert.deepEqual(Object.keys(before.event_types).sort(), kafkaTypes);
  assert.deepEqual(before.event_types.acl_logs, {
    enabled: true,
    emitted: true,
    retention_period_nanos: week,
  });
  assert.deepEqual(
    Object.keys(before.event_types).filter(
      (type) => before.event_types[type as 'acl_logs']?.emitted !== true,
    ),
    [],
  );
  await testApi.call('update_events_state', {
    enabled: true,
    event_types: {
      acl_logs: { enabled: false },
      agent_logs: { retention_period_nanos: 9_007_199_254_740_993n },
    },
  });
  await testApi.call('update_events_state', { event_types: { acl_logs: { retention_period_nanos: 1 } } });
  await testApi.call('update_events_state', {});
  const { enabled, event_types } = await testApi.call('get_events_state', {});
  assert.equal(enabled, true);
  assert.deepEqual(event_types.acl_logs, { enabled: false, emitted: true, retention_period_nanos: 1 });
  assert.deepEqual(event_types.agent_logs, {
    enabled: true,
    emitted: true,
    retention_period_nanos: 9_007_199_254_740_993n,
  });
});

test('a bucket can be replaced by one of another kind, and back', async (t) => {
  const testApi = await openTestClusterApi(t);
  const set = (bucket_url: string | null) => ({ virtual_cluster_configuration: { bucket_url } });
  for (const url of ['s3://logs?region=eu-west-1', 'file:///tmp/logs', null, 's3://others?region=eu-west-1'])
    await testApi.call('update_virtual_cluster_configuration', set(url));
  const [code, message] = await testApi.refusal('update_virtual_cluster_configuration', set('mem://logs'));
  assert.equal(code, 'invalid_cluster_config');
  assert.match(message, /lost with its process/);
});
