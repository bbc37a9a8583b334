import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyJson } from '../testing/any-json.ts';
import { type OperationName, operations } from './catalogue.ts';
import { ApiError } from './errors.ts';
import { examples } from './fields.ts';
import { printQuery, readInput, readQuery } from './input.ts';
import { inputSchemaOf } from './json-schema.ts';

const cluster = { virtual_cluster_id: examples.cluster };

function problemOf(name: OperationName, body: unknown): string | undefined {
  try {
    readInput(name, body);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, 'invalid_request');
    return error.message;
  }
}

test('invalid input is refused with a helpful message', () => {
  const rule = {
    resource_type: 'TOPIC',
    resource_name: 'a',
    pattern_type: 'LITERAL',
    principal: 'User:a',
    host: '*',
    operation: 'READ',
    permission_type: 'ALLOW',
  };
  // operation, body, message
  const cases: [OperationName, unknown, RegExp][] = [
    ['list_workspaces', { all: 1 }, /^unknown field "all"; the fields are none$/],
    [
      'list_topics',
      { ...cluster, topic: 'a' },
      /^unknown field "topic"; the fields are virtual_cluster_id, include/,
    ],
    ['list_topics', {}, /^virtual_cluster_id: expected string, received undefined$/],
    ['list_topics', undefined, /^virtual_cluster_id: expected string/],
    ['list_topics', [], /^expected object, received array$/],
    ['list_topics', 'text', /^expected object, received string$/],
    [
      'list_topics',
      { virtual_cluster_id: 'orders' },
      /^virtual_cluster_id: is not vci_ and the rest of an id$/,
    ],
    ['create_topic', { ...cluster, topic_name: '..', partition_count: 1 }, /^topic_name: is not 1 to 249/],
    ['create_topic', { ...cluster, topic_name: 'a', partition_count: 0 }, /^partition_count: .*>=1$/],
    [
      'create_topic',
      { ...cluster, topic_name: 'a', partition_count: '1' },
      /^partition_count: expected number/,
    ],
    [
      'create_topic',
      { ...cluster, topic_name: 'a', partition_count: 1, configs: { a: 1 } },
      /^configs\.a: expected/,
    ],
    [
      'create_topic',
      { ...cluster, topic_name: 'a', partition_count: 1, configs: { a: '\0' } },
      /^configs\.a: has control/,
    ],
    [
      'create_topic',
      { ...cluster, topic_name: 'a', partition_count: 1, configs: { a: '\ud800' } },
      /^configs\.a: has control/,
    ],
    ['undelete_topic', cluster, /^one of topic_id and topic_name is required$/],
    [
      'virtual_clusters/acls/create',
      { ...cluster, acl: { ...rule, who: 1 } },
      /^unknown field "who" in acl$/,
    ],
    [
      'virtual_clusters/acls/create',
      { ...cluster, acl: { ...rule, resource_type: 'ANY' } },
      /^acl\.resource_type: /,
    ],
    ['virtual_clusters/acls/delete', { ...cluster, acls: [] }, /^acls: .*>=1 items$/],
    [
      'update_events_state',
      { ...cluster, event_types: { logs: {} } },
      /^unknown field "logs" in event_types$/,
    ],
    [
      'update_virtual_cluster_configuration',
      { ...cluster, virtual_cluster_configuration: { are_acls_enabled: true, acl_shadowing_enabled: true } },
      /cannot both be true$/,
    ],
    ['update_virtual_cluster_tags', { ...cluster, tags: tags(51) }, /^tags: has more than 50 entries$/],
    [
      'users/create_invitations',
      { invitations: [{ email: 'ada', user_role_id: examples.role }] },
      /^invitations\.0\.email: /,
    ],
    [
      'create_user_role',
      { user_role_name: 'Bills', access_grants: [{ workspace_id: '-', managed_grant_name: 'billing' }] },
      /^access_grants\.0\.workspace_id/,
    ],
    [
      'mute_diagnostic',
      { ...cluster, diagnostic_id: 'a', until: 'tomorrow' },
      /^until: is not a time such as/,
    ],
  ];
  for (const [name, body, message] of cases) assert.match(problemOf(name, body) ?? 'accepted', message);
  assert.equal(problemOf('update_virtual_cluster_tags', { ...cluster, tags: tags(50) }), undefined);
});

function tags(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag${index}`, 'x']));
}

test('a problem never repeats the input, and few are listed', () => {
  const secret = 'hunter2\u0007';
  assert.doesNotMatch(problemOf('sign_in', { email: secret, password: secret })!, /hunter2/);
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`broken ${index}`, index]));
  const message = problemOf('create_topic', {
    ...cluster,
    topic_name: 'a',
    partition_count: 1,
    configs: many,
  })!;
  assert.equal(message.split('; ').length, 6);
  assert.match(message, /and 4 more$/);
});

test('every operation refuses an unknown field by name', () => {
  for (const { name, example } of operations) {
    assert.match(problemOf(name, { ...example.input, surprise: 1 })!, /^unknown field "surprise"; /);
  }
});

test('defaults are filled in, and empty text counts as absent', () => {
  assert.deepEqual(readInput('list_topics', cluster), {
    ...cluster,
    include_recently_deleted: false,
    include_internal: false,
    sort_by: 'name',
    descending: false,
    skip: 0,
  });
  assert.deepEqual(readInput('list_workspaces', undefined), {});
  assert.deepEqual(
    readInput('create_virtual_cluster', { virtual_cluster_name: 'abc', virtual_cluster_tier: '' }),
    {
      virtual_cluster_name: 'abc',
      virtual_cluster_tier: undefined,
      virtual_cluster_tags: {},
      skip_agent_key_creation: false,
    },
  );
});

/** Bodies as programs in other languages write them, with `null` and empty text for absent values. */
test('the bodies of provisioning tools are accepted', () => {
  const emptyGrant = { principal_kind: '', resource_kind: '' };
  const cases: [OperationName, unknown][] = [
    ['list_virtual_clusters', undefined],
    ['create_virtual_cluster', { virtual_cluster_name: 'orders', virtual_cluster_region: 'eu-west-1' }],
    ['rename_virtual_cluster', { ...cluster, new_virtual_cluster_name: 'purchases' }],
    ['delete_virtual_cluster', { ...cluster, virtual_cluster_name: 'vcn_orders' }],
    ['update_virtual_cluster_tags', { ...cluster, tags: null }],
    [
      'update_virtual_cluster_configuration',
      {
        ...cluster,
        virtual_cluster_configuration: {
          are_acls_enabled: true,
          acl_shadowing_enabled: false,
          enable_deletion_protection: false,
          broker_configs: { 'num.partitions': '3', 'log.retention.ms': null },
        },
      },
    ],
    [
      'update_events_state',
      { ...cluster, event_types: { acl_logs: { retention_period_nanos: 604_800_000_000_000 } } },
    ],
    ['create_topic', { ...cluster, topic_name: 'orders', partition_count: 1, configs: null }],
    ['update_topic', { ...cluster, topic_name: 'orders', configs: { 'retention.ms': null } }],
    [
      'create_api_key',
      {
        name: 'agents',
        access_grants: [
          { principal_kind: 'agent', resource_kind: 'virtual_cluster', resource_id: examples.cluster },
        ],
        virtual_cluster_type: '',
      },
    ],
    [
      'create_api_key',
      {
        name: 'tools',
        access_grants: [{ principal_kind: 'app_r', resource_kind: '*', resource_id: '*', workspace_id: '' }],
        virtual_cluster_type: '',
      },
    ],
    [
      'create_user_role',
      {
        user_role_name: 'Shop',
        access_grants: [
          {
            ...emptyGrant,
            resource_id: '*',
            workspace_id: examples.workspace,
            managed_grant_name: 'read_only',
          },
        ],
      },
    ],
    [
      'create_virtual_cluster_credentials',
      { ...cluster, credentials_name: 'shop', is_cluster_superuser: false },
    ],
    ['create_workspace', { workspace_name: 'Analytics', skip_application_key_creation: true }],
    [
      'users/update_roles',
      { user_id: examples.user, assigned_role_ids: null, unassigned_role_ids: [examples.role] },
    ],
  ];
  for (const [name, body] of cases) assert.equal(problemOf(name, body), undefined, name);
});

test('a query is equivalent to a body', () => {
  for (const operation of operations.filter(({ access }) => access === 'read')) {
    fc.assert(
      fc.property(anyJson(inputSchemaOf(operation)), (input) => {
        const query = new URLSearchParams(printQuery(input as Record<string, unknown>));
        const again = new URLSearchParams(query.toString());
        // A query can only express an empty list by omitting it.
        const expressible = Object.entries(input as object).filter(
          ([, value]) => !(Array.isArray(value) && value.length === 0),
        );
        assert.deepEqual(readQuery(operation.name, again), Object.fromEntries(expressible));
      }),
      { numRuns: 20 },
    );
  }
});

test('an invalid query is refused like a body', () => {
  const cases: [query: string, message: RegExp][] = [
    ['', /^virtual_cluster_id: expected/],
    [`virtual_cluster_id=${examples.cluster}&all=1`, /^unknown field "all"/],
    [
      `virtual_cluster_id=${examples.cluster}&include_recently_deleted=yes`,
      /^include_recently_deleted: expected/,
    ],
    [`virtual_cluster_id=${examples.cluster}&__proto__=1`, /^unknown field "__proto__"/],
  ];
  for (const [query, message] of cases) {
    assert.match(problemOf('list_topics', readQuery('list_topics', new URLSearchParams(query)))!, message);
  }
  const twice = new URLSearchParams('virtual_cluster_id=vci_a&virtual_cluster_id=vci_b');
  assert.throws(() => readQuery('list_topics', twice), /"virtual_cluster_id" is given twice/);
});
