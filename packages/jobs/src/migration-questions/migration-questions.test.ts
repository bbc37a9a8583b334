import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeKafka } from '@weir/client/testing';
import type { PreflightOutcome, PreflightQuestion } from '@weir/cluster';
import { AllowedHosts, TenantVariables } from '@weir/cluster/outbound';
import { systemClock } from '@weir/core';
import { MigrationQuestions } from './migration-questions.ts';

const emptyEntries = { version: 0, byKey: new Map(), changedSince: () => [] };

function questionsWith(hosts: readonly string[]) {
  const questions = new MigrationQuestions({
    view: {
      topics: () => [{ topicId: 't', name: 'taken', partitionCount: 1, configs: {}, createdMs: 0 }],
      records: () => emptyEntries,
      clusterConfigs: () => ({}),
      port: { listGroups: async () => [] },
    },
    tenantAccess: {
      hosts: new AllowedHosts(hosts),
      variables: new TenantVariables({ ORBIT_PASSWORD: 'secret-of-orbit', SERVICE_AGENT_KEY: 'key' }),
    },
    clock: systemClock,
  });
  return async (yaml: string, signal = new AbortController().signal, limitMs = 60_000) => {
    const question: PreflightQuestion = { kind: 'migrationPreflight', yaml, jobAgentCount: 1, rowsMax: 100 };
    return JSON.parse(await questions.answer(question, { signal, limitMs })) as PreflightOutcome;
  };
}

async function startKafka(t: TestContext) {
  const kafka = await FakeKafka.start({ topics: { orders: 2, taken: 1 } });
  t.after(() => kafka.stop());
  return kafka.port();
}

const yamlOf = (port: number, rest = '') =>
  `source_bootstrap_brokers: [{ hostname: 127.0.0.1, port: ${port} }]\ntopic_mappings: [{ source_regex: ".*" }]\n${rest}`;

test('an agent says what becomes of each topic, and asks the source only where it may', async (t) => {
  const port = await startKafka(t);
  const ask = questionsWith(['loopback']);
  const outcome = await ask(yamlOf(port));
  assert.equal(outcome.kind, 'answered', JSON.stringify(outcome));
  const { topics, source, totals } = (outcome as Extract<PreflightOutcome, { kind: 'answered' }>).answer;
  assert.deepEqual(
    topics.map(({ source: name, fate, partitionCount }) => [name, fate, partitionCount]),
    [
      ['taken', 'refused', 1],
      ['orders', 'created', 2],
    ],
  );
  assert.match(topics[0]!.reason!, /exists here already/);
  assert.deepEqual([source.brokerCount, totals.topics], [1, 1]);
  const refused = await questionsWith(['public'])(yamlOf(port));
  assert.deepEqual([refused.kind, 'reason' in refused && refused.reason], ['refused', 'unavailable']);
  assert.match('message' in refused ? refused.message : '', /127\.0\.0\.1/);
});

test('a configuration, a variable and a source that are not there are one line each', async () => {
  const ask = questionsWith(['loopback']);
  const credentials = (name: string) =>
    `source_cluster_credentials: { sasl_mechanism: plain, sasl_username_env: ${name}, sasl_password_env: PASSWORD }\n`;
  const cases: readonly (readonly [yaml: string, message: RegExp])[] = [
    ['topic_mappings: []', /^line 1, column 1: source_bootstrap_brokers: is missing$/],
    [yamlOf(1, credentials('NAME')), /^the environment variable ORBIT_NAME of the agents is not set$/],
    [yamlOf(1, credentials('SERVICE_AGENT_KEY')), /ORBIT_SERVICE_AGENT_KEY of the agents is not set$/],
    [yamlOf(1), /^127\.0\.0\.1:1: .*nothing listens on that port/],
  ];
  for (const [yaml, expected] of cases) {
    const outcome = await ask(yaml);
    assert.equal(outcome.kind, 'refused');
    assert.match('message' in outcome ? outcome.message : '', expected);
    assert.ok(!JSON.stringify(outcome).includes('secret-of-orbit'));
  }
});

test('a caller that has gone ends the questions', async (t) => {
  const port = await startKafka(t);
  const caller = new AbortController();
  caller.abort();
  await assert.rejects(questionsWith(['loopback'])(yamlOf(port), caller.signal), { name: 'AbortError' });
});
