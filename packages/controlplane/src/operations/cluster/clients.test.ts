import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiLimits } from '@weir/api/limits';
import type { AgentClients, ReportedSoftware } from '@weir/cluster';
import { agentOf } from '@weir/diagnostics/testing';
import { openTestClusterApi } from '../../../testing/test-cluster-api.ts';
import { toClientsResponse } from './clients.ts';

const atMs = Date.parse('2026-01-31T12:00:00.000Z');

/** `java 4.3 ×7 User:shop/app`; a star means that there are more names. */
function software(text: string): ReportedSoftware {
  const [, name, version, connections, principal, clientId, more] =
    /^(\S*) (\S*) ×(\d+) ([^/*]+)\/([^*]*)(\*?)$/.exec(text)!;
  const extra = more === '*' ? 1 : 0;
  return {
    name: name!,
    version: version!,
    connectionCount: Number(connections),
    principals: [principal!],
    principalCount: 1 + extra,
    clientIds: [clientId!],
    clientIdCount: 1,
  };
}

function agent(agentId: string, connectionCount: number, ...kinds: readonly string[]): AgentClients {
  return { agentId, heardMs: atMs, connectionCount, software: kinds.map(software) };
}

const agents: readonly AgentClients[] = [
  agent('a', 12, 'java 4.3 ×7 User:shop/app', 'librdkafka 2.1 ×3 User:old/rd*'),
  { ...agent('b', 5, 'java 4.3 ×5 User:other/app'), heardMs: atMs - 9_000 },
  { agentId: 'silent', heardMs: null, connectionCount: 0, software: [] },
];

test('clients of all agents are one list by software, the most connections first', () => {
  const { clients, ...facts } = toClientsResponse(agents, {});
  assert.deepEqual(clients, [
    {
      software_name: 'java',
      software_version: '4.3',
      connections: 12,
      principals: ['User:shop', 'User:other'],
      client_ids: ['app'],
      has_more_names: false,
      agents: [
        { agent_id: 'a', connections: 7 },
        { agent_id: 'b', connections: 5 },
      ],
      agent_count: 2,
    },
    {
      software_name: 'librdkafka',
      software_version: '2.1',
      connections: 3,
      principals: ['User:old'],
      client_ids: ['rd'],
      has_more_names: true,
      agents: [{ agent_id: 'a', connections: 3 }],
      agent_count: 1,
    },
  ]);
  assert.deepEqual(facts, {
    total: 2,
    connections: 17,
    unlisted_connections: 2,
    reported_at: '2026-01-31T11:59:51.000Z',
    silent_agents: ['silent'],
  });
});

const filters: [filter: Parameters<typeof toClientsResponse>[1], found: string[]][] = [
  [{ software_name: 'java' }, ['java 12']],
  [{ software_version: '2.1' }, ['librdkafka 3']],
  [{ agent_id: 'b' }, ['java 5']],
  [{ software_name: 'java', software_version: '9' }, []],
];

for (const [filter, found] of filters) {
  test(`clients by ${JSON.stringify(filter)}: ${found.join(', ') || 'none'}`, () => {
    const { clients, connections } = toClientsResponse(agents, filter);
    assert.deepEqual(
      clients.map((one) => `${one.software_name} ${one.connections}`),
      found,
    );
    assert.equal(connections, 17, 'all are counted');
  });
}

test('long lists of kinds, names and agents are cut and marked', () => {
  const many = Array.from(
    { length: apiLimits.listedSoftwareMax + 7 },
    (_, n) => `s${n} 1 ×${n + 1} User:u/c`,
  );
  const crowd = Array.from({ length: apiLimits.listedSoftwareNamesMax + 5 }, (_, n) =>
    agent(`a${n}`, 1_000_000, `common 1 ×1000 User:u${n}/c${n}`, ...(n === 0 ? many : [])),
  );
  const { clients, total } = toClientsResponse(crowd, {});
  assert.deepEqual([clients.length, total], [apiLimits.listedSoftwareMax, apiLimits.listedSoftwareMax + 8]);
  const [first] = clients;
  assert.equal(first!.agents.length, apiLimits.listedSoftwareNamesMax);
  assert.equal(first!.agent_count, apiLimits.listedSoftwareNamesMax + 5);
  assert.equal(first!.principals.length, apiLimits.listedSoftwareNamesMax);
  assert.equal(first!.has_more_names, true);
});

test('the operation returns what agents report with their heartbeats', async (t) => {
  const testApi = await openTestClusterApi(t);
  const empty = await testApi.call('list_clients', {});
  assert.deepEqual(empty, {
    clients: [],
    total: 0,
    connections: 0,
    unlisted_connections: 0,
    reported_at: null,
    silent_agents: [],
  });
  const { lastSeenMs, clockOffsetMs, certificates, tokens, ...described } = agentOf('a');
  await testApi.node.heartbeat({ ...described, agentId: 'old' });
  await testApi.node.heartbeat({
    ...described,
    report: {
      startedMs: 1,
      number: 1,
      sinceNumber: 0,
      spanMs: 1,
      nowMs: 1,
      connected: { connectionCount: 4, software: [software('sarama 1.61 ×4 User:shop/app')] },
    },
  });
  const { clients, connections, silent_agents } = await testApi.call('list_clients', {});
  assert.deepEqual(
    clients.map((one) => [one.software_name, one.software_version, one.connections]),
    [['sarama', '1.61', 4]],
  );
  assert.deepEqual([connections, silent_agents], [4, ['old']]);
});
