import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startAgentUnderTest } from '@weir/agent/testing';
import { errorName } from '@weir/broker/testing';
import { aclKey } from '@weir/cluster';
import { type Acl, jsonLog } from '@weir/core';
import { TestCluster } from '@weir/metadata/testing';

const describeOrders: Acl = {
  resourceType: 'TOPIC',
  resourceName: 'orders',
  patternType: 'LITERAL',
  principal: 'User:ANONYMOUS',
  host: '127.0.0.1',
  operation: 'DESCRIBE',
  permission: 'ALLOW',
};

test('a running agent enforces the ACLs of its cluster, and counts and logs denials', async (t) => {
  const cluster = new TestCluster({ clusterConfigs: { 'service.acls.enabled': 'true' } });
  cluster.addTopic('orders');
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>);
  const log = jsonLog({ level: 'warn', nowMs: () => 0, write });
  const under = await startAgentUnderTest(t, { cluster, log, hostname: 'machine.test' });
  const client = await under.connect();
  const request = { topics: [{ name: 'orders' }], allowAutoTopicCreation: false };
  const topicError = async () => {
    const { topics } = await client.call('Metadata', 4, request);
    return errorName(topics[0]!.errorCode);
  };
  assert.equal(await topicError(), 'TOPIC_AUTHORIZATION_FAILED');
  assert.equal(await under.metric('agent_acl_denied{resource_type="TOPIC",operation="DESCRIBE"}'), 1);
  const [line] = lines;
  const { principal, client_address, kafka_api_key_name, correlation_id, address, hostname_fqdn } = line!;
  assert.deepEqual(
    { principal, client_address, kafka_api_key_name, correlation_id, address, hostname_fqdn },
    {
      principal: 'User:ANONYMOUS',
      client_address: '127.0.0.1',
      kafka_api_key_name: 'Metadata',
      correlation_id: 1,
      address: `:${under.agent.kafkaPort}`,
      hostname_fqdn: 'machine.test',
    },
  );
  cluster.putRecord('acl', aclKey(describeOrders), {});
  let answer = '';
  while (answer !== 'NONE') answer = await topicError();
  cluster.putRecord('acl', aclKey(describeOrders), null);
  while (answer === 'NONE') answer = await topicError();
  assert.equal(answer, 'TOPIC_AUTHORIZATION_FAILED');
});
