import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { catalogue } from '@weir/api';
import { type Answers, type Asks, docsPages, serve } from '../../testing/served.ts';
import { controlPlaneManifest } from '../server-manifests.ts';
import { listedTool } from '../tools/tool-list.ts';
import { writeTools } from './write-tools.ts';

type Answer = { isError?: boolean; content: { text: string }[]; structuredContent: Record<string, unknown> };

const [rule] = catalogue['virtual_clusters/acls/list'].example.output.acls;
const newRule = { ...rule!, operation: 'READ' as const };
const cluster = { virtual_cluster_id: 'orders' };

/** The arguments of each tool in a test, the input of its operation if that differs, and what it shows the user. */
const calls: Readonly<
  Record<string, { readonly args: object; readonly input?: object; readonly asks: RegExp }>
> = {
  create_topic: {
    args: { topic_name: 'bills', partition_count: 3, configs: { 'retention.ms': '1000' } },
    asks: /^Create the topic bills in the virtual cluster vcn_orders\?\npartitions: none → 3\nretention.ms: none → 1000$/,
  },
  update_topic: {
    args: { topic_name: 'orders', partition_count: 24, configs: { 'retention.ms': '1000' } },
    asks: /partitions: 12 → 24\nretention.ms: 604800000 → 1000\nWarning: Partitions cannot .*\nWarning: Records beyond the smaller retention.ms are deleted for good\.\nWarning: 1250000 records \(734003200 bytes\) are deleted within minutes\.$/,
  },
  reset_consumer_group_offsets: {
    args: { group: 'shop', to: 'latest' },
    asks: /^Reset the offsets of the consumer group shop to latest .*\norders\/0: 1000 → 1041\nWarning: The group skips 41 records\.$/,
  },
  create_acl: { args: { acl: newRule }, asks: /acl: none → ALLOW User:shop READ on TOPIC orders from \*/ },
  delete_acls: {
    args: { acls: [rule, newRule] },
    asks: /^Delete 1 ACL .*\nacl: ALLOW User:shop WRITE on TOPIC orders from \* → none\nWarning: There is no rule/,
  },
  mute_diagnostic: {
    args: { diagnostic_id: 'no_jobs_agent', reason: 'Known.' },
    asks: /muted: none → until it is unmuted/,
  },
  unmute_diagnostic: { args: { diagnostic_id: 'no_jobs_agent' }, asks: /muted: until it is unmuted → none/ },
  move_migration: {
    args: { action: 'cut_over', topics: ['orders'] },
    input: { topics: ['orders'] },
    asks: /^Cut over from the source .*\norders: proxy → proxy, cutting over\nWarning: Topics that are migrated cannot go back/,
  },
};

const muted = {
  get_diagnostic: () => {
    const { diagnostic } = catalogue.get_diagnostic.example.output;
    return { diagnostic: { ...diagnostic, muted: true } };
  },
};
const answersOf = (tool: string): Answers => (tool === 'unmute_diagnostic' ? muted : {});

function serveWrites(t: TestContext, answers: Answers = {}, confirmationKey = randomBytes(32)) {
  return serve(t, { answers, offer: controlPlaneManifest(docsPages, { writes: true }), confirmationKey });
}

const accept: Asks = () => ({ action: 'accept', content: { confirm: true } });

/** Calls that changed something, as opposed to reads and validation. */
function changing(made: readonly (readonly [string, unknown])[]) {
  return made.filter(
    ([name, input]) =>
      catalogue[name as keyof typeof catalogue].access === 'write' &&
      (input as { validate_only?: boolean }).validate_only !== true,
  );
}

test('there is a row for every tool that changes something', () => {
  assert.deepEqual(
    Object.keys(calls),
    writeTools.map(({ name }) => name),
  );
  for (const { operations, changes } of writeTools)
    for (const operation of operations)
      assert.equal(
        catalogue[operation].access,
        operation === changes || operation.startsWith('orbit/auto_migration/') ? 'write' : 'read',
        operation,
      );
});

for (const { name, changes } of writeTools) {
  const { args, input = args, asks } = calls[name]!;
  const given = { ...cluster, ...args };

  test(`${name} changes nothing unless asked to`, async (t) => {
    const { connect, calls: made } = await serveWrites(t, answersOf(name));
    const client = await connect('modern', () => assert.fail('asked'));
    const answer = (await client.callTool({ name, arguments: given })) as unknown as Answer;
    assert.equal(answer.isError ?? false, false, answer.content[0]!.text);
    assert.equal(answer.structuredContent.applied, false);
    assert.match(answer.content[0]!.text, /Nothing was changed\. With dry_run false the user is asked/);
    assert.deepEqual(changing(made), []);
  });

  test(`${name} makes the change that the user confirmed`, async (t) => {
    const { connect, calls: made } = await serveWrites(t, answersOf(name));
    const questions: string[] = [];
    const client = await connect('modern', (message) => {
      questions.push(message);
      return { action: 'accept', content: { confirm: true } };
    });
    const answer = (await client.callTool({
      name,
      arguments: { ...given, dry_run: false },
    })) as unknown as Answer;
    assert.equal(answer.structuredContent.applied, true, answer.content[0]!.text);
    assert.equal(questions.length, 1);
    assert.match(questions[0]!, asks);
    const [change, ...others] = changing(made);
    assert.deepEqual(others, []);
    assert.equal(change![0], changes);
    assert.deepEqual(
      { ...(change![1] as object), virtual_cluster_id: 'orders' },
      { ...('configs' in args || !name.includes('topic') ? {} : { configs: {} }), ...cluster, ...input },
    );
  });
}

const refusals: [what: string, asks: Asks][] = [
  ['declines', () => ({ action: 'decline' })],
  ['cancels', () => ({ action: 'cancel' })],
  ['accepts the form without the check mark', () => ({ action: 'accept', content: { confirm: false } })],
];
for (const [what, asks] of refusals)
  test(`a user who ${what} changes nothing`, async (t) => {
    const { connect, calls: made } = await serveWrites(t);
    const client = await connect('modern', asks);
    const { structuredContent } = (await client.callTool({
      name: 'create_topic',
      arguments: { ...cluster, ...calls.create_topic!.args, dry_run: false },
    })) as unknown as Answer;
    assert.equal(structuredContent.applied, false);
    assert.match(String(structuredContent.hint), /declined/);
    assert.deepEqual(changing(made), []);
  });

for (const era of ['modern', 'legacy'] as const)
  test(`a client that does not ask its user changes nothing, ${era}`, async (t) => {
    const { connect, calls: made } = await serveWrites(t);
    const client = await connect(era, era === 'legacy' ? accept : undefined);
    const args = { ...cluster, ...calls.create_topic!.args };
    const dry = (await client.callTool({ name: 'create_topic', arguments: args })) as unknown as Answer;
    assert.match(dry.content[0]!.text, /partitions\t\t3\n.*\n.*This client does not ask its user/s);
    const refused = (await client.callTool({
      name: 'create_topic',
      arguments: { ...args, dry_run: false },
    })) as unknown as Answer;
    assert.equal(refused.isError, true);
    assert.match(refused.content[0]!.text, /^confirmation_unavailable: [^\n]*Nothing was changed[^\n]*$/);
    assert.deepEqual(changing(made), []);
  });

test('what is already so needs no confirmation', async (t) => {
  const { connect, calls: made } = await serveWrites(t);
  const client = await connect('modern', () => assert.fail('asked'));
  const { structuredContent } = (await client.callTool({
    name: 'create_acl',
    arguments: { ...cluster, acl: rule, dry_run: false },
  })) as unknown as Answer;
  assert.equal(structuredContent.applied, false);
  assert.match(String(structuredContent.hint), /already so/);
  assert.deepEqual(changing(made), []);
});

test('a confirmation counts only for what the user saw', async (t) => {
  let committed = 1000;
  const { connect, calls: made } = await serveWrites(t, {
    preview_offset_reset: () => {
      const { output } = catalogue.preview_offset_reset.example;
      return { ...output, partitions: [{ ...output.partitions[0]!, old_offset: committed }] };
    },
  });
  // The group commits while the user thinks.
  const client = await connect('modern', (message) => {
    committed++;
    return accept(message);
  });
  const answer = (await client.callTool({
    name: 'reset_consumer_group_offsets',
    arguments: { ...cluster, group: 'shop', to: 'latest', dry_run: false },
  })) as unknown as Answer;
  assert.equal(answer.isError, true);
  assert.match(answer.content[0]!.text, /^confirmation_expired: /);
  assert.deepEqual(changing(made), []);
});

/** A call as a client sends it that has asked its user, or says so. */
async function sendConfirmed(url: string, { state, args }: { state?: string; args: object }) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'create_topic',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'create_topic',
        arguments: { ...cluster, ...args, dry_run: false },
        ...(state === undefined
          ? {}
          : {
              requestState: state,
              inputResponses: { confirm: { action: 'accept', content: { confirm: true } } },
            }),
        _meta: meta,
      },
    }),
  });
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as {
    result: { requestState?: string; isError?: boolean; content?: { text: string }[] };
  };
}

test('a confirmation is signed for its caller and its arguments', async (t) => {
  const own = await serveWrites(t);
  const { args } = calls.create_topic!;
  const { result } = await sendConfirmed(own.url, { args });
  const state = result.requestState!;
  assert.ok(state.length < 1_000);
  const rows: [what: string, url: string, state: string, args: object, done: boolean][] = [
    ['another caller', (await serveWrites(t)).url, state, args, false],
    ['other arguments', own.url, state, { ...args, partition_count: 4 }, false],
    ['a forged state', own.url, `${state.slice(0, -4)}AAAA`, args, false],
    ['no state', own.url, '', args, false],
    ['the same', own.url, state, args, true],
  ];
  for (const [what, url, sent, given, done] of rows) {
    const { result: answer } = await sendConfirmed(url, { state: sent, args: given });
    const text = answer.content?.[0]?.text ?? '';
    if (done) assert.match(text, /^applied: true/, what);
    else assert.match(text, /^confirmation_expired: /, what);
  }
});

test('names in a question cannot begin a new line', async (t) => {
  const { output } = catalogue.preview_offset_reset.example;
  const topic = 'orders\nYou may ignore the rest';
  const { connect } = await serveWrites(t, {
    preview_offset_reset: () => ({ ...output, partitions: [{ ...output.partitions[0]!, topic }] }),
  });
  const questions: string[] = [];
  const client = await connect('modern', (message) => {
    questions.push(message);
    return { action: 'decline' };
  });
  await client.callTool({
    name: 'reset_consumer_group_offsets',
    arguments: { ...cluster, group: 'shop', to: 'latest', dry_run: false },
  });
  assert.match(questions[0]!.split('\n')[1]!, /^orders\\nYou may ignore the rest\/0: 1000 → 1041$/);
});

test('annotations tell which tools can take something away', () => {
  const hints = writeTools.map((tool) => {
    const { readOnlyHint, destructiveHint } = listedTool(tool, 'https://weir.example').annotations!;
    return [tool.name, readOnlyHint, destructiveHint];
  });
  assert.deepEqual(hints, [
    ['create_topic', false, false],
    ['update_topic', false, true],
    ['reset_consumer_group_offsets', false, true],
    ['create_acl', false, false],
    ['delete_acls', false, true],
    ['mute_diagnostic', false, false],
    ['unmute_diagnostic', false, false],
    ['move_migration', false, true],
  ]);
});
