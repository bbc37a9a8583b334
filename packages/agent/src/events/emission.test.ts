import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { batchOf, codeOf, errorName, startTestLeader, type TestClient } from '@weir/broker/testing';
import { type Acl, clusterResourceName, Metrics, systemClock } from '@weir/core';
import { pause } from '@weir/core/testing';
import { type EventRecord, type EventTypeName, eventEnvelope, eventTopicName } from '@weir/events';
import { batchRecords, recordBatches, zeroUuid } from '@weir/wire';
import { startAgentUnderTest } from '../../testing/running-agent.ts';

/** A real leader over a journal in memory, with a running agent behind real sockets, in real time. */
async function start(t: TestContext, configs: Readonly<Record<string, string>> = {}) {
  const leader = await startTestLeader({ configs });
  const { clusterId, node, set } = leader;
  t.after(() => leader.stop());
  const metrics = new Metrics();
  const under = await startAgentUnderTest(t, {
    clusterId,
    cluster: node,
    clock: systemClock,
    hostname: 'machine.test',
    metrics,
  });
  /** Also after the agent has stopped. */
  const counted = (name: string) => metrics.read().find(({ row }) => row.name === name)!.series[0]!.value;
  return { ...under, clusterId, node, set, counted };
}

/**
 * Reads an event topic as any client does, from the beginning; returns an empty list while the topic does not exist.
 */
async function eventsOf(client: TestClient, type: EventTypeName): Promise<EventRecord[]> {
  const named = { topics: [{ name: eventTopicName(type) }], allowAutoTopicCreation: true };
  const { topics } = await client.call('Metadata', 12, named);
  const [topic] = topics;
  if (topic!.errorCode !== 0) return [];
  assert.equal(topic!.isInternal, true);
  const partitions = [{ partition: 0, fetchOffset: 0n, partitionMaxBytes: 1 << 20, logStartOffset: -1n }];
  const { responses } = await client.call('Fetch', 13, {
    maxWaitMs: 0,
    minBytes: 0,
    maxBytes: 1 << 20,
    topics: [{ topicId: topic!.topicId, partitions }],
  });
  const records = responses[0]?.partitions[0]?.records;
  if (records === undefined || records === null) return [];
  return [...recordBatches(records, { partialTail: 'error' })].flatMap((batch) =>
    [...batchRecords(batch)].map(({ value }) => eventEnvelope.parse(JSON.parse(value!.toString()))),
  );
}

/** Events are written after a delay in real time; asking all the time would only slow it down. */
const askAgainMs = 10;

async function whenThere(
  client: TestClient,
  type: EventTypeName,
  isIt: (event: EventRecord) => boolean = () => true,
): Promise<EventRecord> {
  for (;;) {
    const found = (await eventsOf(client, type)).find(isIt);
    if (found !== undefined) return found;
    await pause(askAgainMs);
  }
}

/** Polls until the answer is as wanted. */
async function untilAnswered<T>(question: () => Promise<T>, wanted: T): Promise<void> {
  while ((await question()) !== wanted) await pause(askAgainMs);
}

/** Reading these events is an event of its own, if an ACL allows it. */
const isDenial = ({ data }: EventRecord) => data.is_allowed === false;

const anybody = { principal: 'User:ANONYMOUS', host: '*', permission: 'ALLOW' } as const;
const ofEvents = {
  resourceType: 'TOPIC',
  resourceName: '__service_events_',
  patternType: 'PREFIXED',
} as const;
const ofCluster = {
  resourceType: 'CLUSTER',
  resourceName: clusterResourceName,
  patternType: 'LITERAL',
} as const;

const readsEvents: Acl[] = [
  { ...anybody, ...ofEvents, operation: 'READ' },
  { ...anybody, ...ofEvents, operation: 'DESCRIBE' },
  { ...anybody, ...ofCluster, operation: 'DESCRIBE_CONFIGS' },
];

async function ask(client: TestClient, name: string): Promise<string> {
  const request = { topics: [{ name }], allowAutoTopicCreation: false };
  const { topics } = await client.call('Metadata', 12, request);
  return errorName(topics[0]!.errorCode);
}

/** The config as the agent knows it. */
async function clusterConfig(client: TestClient, name: string): Promise<string | null> {
  const answer = await client.call('DescribeConfigs', 4, {
    resources: [{ resourceType: 4, resourceName: '', configurationKeys: [name] }],
  });
  return answer.results[0]!.configs[0]?.value ?? null;
}

test('denials are events that clients can read, while events are switched on', async (t) => {
  const { node, set, connect, clusterId, agent, metric } = await start(t);
  await node.createAcls(readsEvents);
  await set({ 'service.acls.enabled': 'true' });
  const client = await connect();
  await untilAnswered(() => ask(client, 'before'), 'TOPIC_AUTHORIZATION_FAILED');
  await set({ 'service.events.enabled': 'true' });
  // An earlier denial is emitted again, although the log suppresses it for a minute.
  let isThere = false;
  const event = whenThere(client, 'acl_logs', isDenial).finally(() => {
    isThere = true;
  });
  const denied = await connect();
  while (!isThere) {
    assert.equal(await ask(denied, 'before'), 'TOPIC_AUTHORIZATION_FAILED');
    await pause(askAgainMs);
  }
  const { source, type, time, data, specversion, datacontenttype, id } = await event;
  assert.deepEqual([specversion, datacontenttype, type], ['1.0', 'application/json', 'acl_logs']);
  assert.equal(source, `ws:agent:${clusterId}:agent-under-test`);
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal(typeof data.correlation_id, 'number');
  assert.match(String(data.message), /User:ANONYMOUS was denied DESCRIBE of TOPIC before/);
  const { message: _, correlation_id: __, ...rest } = data;
  assert.deepEqual(rest, {
    module: 'acl',
    is_log: true,
    log_level: 'warn',
    is_allowed: false,
    reason: 'no ACL allows it',
    is_shadow: false,
    principal: 'User:ANONYMOUS',
    client_address: '127.0.0.1',
    client_id: 'test',
    operation: 'DESCRIBE',
    resource_type: 'TOPIC',
    resource_name: 'before',
    kafka_enabled: true,
    kafka_api_key: 3,
    kafka_api_key_name: 'Metadata',
    address: `:${agent.kafkaPort}`,
    agent_id: 'agent-under-test',
    hostname_fqdn: 'machine.test',
    virtual_cluster_id: clusterId,
    virtual_cluster_name: clusterId,
  });
  const stats = await whenThere(
    client,
    'cluster_metrics',
    ({ data: eventData }) => eventData.tags !== undefined,
  );
  assert.match(String(stats.data.metric_name), /^service_[a-z_]+$/);
  assert.equal(typeof stats.data.value, 'number');

  await set({ 'service.events.enabled': 'false' });
  await untilAnswered(() => clusterConfig(client, 'service.events.enabled'), 'false');
  const submitted = 'events_processor_submit_success_count';
  const before = await metric(submitted);
  assert.ok(before > 0);
  assert.equal(await ask(denied, 'after'), 'TOPIC_AUTHORIZATION_FAILED');
  assert.equal(await metric(submitted), before);
  assert.equal(await metric('events_processor_produce_error_count'), 0);
});

test('log lines are events, and events of the control plane are fetched and written', async (t) => {
  const { node, connect, clusterId, agent } = await start(t, { 'service.events.enabled': 'true' });
  const client = await connect();
  const timeMs = systemClock.nowMs();
  const text = JSON.stringify({
    specversion: '1.0',
    id: 'one',
    source: `ws:control-plane:${clusterId}:diagnostics`,
    type: 'diagnostics_logs',
    time: new Date(timeMs).toISOString(),
    datacontenttype: 'application/json',
    data: { transition: 'failed' },
  });
  await node.putControlPlaneEvents([{ type: 'diagnostics_logs', timeMs, text }]);
  const event = await whenThere(client, 'diagnostics_logs');
  assert.equal(JSON.stringify(event), text);
  const isReady = ({ data }: EventRecord) => data.message === 'started agent';
  const { data } = await whenThere(client, 'agent_logs', isReady);
  assert.deepEqual(data, {
    module: 'agent',
    kafkaPort: agent.kafkaPort,
    httpPort: agent.httpPort,
    log_level: 'info',
    message: 'started agent',
    agent_id: 'agent-under-test',
    hostname_fqdn: 'machine.test',
    virtual_cluster_id: clusterId,
    virtual_cluster_name: clusterId,
  });
});

test('an agent that stops writes its pending events first', async (t) => {
  const { node, connect, agent, counted } = await start(t, {
    'service.acls.enabled': 'true',
    'service.events.enabled': 'true',
  });
  await node.createAcls(readsEvents);
  const client = await connect();
  await untilAnswered(() => ask(client, 'first'), 'TOPIC_AUTHORIZATION_FAILED');
  await whenThere(client, 'acl_logs', isDenial);
  const before = counted('events_processor_submit_success_count');
  await ask(client, 'last words');
  await agent.stop({ deadlineMs: 5_000 });
  assert.ok(counted('events_processor_submit_success_count') > before);
  assert.equal(
    counted('events_processor_produce_success_count'),
    counted('events_processor_submit_success_count'),
  );
});

test('internal topics are not listed, and clients cannot change them', async (t) => {
  const { node, set, connect } = await start(t);
  await set({
    'service.events.enabled': 'true',
    'service.events.cluster_metrics.retention.nanos': '3600000000000',
  });
  const client = await connect();
  await whenThere(client, 'cluster_metrics');
  const name = eventTopicName('cluster_metrics');
  const listed = await client.call('Metadata', 12, { topics: null });
  assert.deepEqual(
    listed.topics.map((topic) => topic.name),
    [],
  );
  const described = await client.call('DescribeTopicPartitions', 0, {
    topics: [],
    responsePartitionLimit: 100,
    cursor: null,
  });
  assert.deepEqual(described.topics, []);
  const invalid = codeOf('INVALID_TOPIC_EXCEPTION');
  const created = await client.call('CreateTopics', 7, {
    topics: [
      {
        name: '__service.events_acl_logs',
        numPartitions: 1,
        replicationFactor: -1,
        assignments: [],
        configs: [],
      },
    ],
    timeoutMs: 1_000,
    validateOnly: false,
  });
  assert.equal(created.topics[0]!.errorCode, invalid);
  assert.match(String(created.topics[0]!.errorMessage), /belongs to the service/);
  const deleted = await client.call('DeleteTopics', 6, {
    topics: [{ name, topicId: zeroUuid }],
    timeoutMs: 1_000,
  });
  assert.equal(deleted.responses[0]!.errorCode, invalid);
  assert.match(String(deleted.responses[0]!.errorMessage), /belongs to the service/);
  const altered = await client.call('IncrementalAlterConfigs', 1, {
    resources: [
      {
        resourceType: 2,
        resourceName: name,
        configs: [{ name: 'retention.ms', configOperation: 0, value: '1' }],
      },
    ],
    validateOnly: false,
  });
  assert.equal(altered.responses[0]!.errorCode, invalid);
  const { topicId } = (await client.call('Metadata', 12, { topics: [{ name }] })).topics[0]!;
  for (const [version, named] of [
    [12, { name, topicId: zeroUuid }],
    [13, { name: '', topicId }],
  ] as const) {
    const { responses } = await client.call('Produce', version, {
      acks: -1,
      timeoutMs: 1_000,
      topicData: [{ ...named, partitionData: [{ index: 0, records: batchOf(['forged']) }] }],
    });
    assert.equal(responses[0]!.partitionResponses[0]!.errorCode, invalid);
  }
  const grown = await client.call('CreatePartitions', 3, {
    topics: [{ name, count: 2, assignments: null }],
    timeoutMs: 1_000,
    validateOnly: false,
  });
  assert.equal(grown.results[0]!.errorCode, invalid);
  const cut = await client.call('DeleteRecords', 2, {
    topics: [{ name, partitions: [{ partitionIndex: 0, offset: -1n }] }],
    timeoutMs: 1_000,
  });
  assert.equal(cut.topics[0]!.partitions[0]!.errorCode, invalid);
  const retention = async () => {
    const answer = await client.call('DescribeConfigs', 4, {
      resources: [{ resourceType: 2, resourceName: name, configurationKeys: ['retention.ms'] }],
    });
    return answer.results[0]!.configs[0]!.value;
  };
  assert.equal(await retention(), '3600000');
  await set({ 'service.events.cluster_metrics.retention.nanos': '7200000000001' });
  await untilAnswered(retention, '7200001');
  assert.equal(node.role, 'leader');
});
