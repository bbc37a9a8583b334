import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { operations } from '@weir/api';
import { Kafka, logLevel } from 'kafkajs';
import type { Page } from 'playwright-core';
import * as z from 'zod';
import { pause } from '../brokers/waiting.ts';
import { startLocal, type WeirProcess } from '../brokers/weir-process.ts';
import { missingChromium } from './chromium.ts';
import { button } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { openStage, type Stage } from './stage.ts';

/*
 * Every text that a person, a client or a record can set is set to markup with a script and to a mark that reverses
 * what follows, and every page that shows it must show it as text. Fields come from the description of the API: one
 * that accepts such text and has no row here fails the test.
 */

const skip = missingChromium();
const bounded = { skip, timeout: 240_000 };

const markup = '<img src=x onerror="window.injected=1"><script>window.injected=1</script>';
const hostile = `${markup}\u202egnp`;
const shown = `${markup}⟨U+202E⟩gnp`;
/** The same where spaces, `@` and long texts are refused. */
const dense = '<svg/onload=window.injected=1>';
const long = 'x'.repeat(1_000_000);

let stage: Stage;
let page: Page;
/** The cluster that topics are moved from. */
let source: WeirProcess;
if (skip === false) {
  stage = await openStage({ after });
  source = await startLocal({ after });
  page = await stage.open();
  await page.addInitScript({
    content: `
      window.violations = [];
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        violations.push(violatedDirective + ' ' + blockedURI));
    `,
  });
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => assert.fail('a script opened a dialog')));
}

interface Called {
  readonly status: number;
  readonly answer: Record<string, unknown> & { readonly message?: string };
}

async function call(name: string, input: object): Promise<Called> {
  const answer = await page.request.post(`${stage.url}/api/v1/${name}`, {
    data: input,
    headers: { origin: stage.url },
  });
  return { status: answer.status(), answer: (await answer.json()) as Called['answer'] };
}

/** Calls an operation on the cluster, which must do it. */
async function set(name: string, input: object): Promise<Called['answer']> {
  const { status, answer } = await call(name, { virtual_cluster_id: await stage.clusterId(), ...input });
  assert.equal(status, 200, `${name}: ${answer.message}`);
  return answer;
}

/** Asserts that the service refuses the text, and says so in one line. */
async function refuses(name: string, input: object): Promise<void> {
  const { status, answer } = await call(name, { virtual_cluster_id: await stage.clusterId(), ...input });
  assert.ok(status >= 400 && status < 500, `${name} answered ${status}`);
  assert.match(answer.message ?? '', /^[^\n\r]+$/, name);
}

/** A page shows the texts, and nothing came of them but text. */
async function assertText(path: string, texts: readonly string[], pressed?: string): Promise<void> {
  await page.goto(await stage.urlOf(path));
  if (pressed !== undefined) await button(page, pressed).click();
  for (const text of texts) await page.locator('main').getByText(text).first().waitFor();
  await assertNothingRan(path);
}

async function assertNothingRan(path: string): Promise<void> {
  assert.equal(await page.evaluate('window.injected'), undefined, `${path}: a script ran`);
  assert.deepEqual(await page.evaluate('window.violations'), [], `${path}: the policy refused something`);
  const made = 'img[src="x"], [onerror], [onload], main script, [href^="javascript:" i]';
  assert.equal(await page.locator(made).count(), 0, `${path}: an element was made`);
  const text = await page.locator('body').innerText();
  assert.ok(!text.includes('\u202e'), `${path}: text is reversed`);
  // Editors keep theirs in a tree of their own.
  for (const lines of await page.locator('.cm-content').allInnerTexts())
    assert.ok(!lines.includes('\u202e'), `${path}: text of an editor is reversed`);
  assert.ok(!(await page.title()).includes('\u202e'), `${path}: the title is reversed`);
}

interface Row {
  /** Fields of operations, as the test below finds them, that this row sets. */
  readonly fields: readonly string[];
  set(): Promise<unknown>;
  clear?(): Promise<void>;
  /** The button that makes the pages show it. */
  readonly presses?: string;
  /** Pages, and what each shows. */
  readonly pages: readonly (readonly [path: string, text: string, ...more: string[]])[];
}

const inPath = encodeURIComponent(hostile);
let pipelineId: string;
let viewId: string;
let migrationId: string;
const migration = '/clusters/{id}/pipelines/{migration}';
const searchedTexts = [
  'types',
  'filter',
  'group_by',
  'then_by',
  'field',
  'find',
  'compare',
  'columns',
] as const;
const hostileSearch = Object.fromEntries(searchedTexts.map((name) => [name, hostile]));

const rows: Readonly<Record<string, Row>> = {
  'tags of a cluster': {
    fields: ['update_virtual_cluster_tags tags{}'],
    set: () => set('update_virtual_cluster_tags', { tags: { team: hostile } }),
    pages: [
      ['/clusters', 'Kafka'],
      ['/clusters/{id}', 'Failing diagnostics'],
      ['/clusters/{id}/settings', shown],
    ],
  },
  records: {
    fields: [
      'produce_record key.text',
      'produce_record value.text',
      'produce_record headers[].key',
      'produce_record headers[].value.text',
    ],
    set: async () => {
      await set('create_topic', { topic_name: 'odd', partition_count: 1 });
      const text = { text: hostile };
      await set('produce_record', {
        topic_name: 'odd',
        key: text,
        value: text,
        headers: [{ key: hostile, value: text }],
      });
      await kafkaOf(stage.local.address('Kafka'), async ({ producer }) => {
        await producer.send({ topic: 'odd', messages: [{ key: `${hostile}\u0007`, value: long }] });
      });
    },
    pages: [
      ['/clusters/{id}/topics/odd/messages?start=oldest', shown, '␇'],
      ['/clusters/{id}/topics/odd/messages?partition=0&offset=0', shown],
      ['/clusters/{id}/topics/odd/messages?partition=0&offset=1', 'Load full value'],
      [`/clusters/{id}/topics/odd/messages?contains=${inPath}`, 'matched'],
      [`/clusters/{id}/topics?q=${inPath}`, 'No topic matches the filter'],
      [`/clusters/{id}/topics/${inPath}`, shown],
    ],
  },
  'groups and their clients': {
    fields: [],
    set: async () => {
      await kafkaOf(stage.local.address('Kafka'), async ({ admin, producer }) => {
        const messages = Array.from({ length: 2_000 }, () => ({ value: 'record' }));
        await admin.createTopics({ topics: [{ topic: 'orders', numPartitions: 1 }], waitForLeaders: true });
        await producer.send({ topic: 'orders', messages });
        const partitions = [{ partition: 0, offset: '0' }];
        await admin.setOffsets({ groupId: hostile, topic: 'orders', partitions });
      });
      await joinGroup();
    },
    clear: () => leaveGroup(),
    pages: [
      ['/clusters/{id}/consumer-groups', shown],
      [`/clusters/{id}/consumer-groups/${inPath}`, shown],
      ['/clusters/{id}/consumer-groups/members', '⟨U+202E⟩gnp'],
      ['/clusters/{id}/topics/orders/consumers', shown],
      ['/clusters/{id}', shown],
    ],
  },
  schemas: {
    fields: [
      'register_schema subject',
      'register_schema schema',
      'register_schema references[].name',
      'register_schema references[].subject',
      'register_schema metadata.properties{}',
      'register_schema metadata.tags{}[]',
      'register_schema metadata.sensitive[]',
      'update_registry_config alias',
      'update_registry_config subject',
    ],
    set: async () => {
      const schemaOf = (doc: string) =>
        JSON.stringify({ type: 'record', name: 'Order', doc, fields: [{ name: 'id', type: 'long' }] });
      await set('register_schema', { subject: hostile, schema: schemaOf(hostile) });
      await set('register_schema', {
        subject: hostile,
        schema: schemaOf(`${hostile} again`),
        metadata: {
          properties: { [hostile]: hostile },
          tags: { [hostile]: [hostile] },
          sensitive: [hostile],
        },
      });
      await set('register_schema', { subject: 'long', schema: schemaOf(long) });
      await set('register_schema', {
        subject: 'referring',
        schema_type: 'PROTOBUF',
        schema: `syntax = "proto3";\n// ${hostile}\nmessage Click { int64 at = 1; }\n`,
      });
      await set('register_schema', { subject: 'aliased', schema: schemaOf('aliased') });
      await set('update_registry_config', { subject: 'aliased', alias: hostile });
      await refuses('register_schema', {
        subject: 'unresolved',
        schema: schemaOf(''),
        references: [{ name: hostile, subject: hostile, version: 99 }],
      });
    },
    pages: [
      ['/clusters/{id}/subjects', shown],
      [`/clusters/{id}/subjects/${inPath}`, shown],
      [`/clusters/{id}/subjects/${inPath}/compare`, 'again'],
      [`/clusters/{id}/subjects/${inPath}/edit`, 'The subject already has this schema'],
      [`/clusters/{id}/subjects/${inPath}/config`, 'Compatibility level'],
      ['/clusters/{id}/subjects/referring', 'message Click'],
      ['/clusters/{id}/subjects/aliased/config', 'Compatibility level'],
      ['/clusters/{id}/subjects/long', '1 version'],
    ],
  },
  ACLs: {
    fields: [
      'virtual_clusters/acls/create acl.resource_name',
      'virtual_clusters/acls/create acl.principal',
      'virtual_clusters/acls/create acl.host',
      'explain_access principal',
      'explain_access resource_name',
      'explain_access host',
    ],
    set: async () => {
      const acl = {
        resource_type: 'GROUP',
        resource_name: hostile,
        pattern_type: 'LITERAL',
        principal: `User:${hostile}`,
        host: '*',
        operation: 'READ',
        permission_type: 'ALLOW',
      };
      await set('virtual_clusters/acls/create', { acl });
      await set('virtual_clusters/acls/create', { acl: { ...acl, host: hostile } });
    },
    pages: [
      ['/clusters/{id}/acls', `User:${shown}`, shown],
      [
        `/clusters/{id}/acls?principal=User:${inPath}&operation=READ&resource_type=GROUP&resource_name=${inPath}`,
        'Allowed',
      ],
    ],
  },
  'workload identities': {
    fields: [
      'create_workload_identity_federation issuer_url',
      'create_workload_identity_federation claim_match_rules[].claim_path',
      'create_workload_identity_federation claim_match_rules[].expected_value',
    ],
    set: () =>
      set('create_workload_identity_federation', {
        name: 'odd',
        issuer_url: 'https://issuer.example',
        claim_match_rules: [{ claim_path: 'sub', expected_value: hostile }],
      }),
    pages: [['/clusters/{id}/workload-identities', `sub = ${shown}`]],
  },
  'configurations of pipelines': {
    fields: [
      'create_pipeline_configuration configuration_yaml',
      'create_pipeline_configuration configuration_inputs[].yaml',
    ],
    set: async () => {
      ({ pipeline_id: pipelineId } = (await set('create_pipeline', { pipeline_name: 'odd' })) as {
        pipeline_id: string;
      });
      await set('create_pipeline_configuration', {
        pipeline_id: pipelineId,
        configuration_yaml: `# ${hostile}\ninput:\n  kafka_franz_service: { topics: [orders], consumer_group: c }\noutput:\n  kafka_franz_service: { topic: clean }\n`,
      });
    },
    pages: [
      ['/clusters/{id}/pipelines', 'odd'],
      ['/clusters/{id}/pipelines/{pipeline}', 'odd'],
      ['/clusters/{id}/pipelines/{pipeline}/versions', 'Version 1'],
    ],
  },
  'reasons of muted diagnostics': {
    fields: ['mute_diagnostic reason'],
    set: () => set('mute_diagnostic', { diagnostic_id: 'no_jobs_agent', reason: hostile }),
    pages: [
      ['/clusters/{id}/diagnostics', 'Diagnostics'],
      ['/clusters/{id}/diagnostics/no_jobs_agent', shown],
    ],
  },
  'alerts and their channels': {
    fields: [
      ...['create', 'update'].flatMap((verb) => [
        `${verb}_alert alert_name`,
        `${verb}_alert_channel channel_name`,
        `${verb}_alert_channel smtp_username`,
      ]),
      'mute_alert reason',
    ],
    set: async () => {
      const { channel_id } = (await set('create_alert_channel', {
        channel_name: hostile,
        kind: 'email',
        smtp_host: 'mail.example',
        smtp_username: hostile,
        smtp_password: 'correct horse battery',
        from_address: 'weir@example.com',
        to_addresses: ['ops@example.com'],
      })) as { channel_id: string };
      const { alert_id } = (await set('create_alert', {
        alert_name: hostile,
        diagnostics: {},
        channel_ids: [channel_id],
      })) as { alert_id: string };
      await set('update_alert', { alert_id, alert_name: hostile });
      await set('mute_alert', { alert_id, reason: hostile });
    },
    pages: [['/clusters/{id}/alerts', shown]],
  },
  'members and invitations': {
    fields: ['users/accept_invitation name', 'setup name'],
    set: async () => {
      const { user_roles } = (await call('list_user_roles', {})).answer as {
        user_roles: { id: string; name: string }[];
      };
      const invite = async (email: string) => {
        const invitations = [{ email, user_role_id: user_roles[0]!.id }];
        return call('users/create_invitations', { invitations });
      };
      const invited = (await invite('eve@example.com')).answer as {
        invitations: { invitation_url: string }[];
      };
      // Without the session of the person who invited.
      const answer = await fetch(`${stage.url}/api/v1/users/accept_invitation`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: stage.url },
        body: JSON.stringify({
          token: new URL(invited.invitations[0]!.invitation_url).hash.slice(1),
          name: hostile,
          password: 'correct horse battery',
        }),
      });
      assert.equal(answer.status, 200, await answer.text());
      assert.equal((await invite(`${dense}@example.com`)).status, 200);
    },
    pages: [
      ['/team', shown, `${dense}@example.com`],
      ['/audit-log', 'users/create_invitations'],
    ],
  },
  'subscriptions to client metrics': {
    fields: ['update_client_metrics_subscriptions client_metrics_subscriptions[].metrics'],
    set: () =>
      set('update_client_metrics_subscriptions', {
        client_metrics_subscriptions: [{ name: 'odd', metrics: hostile, interval_ms: 300_000 }],
      }),
    pages: [['/clusters/{id}/settings/client-metrics', shown]],
  },
  'client quotas': {
    fields: ['update_client_quotas entity[].name'],
    set: () =>
      set('update_client_quotas', {
        entity: [{ type: 'user', name: hostile }],
        quotas: { producer_byte_rate: 1_048_576 },
      }),
    pages: [
      ['/clusters/{id}/quotas', shown],
      ['/audit-log', 'update_client_quotas'],
    ],
  },
  'configurations of migrations': {
    fields: ['orbit/preflight configuration_yaml'],
    set: migrate,
    presses: 'Run preflight',
    pages: [[`${migration}/preflight`, shown]],
  },
  'reasons to forward': decision('orbit/auto_migration/start_forwarding', 'forwarded', []),
  'reasons of cut-overs': decision('orbit/auto_migration/initiate', 'asked', [
    'orbit/auto_migration/start_forwarding',
  ]),
  'reasons to abort': decision('orbit/auto_migration/abort', 'aborted', [
    'orbit/auto_migration/start_forwarding',
    'orbit/auto_migration/initiate',
  ]),
  'reasons to hand over': decision('orbit/hand_over', 'handed', []),
  'saved searches of events': {
    fields: ['create_event_view', 'update_event_view'].flatMap((operation) => [
      `${operation} view_name`,
      ...searchedTexts.map((name) => `${operation} search.${name}`),
    ]),
    set: async () => {
      await set('update_events_state', { enabled: true });
      const { answer } = await call('list_workspaces', {});
      const [workspace] = answer.workspaces as { id: string }[];
      const target = { workspace_id: workspace!.id };
      const view = { view_name: hostile, search: hostileSearch };
      const created = await call('create_event_view', { ...target, view_name: 'plain', search: {} });
      viewId = created.answer.view_id as string;
      const { status } = await call('update_event_view', { ...target, view_id: viewId, ...view });
      assert.equal(status, 200);
      assert.equal((await call('create_event_view', { ...target, is_shared: true, ...view })).status, 200);
    },
    pages: [
      ['/clusters/{id}/events?view={view}', shown],
      [`/clusters/{id}/events?view={view}&${new URLSearchParams(hostileSearch)}`, shown],
    ],
  },
};

/** Topics of a migration, one for each decision that has a reason. */
const movedTopics = ['forwarded', 'asked', 'aborted', 'handed'] as const;

/** Fills the source with hostile names, and starts the migration of its topics; the pipeline is paused then. */
async function migrate(): Promise<void> {
  const broker = source.address('Kafka');
  await kafkaOf(broker, async ({ admin }) => {
    const topics = movedTopics.map((topic) => ({ topic, numPartitions: 1 }));
    await admin.createTopics({ topics, waitForLeaders: true });
    const partitions = [{ partition: 0, offset: '0' }];
    await admin.setOffsets({ groupId: hostile, topic: 'forwarded', partitions });
  });
  const [hostname, port] = broker.split(':');
  const configuration_yaml = `# ${hostile}
source_bootstrap_brokers: [{hostname: ${hostname}, port: ${port}}]
topic_mappings: [{source_regex: ${JSON.stringify(`${markup}|${movedTopics.join('|')}`)}}]
`;
  await set('orbit/preflight', { configuration_yaml });
  const created = await set('create_pipeline', { pipeline_name: 'move', pipeline_type: 'orbit' });
  migrationId = created.pipeline_id as string;
  const pipeline = { pipeline_id: migrationId };
  const { configuration_id } = await set('create_pipeline_configuration', {
    ...pipeline,
    configuration_yaml,
  });
  await set('change_pipeline_state', {
    ...pipeline,
    desired_state: 'running',
    deployed_configuration_id: configuration_id,
  });
  for (;;) {
    const { topics } = await set('orbit/auto_migration/status', {});
    const copied = (topics as { state: string }[]).filter(({ state }) => state === 'replicating');
    if (copied.length === movedTopics.length) break;
    await pause(200);
  }
  // The engine goes on with a cut-over, and gives reasons of its own.
  await set('change_pipeline_state', { ...pipeline, desired_state: 'paused' });
}

/** A decision about one topic, whose page shows the reason. */
function decision(operation: string, topic: (typeof movedTopics)[number], before: readonly string[]): Row {
  return {
    fields: [`${operation} reason`],
    set: async () => {
      for (const first of before) await set(first, { topics: [topic] });
      await set(operation, { topics: [topic], reason: hostile });
    },
    pages: [
      [`${migration}/topics/${topic}`, shown],
      [`${migration}/topics`, topic],
      [`${migration}/cut-over`, 'What you can do'],
      ['/audit-log', operation],
    ],
  };
}

/** Texts with a meaning, by which the service refuses what is none. */
const refusedByMeaning: Readonly<Record<string, object>> = {
  'update_virtual_cluster_configuration virtual_cluster_configuration.broker_configs{}': {
    virtual_cluster_configuration: { broker_configs: { 'log.retention.ms': hostile } },
  },
  'update_virtual_cluster_configuration virtual_cluster_configuration.reset_broker_configs[]': {
    virtual_cluster_configuration: { reset_broker_configs: [hostile] },
  },
  'update_virtual_cluster_configuration virtual_cluster_configuration.bucket_url': {
    virtual_cluster_configuration: { bucket_url: `javascript:${hostile}` },
  },
  'update_client_metrics_subscriptions client_metrics_subscriptions[].match': {
    client_metrics_subscriptions: [{ name: 'odd', metrics: '', interval_ms: 300_000, match: hostile }],
  },
  'create_topic configs{}': { topic_name: 'refused', configs: { 'retention.ms': hostile } },
  'update_topic configs{}': { topic_name: 'odd', configs: { 'retention.ms': hostile } },
  'create_topic_clone configs{}': {
    source_topic_name: 'odd',
    topic_name: 'refused',
    configs: { 'retention.ms': hostile },
  },
  'create_alert_channel endpoint_url': {
    channel_name: 'odd',
    kind: 'pagerduty',
    routing_key: 'k',
    endpoint_url: hostile,
  },
  'update_alert_channel endpoint_url': {
    channel_id: 'aci_00000000_0000_4000_8000_000000000000',
    endpoint_url: hostile,
  },
  'create_sso_configuration role_claim': { sso_identifier: 'odd', issuer_url: `https://${dense}` },
};

test('texts with a meaning are refused in one line', bounded, async () => {
  for (const [field, input] of Object.entries(refusedByMeaning)) await refuses(field.split(' ')[0]!, input);
});

let leaveGroup = async () => {};

/** A member with a hostile client id, until it leaves. */
async function joinGroup(): Promise<void> {
  const kafka = new Kafka({
    clientId: hostile,
    brokers: [stage.local.address('Kafka')],
    logLevel: logLevel.NOTHING,
  });
  const consumer = kafka.consumer({ groupId: 'members' });
  await consumer.connect();
  leaveGroup = () => consumer.disconnect();
  await consumer.subscribe({ topic: 'orders', fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer.run({ eachMessage: async () => resolve() }).catch(reject);
  });
}

/** Fields that accept the text and need no row. */
const withoutRow: Readonly<Record<string, (field: string) => boolean>> = {
  'secrets, which no page shows': (field) =>
    /password|token|secret|kafka_user_name$|webhook_url$|routing_key$/.test(field),
  'names of what is there, which another field has set': (field) =>
    /^(delete_|reset_consumer|virtual_clusters\/acls\/delete|create_virtual_cluster(_v2)? .*tags)/.test(
      field,
    ),
  'searches, which the URL of the page holds': (field) => /^read_records (contains|filter)$/.test(field),
  'what a reachable issuer has to confirm': (field) => /^(create|update)_sso_configuration /.test(field),
  'texts with a meaning': (field) => field in refusedByMeaning,
};

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** The texts of an input: `acl.principal`, `tags{}`, `headers[].key`. */
function textsOf(schema: JsonSchema, path = ''): readonly (readonly [string, JsonSchema])[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  const isText = schema.type === 'string' && schema.enum === undefined && schema.const === undefined;
  return [
    ...(isText ? ([[path, schema]] as const) : []),
    ...[...anyOf, ...oneOf].flatMap((one) => textsOf(one, path)),
    ...Object.entries(properties).flatMap(([name, one]) =>
      textsOf(one, path === '' ? name : `${path}.${name}`),
    ),
    ...(items === undefined ? [] : textsOf(items, `${path}[]`)),
    ...(typeof additionalProperties === 'object' ? textsOf(additionalProperties, `${path}{}`) : []),
  ];
}

const settable = operations
  .filter(({ access }) => access === 'write')
  .flatMap((operation) => {
    const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
    return textsOf(schema).map(([path, text]) => ({ operation, path, text }));
  });

const accepts = ({ pattern = '', maxLength = 0 }: JsonSchema) =>
  new RegExp(pattern, 'u').test(hostile) && maxLength >= hostile.length;

test('every field that accepts markup has a row here', { skip }, () => {
  const known = Object.values(rows).flatMap(({ fields }) => fields);
  const missing = settable
    .filter(({ text }) => accepts(text))
    .map(({ operation, path }) => `${operation.name} ${path}`)
    .filter((field) => !known.includes(field) && !Object.values(withoutRow).some((isSo) => isSo(field)));
  assert.deepEqual([...new Set(missing)], []);
});

test('every other field refuses it in one line', bounded, async () => {
  for (const { operation, path, text } of settable) {
    if (accepts(text)) continue;
    await refuses(operation.name, withText(operation.example.input, path.split('.')));
  }
});

/** A copy of an input in which the text at a path is the hostile one. */
function withText(input: unknown, [step = '', ...rest]: readonly string[]): object {
  const [, name = '', kind] = /^(.*?)(\[\]|\{\})?$/.exec(step)!;
  const copy = { ...(input as Record<string, unknown>) };
  const at = (value: unknown) => (rest.length === 0 ? hostile : withText(value, rest));
  if (kind === '[]') copy[name] = [at((copy[name] as unknown[] | undefined)?.[0])];
  else if (kind === '{}') copy[name] = { name: at(undefined) };
  else copy[name] = at(copy[name]);
  return copy;
}

for (const [what, row] of Object.entries(rows)) {
  test(`${what} with markup and marks are text`, bounded, async (t) => {
    t.after(() => row.clear?.());
    await row.set();
    const known = { '{pipeline}': pipelineId, '{view}': viewId, '{migration}': migrationId };
    for (const [path, ...texts] of row.pages)
      await assertText(
        path.replace(/\{(pipeline|view|migration)\}/g, (name) => known[name as keyof typeof known]),
        texts,
        row.presses,
      );
  });
}
