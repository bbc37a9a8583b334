import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { catalogue } from '@weir/api';
import { type Answers, serve } from '../../testing/served.ts';

const virtual_cluster_id = 'orders';

async function textOf(t: TestContext, answers: Answers, name: string, args: Record<string, unknown>) {
  const { connect, calls } = await serve(t, { answers });
  const client = await connect();
  const answer = await client.callTool({ name, arguments: { virtual_cluster_id, ...args } });
  const [{ text }] = answer.content as unknown as [{ readonly text: string }];
  assert.notEqual(answer.isError, true, text);
  return { text, calls };
}

test('list_topics finds topics without a schema, over all pages of subjects', async (t) => {
  const [topic] = catalogue.list_topics.example.output.topics;
  const [subject] = catalogue.list_subjects.example.output.subjects;
  const topics = ['a', 'b', 'c', 'd-value'].map((name) => ({ ...topic!, name }));
  const pages: Record<string, { subjects: object[]; next_cursor: string | null }> = {
    '': { subjects: [{ ...subject!, subject: 'a-value' }], next_cursor: 'more' },
    more: {
      subjects: [
        { ...subject!, subject: 'b-key' },
        // Names a record, not a topic.
        { ...subject!, subject: 'c' },
      ],
      next_cursor: null,
    },
  };
  const { text } = await textOf(
    t,
    {
      list_topics: () => ({ topics }),
      list_subjects: ({ cursor = '' }: { cursor?: string }) => pages[cursor],
    },
    'list_topics',
    { without_schema: true },
  );
  assert.match(text, /total: 2\n/);
  assert.match(text, /^c\t[\s\S]*^d-value\t/m);
  assert.match(text, /hint: 2 of 4 topics have no schema under their name\./);
});

test('list_clients finds versions that are older than others', async (t) => {
  const [client] = catalogue.list_clients.example.output.clients;
  const versions = ['librdkafka 1.9.2', 'librdkafka 1.10.0', 'sarama 1.40', 'franz-go 2', ' '];
  const clients = versions.map((one) => {
    const [software_name, software_version] = one.split(' ');
    return { ...client!, software_name, software_version };
  });
  const { text } = await textOf(
    t,
    { list_clients: () => ({ ...catalogue.list_clients.example.output, clients, total: clients.length }) },
    'list_clients',
    { outdated: true },
  );
  assert.match(text, /total: 2\n/);
  assert.match(text, /^librdkafka\t1\.9\.2\t/m);
  assert.doesNotMatch(text, /1\.10\.0|sarama|franz/);
});

test('describe_consumer_group names the diagnostic that fails about it, and the last commit', async (t) => {
  const [listed] = catalogue.list_diagnostics.example.output.diagnostics;
  const { diagnostic } = catalogue.get_diagnostic.example.output;
  const name = 'consumer_group_stuck';
  const findings = [
    { key: 'group:other', message: 'Group other is stuck.', since: '2026-01-31T10:00:00Z' },
    { key: 'group:shop', message: 'Group shop is stuck.', since: '2026-01-31T11:00:00Z' },
  ];
  const { text, calls } = await textOf(
    t,
    {
      list_diagnostics: () => ({
        diagnostics: [listed!, { ...listed!, name, diagnostic_id: name }],
      }),
      get_diagnostic: () => ({ diagnostic: { ...diagnostic, groups: findings } }),
    },
    'describe_consumer_group',
    { group: 'shop' },
  );
  assert.match(text, /^last_commit_at: \d{4}-/m);
  assert.match(text, /^consumer_group_stuck\tGroup shop is stuck\.\t2026-01-31T11:00:00Z$/m);
  assert.match(text, /^hint: consumer_group_stuck fails: Group shop is stuck\. get_diagnostic /m);
  assert.doesNotMatch(text, /other/);
  // Diagnostics about other things are not read.
  assert.equal(calls.filter(([operation]) => operation === 'get_diagnostic').length, 1);
});

test('who may is answered with those who may', async (t) => {
  const { output } = catalogue.explain_access.example;
  const accessOf = (principal: string, is_allowed: boolean) => ({
    principal,
    is_allowed,
    do_rules_allow: false,
    is_superuser: false,
    other_hosts: null,
    deciding_rule: null,
  });
  const { text } = await textOf(
    t,
    {
      explain_access: () => ({
        ...output,
        is_allowed: false,
        who: [accessOf('User:*', false), accessOf('User:shop', true)],
        who_total: 2,
      }),
    },
    'explain_access',
    { operation: 'READ', resource_type: 'TOPIC', resource_name: 'orders' },
  );
  assert.match(text, /^who \(2\):\n.*\nUser:shop\ttrue/);
  assert.doesNotMatch(text, /is_allowed: /);
});

test('query_metrics asks for a trend that costs few tokens', async (t) => {
  const { text, calls } = await textOf(t, {}, 'query_metrics', { metrics: ['lag'], group: 'shop' });
  const [, input] = calls.find(([operation]) => operation === 'query_metrics')!;
  assert.equal((input as { step_seconds: number }).step_seconds, 120);
  assert.match(text, /^metric\tgroup\tlast\tmin\tmax\tvalues\nlag\tshop\t41\t12\t41\t,,12,30,41,41$/m);
});
