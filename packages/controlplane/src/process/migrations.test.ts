import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@weir/api';
import { systemClock } from '@weir/core';
import { pause } from '@weir/core/testing';
import { refused } from '../../testing/refused.ts';
import { connectAgent, freshClusterId, freshKey, startProcess } from '../../testing/running-process.ts';

const agent = {
  ...{ agentId: 'a', nodeId: 1, host: 'h', kafkaPort: 1, internalUrl: '', zone: '', group: '' },
  ...{ roles: ['jobs'], release: 'v830', cpuCount: 1, cpuLoad: 0 },
};

const yaml = [
  'source_bootstrap_brokers: [{ hostname: kafka.example.com, port: 9092 }]',
  'topic_mappings: [{ source_regex: ".*" }]',
  '',
].join('\n');

/** A leader, an agent that says what its jobs would say, and a person. */
async function start(t: Parameters<typeof startProcess>[0]) {
  const [applicationKey, agentKey] = [freshKey(), freshKey()];
  const clusterId = freshClusterId();
  const oneUser = { applicationKey, accountKey: freshKey() };
  const process = await startProcess(t, { clusterId, agentKey, oneUser });
  await process.whenLeader();
  const headers = { 'service-api-key': applicationKey };
  const client = createClient({ baseUrl: process.url, fetch, headers, checksAnswers: true });
  const on = { virtual_cluster_id: clusterId };
  const { pipeline_id } = await client.call('create_pipeline', {
    ...on,
    pipeline_name: 'move',
    pipeline_type: 'orbit',
  });
  await client.call('create_pipeline_configuration', { ...on, pipeline_id, configuration_yaml: yaml });
  const worker = connectAgent(t, process.url, clusterId, agentKey);
  await worker.heartbeat(agent);
  const manage = async (...names: readonly string[]) => {
    const made = await worker.manageTopics(
      names.map((name) => ({
        name,
        sourceTopic: name,
        sourceTopicId: '',
        configs: {},
        logStarts: Float64Array.of(5, 0),
      })),
      pipeline_id,
    );
    return made.map(({ error, topic }) => {
      assert.equal(error, 'NONE');
      return topic!.topicId;
    });
  };
  const report = (topic: string, topicId: string, sourceEnds: Float64Array) =>
    worker.reportMigration({
      agentId: 'a',
      pipelineId: pipeline_id,
      topics: [
        {
          topic,
          sourceTopic: topic,
          topicId,
          sourceStarts: Float64Array.of(5, 0),
          sourceEnds,
          unchangedReads: 0,
          stopped: [],
        },
      ],
    });
  return { client, on, worker, manage, report, pipeline_id };
}

test('a person sees what the leader and agents know, and moves topics of the real leader', async (t) => {
  const { client, on, worker, manage, report } = await start(t);
  const empty = await client.call('orbit/describe_migration', on);
  assert.deepEqual([empty.topics, empty.pipeline_state], [[], 'paused']);
  const [orders] = await manage('orders', 'bills');
  await report('orders', orders!, Float64Array.of(9, 0));
  const { topics, totals } = await client.call('orbit/describe_migration', on);
  assert.deepEqual(
    topics.map(({ topic, state, lag_offsets, holds }) => [
      topic,
      state,
      lag_offsets,
      holds.map(({ code }) => code),
    ]),
    [
      ['bills', 'replicating', undefined, ['pipeline_paused', 'no_agent', 'not_forwarding']],
      ['orders', 'replicating', 4, ['pipeline_paused', 'no_agent', 'not_forwarding', 'lag']],
    ],
  );
  assert.equal(totals.lag_offsets, undefined);
  const { partitions } = await client.call('orbit/describe_migration', { ...on, topic_name: 'orders' });
  assert.deepEqual(
    partitions!.map(({ first_offset, next_offset, lag_offsets }) => [first_offset, next_offset, lag_offsets]),
    [
      [5, 5, 4],
      [0, 0, 0],
    ],
  );

  await refused(client, 'conflict', 'orbit/auto_migration/initiate', { ...on, topics: ['orders'] });
  let isConfirmed = false;
  const forwarding = client.call('orbit/auto_migration/start_forwarding', { ...on, reason: 'move day' });
  const early = forwarding.then(() => assert.ok(isConfirmed, 'agents know of it first'));
  const confirmations = async () =>
    (await worker.listManagedTopics({})).map(({ topic: { topicId }, migration: { state, epoch } }) => ({
      ...{ topicId, state, epoch },
      forwardedRecords: 0,
    }));
  while ((await confirmations()).some(({ state }) => state !== 'PROXY')) await pause(20);
  await pause(300);
  isConfirmed = true;
  await worker.confirmMigrationStates('a', await confirmations());
  const forwarded = await forwarding;
  await early;
  assert.deepEqual(
    forwarded.topics.map(({ topic, state }) => [topic, state]),
    [
      ['bills', 'proxy'],
      ['orders', 'proxy'],
    ],
  );
  const begun = await client.call('orbit/auto_migration/initiate', { ...on, topics: ['orders'] });
  assert.equal(begun.topics[0]!.cut_over_requested, true);

  // The engine blocks the topic, and a person takes that back.
  const [known] = await worker.listManagedTopics({ topicIds: [orders!] });
  const { pipelineId, epoch, deadlineMs, changedBy, reason } = known!.migration;
  assert.ok(deadlineMs! > systemClock.nowMs() + 500_000);
  assert.notEqual(changedBy, '');
  assert.equal(reason, '');
  const blocked = await worker.changeMigrationStates({
    pipelineId,
    topics: [{ topicId: orders!, from: 'PROXY', epoch }],
    to: 'BLOCKED',
    deadlineMs: deadlineMs!,
    by: 'migration',
    reason: '',
  });
  assert.equal(blocked.error, 'NONE', blocked.message ?? '');
  const aborted = await client.call('orbit/auto_migration/abort', { ...on, to: 'replicating' });
  assert.deepEqual(
    aborted.topics.map(({ topic, state_before, state }) => [topic, state_before, state]),
    [
      ['bills', 'proxy', 'replicating'],
      ['orders', 'blocked', 'replicating'],
    ],
  );
  const handed = await client.call('orbit/hand_over', { ...on, topics: ['orders'] });
  assert.equal(handed.topics[0]!.state, 'migrated');
  await refused(
    client,
    'conflict',
    'orbit/auto_migration/start_forwarding',
    { ...on, topics: ['orders'] },
    /is migrated, which is final/,
  );
  await refused(client, 'conflict', 'orbit/delete_copy', { ...on, topic_name: 'orders' });
  await client.call('orbit/delete_copy', { ...on, topic_name: 'bills' });
  const left = await client.call('orbit/describe_migration', on);
  assert.deepEqual(
    left.topics.map(({ topic, state, holds }) => [topic, state, holds.length]),
    [['orders', 'migrated', 0]],
  );
});

test('an agent answers a preflight, and what it refuses reaches the caller', async (t) => {
  const { client, on, worker, pipeline_id } = await start(t);
  await worker.heartbeat(agent);
  const asked = client.call('orbit/preflight', { ...on, pipeline_id });
  const query = await worker.takeQuery({ agentId: 'a', waitMs: 20_000 });
  const question = JSON.parse(Buffer.from(query!.request).toString()) as Record<string, unknown>;
  assert.deepEqual(
    [question.kind, question.pipelineId, question.yaml],
    ['migrationPreflight', pipeline_id, yaml],
  );
  const answer = Buffer.from(
    JSON.stringify({ kind: 'refused', reason: 'unavailable', message: 'kafka.example.com:9092: refused' }),
  );
  const [outcome] = await Promise.allSettled([
    asked,
    worker.reportQuery({ agentId: 'a', queryId: query!.queryId, state: 'done', answer, message: '' }),
  ]);
  assert.match(String((outcome as PromiseRejectedResult).reason), /kafka\.example\.com:9092: refused/);
});

test('a migration is deleted when it manages no topic any more', async (t) => {
  const { client, on, manage, pipeline_id } = await start(t);
  await manage('orders', 'bills');
  const target = { ...on, pipeline_id };
  await refused(
    client,
    'conflict',
    'delete_pipeline',
    target,
    /still manages 2 topics, first bills: hand them over/,
  );
  await client.call('orbit/hand_over', { ...on, topics: ['orders'] });
  await refused(client, 'conflict', 'delete_pipeline', target, /still manages 1 topics, first bills/);
  await client.call('orbit/delete_copy', { ...on, topic_name: 'bills' });
  await client.call('delete_pipeline', target);
  await refused(client, 'not_found', 'orbit/describe_migration', on, /has no migration/);
});
