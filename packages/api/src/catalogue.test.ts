import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import * as z from 'zod';
import { anyJson } from '../testing/any-json.ts';
import { catalogue, operationNames, operations } from './catalogue.ts';
import { time } from './fields.ts';
import { parseJson, printJson } from './json.ts';
import {
  inputSchemaOf,
  type JsonSchema,
  jsonSchemaOf,
  outputSchemaOf,
  secretFieldsOf,
} from './json-schema.ts';
import { readsByName } from './reads-by-name.ts';

/** Every operation: its permission and its name. A change here is a change of the product. */
const whole = `
read  workspace list_virtual_clusters
read  cluster   describe_virtual_cluster
write workspace create_virtual_cluster
write workspace create_virtual_cluster_v2
write cluster   clone_virtual_cluster
write cluster   rename_virtual_cluster
write cluster   update_virtual_cluster_tier
read  cluster   describe_virtual_cluster_tags
write cluster   update_virtual_cluster_tags
write cluster   delete_virtual_cluster
read  workspace list_recently_deleted_virtual_clusters
write cluster   restore_virtual_cluster
read  cluster   describe_virtual_cluster_configuration
read  cluster   list_cluster_config_definitions
write cluster   update_virtual_cluster_configuration
read  cluster   get_events_state
write cluster   update_events_state
read  cluster   search_events
read  cluster   get_events_timeline
read  cluster   list_event_fields
read  cluster   get_event
read  cluster   list_event_presets
read  cluster   check_event_filter
read  workspace list_event_views
write user      create_event_view
write user      update_event_view
write user      delete_event_view
read  cluster   list_topics
write cluster   create_topic
write cluster   create_topic_clone
read  cluster   describe_topic
write cluster   update_topic
write cluster   delete_topic
write cluster   undelete_topic
read  cluster   list_topic_config_definitions
read  cluster   list_topic_partitions
read  cluster   list_topic_consumers
write cluster   delete_records
read  cluster   locate_record
records cluster   read_records
write cluster   produce_record
read  cluster   list_consumer_groups
read  cluster   describe_consumer_group
read  cluster   monitoring/describe_all_consumer_groups
read  cluster   preview_offset_reset
write cluster   reset_consumer_group_offsets
write cluster   delete_consumer_group
write cluster   delete_consumer_group_offsets
read  cluster   list_subjects
read  cluster   describe_schema
read  cluster   check_schema_compatibility
read  cluster   check_registry_changes
write cluster   register_schema
write cluster   delete_subject
write cluster   delete_schema_version
read  cluster   describe_registry_config
write cluster   update_registry_config
read  cluster   virtual_clusters/acls/list
read  cluster   explain_access
write cluster   virtual_clusters/acls/create
write cluster   virtual_clusters/acls/delete
read  cluster   list_virtual_cluster_credentials
write cluster   create_virtual_cluster_credentials
write cluster   rotate_virtual_cluster_credentials
write cluster   end_virtual_cluster_credentials_rotation
write cluster   delete_virtual_cluster_credentials
read  cluster   list_workload_identity_federations
write cluster   create_workload_identity_federation
write cluster   delete_workload_identity_federation
read  cluster   list_pipelines
write cluster   create_pipeline
read  cluster   check_pipeline_configuration
read  cluster   preview_pipeline_configuration
write cluster   create_pipeline_configuration
write cluster   change_pipeline_state
read  cluster   describe_pipeline
write cluster   delete_pipeline
write cluster   orbit/preflight
read  cluster   orbit/describe_migration
read  cluster   orbit/auto_migration/status
write cluster   orbit/auto_migration/start_forwarding
write cluster   orbit/auto_migration/initiate
write cluster   orbit/auto_migration/abort
write cluster   orbit/hand_over
write cluster   orbit/delete_copy
read  cluster   dl/list_tables
read  cluster   dl/get_table
write cluster   dl/delete_table
write cluster   dl/replay_table_failures
read  cluster   dl/describe_table
records cluster   dl/list_table_files
records cluster   dl/query_table
records cluster   dl/list_table_failures
read  cluster   list_secrets
write cluster   create_secret
write cluster   update_secret
write cluster   delete_secret
read  cluster   list_agents
read  cluster   list_jobs
read  cluster   describe_storage_costs
read  cluster   list_clients
read  cluster   list_diagnostics
read  cluster   get_diagnostic
write cluster   mute_diagnostic
write cluster   unmute_diagnostic
read  cluster   list_diagnostic_history
read  cluster   list_alert_channels
write cluster   create_alert_channel
write cluster   update_alert_channel
write cluster   delete_alert_channel
write cluster   test_alert_channel
read  cluster   list_alerts
write cluster   create_alert
write cluster   update_alert
write cluster   delete_alert
write cluster   mute_alert
write cluster   unmute_alert
read  cluster   list_alert_history
read  cluster   query_metrics
read  cluster   describe_cluster_overview
read  cluster   monitoring/describe_quotas
read  cluster   monitoring/describe_cluster_metrics
read  cluster   list_client_metrics_subscriptions
read  cluster   describe_client_metrics_subscription
write cluster   update_client_metrics_subscriptions
write cluster   delete_client_metrics_subscriptions
read  cluster   list_client_quotas
read  cluster   describe_effective_client_quotas
write cluster   update_client_quotas
write cluster   delete_client_quotas
write workspace create_api_key
write workspace create_api_key_v2
read  workspace list_api_keys
write workspace delete_api_key
write workspace create_mcp_configuration
read  user      list_workspaces
write account   create_workspace
write account   rename_workspace
write account   delete_workspace
read  account   list_user_roles
write account   create_user_role
write account   update_user_role
write account   delete_user_role
read  account   users/list
write account   users/update_roles
write account   users/delete
write account   users/create_invitations
read  account   users/list_invitations
write account   users/delete_invitation
write public    users/accept_invitation
read  account   get_sso_configuration
write account   create_sso_configuration
write account   update_sso_configuration
write account   delete_sso_configuration
read  public    get_sign_in_methods
write public    setup
write public    sign_in
write user      sign_out
read  user      get_session
read  user      list_sessions
write user      revoke_session
write user      change_password
read  user      get_context
read  workspace search_audit_log
`;

test('the catalogue is complete', () => {
  const lines = operations.map(({ access, scope, name }) => `${access.padEnd(5)} ${scope.padEnd(9)} ${name}`);
  assert.deepEqual(lines, whole.trim().split('\n'));
});

test('names are unique routes, and their verbs distinguish reads from writes', () => {
  assert.equal(new Set(operationNames).size, operationNames.length);
  assert.equal(Object.keys(catalogue).length, operations.length);
  for (const { name, access } of operations) {
    assert.match(name, /^[a-z0-9_]+(?:\/[a-z0-9_]+)*$/);
    const verb = name.split('/').at(-1)!.split('_')[0]!;
    const isReading = [
      'list',
      'describe',
      'get',
      'search',
      'check',
      'explain',
      'locate',
      'preview',
      'query',
      'read',
      'status',
    ].includes(verb);
    assert.equal(isReading, access !== 'write', name);
  }
});

/** The verbs with which a summary may begin. */
const imperatives: ReadonlySet<string> = new Set(
  (
    'Accept Add Change Chart Check Create Decide Delete Describe Enable End Invite List Move Mute Preview Read Register Rename ' +
    'Replace Reset Restore Revoke Search Send Set Start Unmute Update Validate Write'
  ).split(' '),
);

test('every operation is described', () => {
  for (const { name, title, summary, description = '.' } of operations) {
    assert.match(title, /^[A-Z].*[^.]$/, name);
    assert.match(summary, /^[A-Z].{10,}\.$/, name);
    assert.ok(
      imperatives.has(summary.split(' ')[0]!),
      `${name}: "${summary}" does not begin with an imperative`,
    );
    assert.match(description, /\.$/, name);
  }
});

test('operations on a cluster require its id', () => {
  for (const operation of operations) {
    const { required = [] } = inputSchemaOf(operation);
    assert.equal(required.includes('virtual_cluster_id'), operation.scope === 'cluster', operation.name);
  }
});

/** Every schema within a schema, with its path. */
function* parts(
  schema: JsonSchema,
  path: string,
): Generator<{ part: JsonSchema; path: string; isField: boolean }> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield { part: field, path: `${path}.${name}`, isField: true };
    yield* parts(field, `${path}.${name}`);
  }
  const inner: [string, JsonSchema][] = (schema.anyOf ?? []).map((one, index) => [`|${index}`, one]);
  if (schema.items !== undefined) inner.push(['[]', schema.items]);
  if (typeof schema.additionalProperties === 'object') inner.push(['.*', schema.additionalProperties]);
  if (schema.propertyNames !== undefined) inner.push(['.key', schema.propertyNames]);
  for (const [name, record] of Object.entries(schema.$defs ?? {})) inner.push([`#${name}`, record]);
  for (const [step, one] of inner) {
    yield { part: one, path: path + step, isField: false };
    yield* parts(one, path + step);
  }
}

function* allParts() {
  for (const operation of operations) {
    yield* parts(inputSchemaOf(operation), `${operation.name} input`);
    yield* parts(outputSchemaOf(operation), `${operation.name} output`);
  }
}

test('every field has a description', () => {
  for (const { part, path, isField } of allParts()) {
    if (isField) assert.match(part.description ?? '', /\S.*[.!]$/, path);
  }
});

test('every time in an answer uses the RFC 3339 schema, and no number is a time', () => {
  const definition = inOutput(z.object({ at: time() }), 'at');
  const moments = /(?:^|_)(?:at|time|until|since|deadline|start|end)$/;
  let times = 0;
  for (const { part, path, isField } of allParts()) {
    if (!path.includes(' output')) continue;
    const options = (part.anyOf ?? [part]).filter(({ type }) => type !== 'null');
    const dated = options.filter(({ format }) => format === 'date-time');
    for (const { description, ...one } of dated) assert.deepEqual(one, definition, path);
    times += dated.length;
    if (isField && moments.test(path))
      assert.equal(dated.length, options.length, `${path} is not a valid time`);
    if (dated.length === 0) assert.doesNotMatch(part.description ?? '', /since 1970|Unix time/, path);
  }
  assert.ok(times > 30);
});

test('every object in an answer lists its fields, except the payload of events', () => {
  const bare = [...allParts()].flatMap(({ part, path }) => {
    const hasFields = part.properties !== undefined || typeof part.additionalProperties === 'object';
    return path.includes(' output') && part.type === 'object' && !hasFields ? [path] : [];
  });
  assert.deepEqual(
    bare,
    ['search_events', 'get_event'].map((name) => `${name} output#Event.data`),
  );
});

function inOutput(schema: z.ZodObject, field: string): JsonSchema {
  return jsonSchemaOf(schema, 'output').properties![field]!;
}

test('every text, list and dictionary has a limit', () => {
  for (const { part, path } of allParts()) {
    const isClosed = part.enum !== undefined || part.const !== undefined;
    if (part.type === 'string' && !isClosed) assert.ok(part.maxLength !== undefined, path);
    if (part.type === 'array') assert.ok(part.maxItems !== undefined, path);
    if (typeof part.additionalProperties === 'object') {
      assert.ok(part.maxProperties !== undefined || part.propertyNames?.enum !== undefined, path);
    }
    assert.ok(part.$ref ?? part.type ?? part.anyOf ?? part.const ?? part.enum, `${path} could be anything`);
  }
});

test('inputs are strict at every depth, and answers are not', () => {
  for (const operation of operations) {
    const input = inputSchemaOf(operation);
    for (const { part, path } of [{ part: input, path: operation.name }, ...parts(input, operation.name)]) {
      if (part.properties !== undefined) assert.equal(part.additionalProperties, false, path);
    }
    const output = outputSchemaOf(operation);
    for (const { part, path } of parts(output, operation.name)) {
      assert.notEqual(part.additionalProperties, false, path);
    }
  }
});

test('a read can be called with a query: its fields are flat, or objects written as JSON', () => {
  for (const operation of operations.filter(({ access }) => access === 'read')) {
    for (const [field, { type, items }] of Object.entries(inputSchemaOf(operation).properties ?? {})) {
      const flat = ['string', 'integer', 'boolean', 'object'];
      assert.ok(flat.includes((type === 'array' ? items?.type : type) ?? ''), `${operation.name}.${field}`);
    }
  }
});

test('every example is valid, and so is every example answer', () => {
  for (const { name, input, output, example } of operations) {
    assert.equal(input.safeParse(example.input).error, undefined, name);
    assert.deepEqual(output.parse(example.output), example.output, name);
  }
});

test('every secret input is marked', () => {
  const found = operations.flatMap((operation) =>
    secretFieldsOf(operation).map((field) => `${operation.name}.${field}`),
  );
  assert.deepEqual(found, [
    'read_records.kafka_password',
    'produce_record.kafka_password',
    'create_virtual_cluster_credentials.imported_password',
    'rotate_virtual_cluster_credentials.imported_password',
    'create_secret.secret',
    'update_secret.secret',
    'create_alert_channel.webhook_url',
    'create_alert_channel.authorization_secret',
    'create_alert_channel.routing_key',
    'create_alert_channel.smtp_password',
    'update_alert_channel.webhook_url',
    'update_alert_channel.authorization_secret',
    'update_alert_channel.routing_key',
    'update_alert_channel.smtp_password',
    'users/accept_invitation.token',
    'users/accept_invitation.password',
    'create_sso_configuration.client_secret',
    'update_sso_configuration.client_secret',
    'setup.token',
    'setup.password',
    'sign_in.password',
    'change_password.current_password',
    'change_password.new_password',
  ]);
  for (const operation of operations) {
    const words = /(?:password|secret|token|webhook_url|routing_key)$/;
    const likely = Object.keys(operation.input.shape).filter((field) => words.test(field));
    assert.deepEqual(likely, secretFieldsOf(operation), operation.name);
  }
});

for (const operation of operations) {
  test(`${operation.name}: schemas and checks agree`, () => {
    const input = anyJson(inputSchemaOf(operation));
    const output = anyJson(outputSchemaOf(operation));
    fc.assert(
      fc.property(input, output, (sent, answered) => {
        // JSON Schema cannot express rules between fields; everything else must be accepted.
        const { error } = operation.input.safeParse(parseJson(printJson(sent)));
        for (const { code, message } of error?.issues ?? []) assert.equal(code, 'custom', message);
        const received = parseJson(printJson(answered));
        assert.deepEqual(operation.output.parse(received), received);
      }),
      { numRuns: 20 },
    );
  });
}

test('the name of an operation says whether it only reads', () => {
  for (const name of operationNames)
    assert.equal(readsByName(name), catalogue[name].access !== 'write', name);
});
