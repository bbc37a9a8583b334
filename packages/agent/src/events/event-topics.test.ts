import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLeaderAgent } from '@weir/broker/testing';
import { jsonLog, silentLog } from '@weir/core';
import { until } from '@weir/core/testing';
import { eventTopicName } from '@weir/events';
import { EventTopics } from './event-topics.ts';

test('a topic is created once, and cluster defaults for topics do not apply to it', async () => {
  await using cluster = await startLeaderAgent({
    'log.message.timestamp.type': 'LogAppendTime',
    'log.retention.bytes': '1000',
    'service.events.acl_logs.retention.nanos': '1500001',
  });
  const { view } = cluster;
  const topics = new EventTopics(view, silentLog);
  assert.equal(topics.known('acl_logs'), undefined);
  const ids = await Promise.all([topics.ensure('acl_logs'), topics.ensure('acl_logs')]);
  await until(() => topics.known('acl_logs') !== undefined);
  assert.deepEqual(new Set([...ids, topics.known('acl_logs')]).size, 1);
  const topic = view.topicByName(eventTopicName('acl_logs'))!;
  assert.equal(topic.partitionCount, 1);
  assert.deepEqual(topic.configs, {
    'cleanup.policy': 'delete',
    'message.timestamp.type': 'CreateTime',
    'retention.bytes': '-1',
    'retention.ms': '2',
    'service.partitions_auto_scaler.enabled': 'false',
  });
});

test('a topic follows the current retention config of the cluster', async () => {
  await using cluster = await startLeaderAgent();
  const { view, node } = cluster;
  const topics = new EventTopics(view, silentLog);
  await topics.ensure('agent_logs');
  await until(() => topics.known('agent_logs') !== undefined);
  const changes = [
    { name: 'service.events.agent_logs.retention.nanos', operation: 'set', value: '3600000000000' },
  ] as const;
  await node.alterConfigs([{ kind: 'cluster', name: '', replacesAll: false, changes }], {
    validateOnly: false,
  });
  const retention = () => view.topicByName(eventTopicName('agent_logs'))!.configs['retention.ms'];
  await until(() => {
    topics.keep();
    return retention() === '3600000';
  });
});

test('a failure to create a topic is logged once', async () => {
  const lines: string[] = [];
  const log = jsonLog({ level: 'warn', nowMs: () => 0, write: (line) => lines.push(line) });
  await using cluster = await startLeaderAgent(
    {},
    {
      port: (node) =>
        new Proxy(node, {
          get(target, name) {
            if (name === 'createTopics')
              return async () => [
                { error: 'POLICY_VIOLATION', message: 'too many topics', topic: undefined },
              ];
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }),
    },
  );
  const topics = new EventTopics(cluster.view, log);
  assert.equal(await topics.ensure('acl_logs'), undefined);
  assert.equal(await topics.ensure('acl_logs'), undefined);
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, /POLICY_VIOLATION: too many topics/);
});
