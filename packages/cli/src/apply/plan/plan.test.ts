import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActualCluster } from '../actual.ts';
import { documentProblemLine } from '../document/problem.ts';
import { readDocuments } from '../document/read-documents.ts';
import { planText } from '../print.ts';
import { failingPipelines } from './failing-pipelines.ts';
import { planChanges } from './plan.ts';
import { type RegistryOutcome, registryItems } from './registry-checks.ts';

/** A configuration that writes to a topic. */
const bento = (topic: string) =>
  `{ input: { generate: { mapping: root = 1 } }, output: { kafka_franz_service: { topic: ${topic} } } }`;

const shop: ActualCluster = {
  id: 'vci_shop',
  tier: 'pro',
  cloudProvider: 'aws',
  region: 'us-east-1',
  tags: { team: 'checkout', old: 'yes' },
  configuration: {
    are_acls_enabled: false,
    acl_shadowing_enabled: false,
    is_auto_create_topic_enabled: true,
    default_num_partitions: 1,
    default_retention_millis: 86_400_000,
    default_topic_type: 'classic',
    enable_deletion_protection: false,
    soft_delete_topics_enabled: true,
    inactive_topics_ttl: 86_400_000_000_000,
    tier: 'pro',
    broker_configs: { 'num.partitions': '1' },
    bucket_url: null,
  },
  topics: [
    { name: '__service_events_acl_logs', partitionCount: 1 },
    { name: 'kept', partitionCount: 1, configs: { 'service.deletion.protection.enabled': 'true' } },
    {
      name: 'orders',
      partitionCount: 6,
      configs: { 'retention.ms': '1', 'cleanup.policy': 'delete', 'max.message.bytes': null },
    },
    { name: 'stale', partitionCount: 1, configs: {} },
  ],
  credentials: [credential('app', false), credential('root', true)],
  agentKeys: [agentKey('agents', 'agent', 'vci_shop'), agentKey('elsewhere', 'agent', 'vci_other')],
  acls: [acl('app', 'READ'), acl('app', 'WRITE')],
  events: { enabled: false, event_types: { acl_logs: { enabled: true, retention_period_nanos: 7 } } },
  pipelines: [
    {
      id: 'pi_clean',
      name: 'clean',
      type: 'bento',
      state: 'paused',
      deployed: { id: 'pci_2', version: 2 },
      configurations: [
        { id: 'pci_1', version: 1, yaml: bento('one') },
        { id: 'pci_2', version: 2, yaml: bento('two') },
        { id: 'pci_3', version: 3, yaml: bento('one') },
      ],
    },
    { id: 'pi_old', name: 'old', type: 'bento', state: 'paused' },
  ],
};

function credential(name: string, is_cluster_superuser: boolean) {
  const times = { created_at: '2026-01-31T12:00:00Z', last_used_at: null };
  const passwords = { password_created_at: times.created_at, old_password: null };
  const fields = { username: `ccun_${name}`, ...times, ...passwords, read_only: false };
  return { id: `cci_${name}`, name: `ccn_${name}`, is_cluster_superuser, ...fields };
}

function agentKey(name: string, principal_kind: 'agent' | 'agent_r', resource_id: string) {
  const grant = { principal_kind, resource_kind: 'virtual_cluster', resource_id, workspace_id: '*' } as const;
  return {
    id: `aki_${name}`,
    name: `akn_${name}`,
    access_grants: [{ ...grant, managed_grant_name: '' as const }],
    created_at: '2026-01-31T12:00:00Z',
    key_hint: 'cdef',
    last_used_at: null,
  };
}

function acl(user: string, operation: 'READ' | 'WRITE') {
  return {
    resource_type: 'TOPIC',
    resource_name: 'orders',
    pattern_type: 'LITERAL',
    principal: `User:${user}`,
    host: '*',
    operation,
    permission_type: 'ALLOW',
  } as const;
}

function planFor(rest: string, { found = shop, isThere = true, isPruning = false } = {}) {
  const text = `version: 1\nvirtual_clusters:\n  - { name: shop, ${rest} }\n`;
  const read = readDocuments([{ fileName: 'f', folder: '/', text }]);
  if ('problem' in read) throw new Error(read.problem.map(documentProblemLine).join('\n'));
  return planChanges(
    read.value.map((desired) => ({ desired, found: isThere ? found : undefined })),
    { isPruning },
  );
}

/** The lines of a plan without the name of the cluster. */
function linesOf(...given: Parameters<typeof planFor>): string[] {
  const plan = planFor(...given);
  assert.deepEqual(plan.obstacles, []);
  return planText(plan)
    .split('\n')
    .slice(1, -1)
    .map((line) => line.trim());
}

const orders = '{ name: orders, partition_count: 6 }';
const appReads = '{ principal: "User:app", operation: READ, resource_type: TOPIC, resource_name: orders }';

const differences: readonly [what: string, rest: string, lines: readonly string[]][] = [
  ['nothing is requested', 'topics: [], acls: []', []],
  ['the tier', 'tier: enterprise', ['~ virtual cluster shop: tier pro → enterprise']],
  ['the same tier', 'tier: pro', []],
  [
    'tags',
    'tags: { team: billing, new: "1" }',
    ['~ tags: team checkout → billing, new = 1, old yes → (none)'],
  ],
  [
    'the configuration',
    'configuration: { default_num_partitions: 2, enable_deletion_protection: true, auto_create_topic: true }',
    [
      '~ configuration: enable_deletion_protection false → true, auto.create.topics.enable = true, num.partitions 1 → 2',
    ],
  ],
  ['a topic that is there', `topics: [${orders}]`, []],
  [
    'a topic that grows',
    'topics: [{ name: orders, partition_count: 12, config: { retention.ms: 2, max.message.bytes: 9 } }]',
    ['~ topic orders: partition_count 6 → 12, max.message.bytes = 9, retention.ms 1 → 2'],
  ],
  [
    'a topic that does not exist',
    'topics: [{ name: clicks, partition_count: 1 }]',
    ['+ topic clicks (1 partition)'],
  ],
  ['credentials', 'credentials: [{ name: app }, { name: report }]', ['+ credential report']],
  [
    'agent keys',
    'agent_keys: [{ name: agents }, { name: more, read_only: true }]',
    ['+ agent key more (read_only=true)'],
  ],
  [
    'rules',
    `acls: [${appReads}, { principal: "User:x y", operation: READ, resource_type: TOPIC, resource_name: o, pattern_type: PREFIXED }]`,
    ['+ acl ALLOW "User:x y" from *: READ TOPIC o…'],
  ],
  [
    'events',
    'events: { enabled: true, event_types: { acl_logs: { enabled: true, retention_period_nanos: 8 } } }',
    ['~ events: enabled false → true, acl_logs.retention_period_nanos 7 → 8'],
  ],
  ['a pipeline that is there', 'pipelines: [{ name: clean }, { name: old, state: paused }]', []],
  [
    'the configuration that is deployed',
    `pipelines: [{ name: clean, configuration_yaml: "${bento('two')}" }]`,
    [],
  ],
  [
    'a stored configuration, the newest with the same text',
    `pipelines: [{ name: clean, configuration_yaml: "${bento('one')}" }]`,
    ['~ pipeline clean: configuration version 2 → version 3'],
  ],
  [
    'a configuration that is new, and the state',
    `pipelines: [{ name: clean, state: running, configuration_yaml: "${bento('four')}" }]`,
    [
      '+ pipeline configuration clean',
      '~ pipeline clean: configuration version 2 → the version in the file, state paused → running',
    ],
  ],
  [
    'a pipeline that does not exist',
    `pipelines: [{ name: fresh, configuration_yaml: "${bento('one')}", state: paused }, { name: bare, type: orbit }]`,
    [
      '+ pipeline fresh (bento)',
      '+ pipeline bare (orbit)',
      '+ pipeline configuration fresh',
      '~ pipeline fresh: configuration = the version in the file',
    ],
  ],
];

test('the plan contains the differences and nothing else', async (t) => {
  for (const [what, rest, lines] of differences) {
    await t.test(what, () => assert.deepEqual(linesOf(rest), lines));
  }
});

const prunings: readonly [what: string, rest: string, lines: readonly string[]][] = [
  ['kinds that are not mentioned', 'tier: pro', []],
  [
    'topics, but for those that are protected or internal',
    `topics: [${orders}]`,
    [
      '= topic __service_events_acl_logs (kept: it is an internal topic)',
      '= topic kept (kept: it has deletion protection)',
      '- topic stale',
    ],
  ],
  [
    'all kinds, the other way round',
    `topics: [${orders}, { name: kept, partition_count: 1 }, { name: __service_events_acl_logs, partition_count: 1 }], credentials: [{ name: app }], agent_keys: [], acls: [${appReads}], pipelines: [{ name: clean }]`,
    [
      '- pipeline old',
      '- acl ALLOW User:app from *: WRITE TOPIC orders',
      '- credential ccn_root',
      '- agent key akn_agents',
      '- topic stale',
    ],
  ],
];

test('pruning deletes what is missing from lists that the documents have', async (t) => {
  for (const [what, rest, lines] of prunings) {
    await t.test(what, () => {
      assert.deepEqual(linesOf(rest, { isPruning: true }), lines);
      assert.ok(!linesOf(rest).some((line) => /^[-=]/.test(line)), 'only if requested');
    });
  }
});

test('a new cluster is created first, and ACLs are enforced after they exist', () => {
  const rest = `configuration: { enable_acls: true, default_num_partitions: 3 }, topics: [${orders}], acls: [${appReads}], credentials: [{ name: app }], events: { enabled: true }, tier: dev`;
  assert.deepEqual(linesOf(rest, { isThere: false }), [
    '+ virtual cluster shop (byoc, dev)',
    '~ configuration: num.partitions = 3',
    '+ topic orders (6 partitions)',
    '+ credential app',
    '+ acl ALLOW User:app from *: READ TOPIC orders',
    '~ configuration: enable_acls = true',
    '~ events: enabled = true',
  ]);
});

test('shadowed rules are enforced in one step, and released only when requested explicitly', () => {
  const shadowing = { ...shop, configuration: { ...shop.configuration!, acl_shadowing_enabled: true } };
  assert.deepEqual(linesOf('configuration: { enable_acls: true }', { found: shadowing }), [
    '~ configuration: enable_acls false → true, enable_acl_shadowing true → false',
  ]);
  const enforcing = { ...shop, configuration: { ...shop.configuration!, are_acls_enabled: true } };
  const both = 'configuration: { enable_acls: false, enable_acl_shadowing: true }';
  assert.deepEqual(linesOf(both, { found: enforcing }), [
    '~ configuration: enable_acls true → false, enable_acl_shadowing false → true',
  ]);
  assert.deepEqual(
    planFor('configuration: { enable_acl_shadowing: true }', { found: enforcing }).obstacles.map(
      documentProblemLine,
    ),
    ['f:3:34: virtual cluster shop enforces ACLs; for shadow mode, also set enable_acls: false'],
  );
});

const impossible: readonly [what: string, rest: string, obstacle: string][] = [
  [
    'fewer partitions',
    'topics: [{ name: orders, partition_count: 5 }]',
    'f:3:28: topic orders has 6 partitions and cannot be reduced to 5',
  ],
  [
    'compaction',
    'topics: [{ name: orders, partition_count: 6, config: { cleanup.policy: "compact,delete" } }]',
    'f:3:28: topic orders cannot change cleanup.policy from delete to compact,delete; create another topic',
  ],
  [
    'another region',
    'cloud: { region: eu-west-1 }',
    'f:3:5: virtual cluster shop: region cannot be changed from us-east-1 to eu-west-1',
  ],
  [
    'a credential with other rights',
    'credentials: [{ name: root }]',
    'f:3:33: credential root has cluster_superuser true, which cannot be changed; create one with another name',
  ],
  [
    'a key with other rights',
    'agent_keys: [{ name: agents, read_only: true }]',
    'f:3:32: agent key agents has read_only false, which cannot be changed; create one with another name',
  ],
  [
    'a key of another cluster',
    'agent_keys: [{ name: elsewhere }]',
    'f:3:32: agent key elsewhere is the name of another key; choose a different name',
  ],
  [
    'a pipeline of another type',
    'pipelines: [{ name: clean, type: orbit }]',
    'f:3:31: pipeline clean: type cannot be changed from bento to orbit; create one with another name',
  ],
];

test('impossible changes are reported before anything is done', async (t) => {
  for (const [what, rest, obstacle] of impossible) {
    await t.test(what, () => assert.deepEqual(planFor(rest).obstacles.map(documentProblemLine), [obstacle]));
  }
});

test('a name that exists in several workspaces is ambiguous and not guessed', () => {
  const read = readDocuments([
    { fileName: 'f', folder: '/', text: 'version: 1\nvirtual_clusters: [{ name: shop }]\n' },
  ]);
  assert.ok('value' in read);
  const wanted = read.value.map((desired) => ({ desired, found: { workspaceIds: ['wi_a', 'wi_b'] } }));
  const { obstacles, clusters } = planChanges(wanted, { isPruning: true });
  assert.deepEqual(clusters, []);
  assert.deepEqual(obstacles.map(documentProblemLine), [
    'f:2:20: several workspaces have a virtual cluster shop; set workspace_id to one of wi_a, wi_b',
  ]);
});

const outcome: RegistryOutcome = {
  is_change: true,
  problem: null,
  own_compatibility_level: null,
  own_mode: null,
  own_normalize: false,
  compatibility_level: 'BACKWARD',
  mode: 'READWRITE',
  version: 1,
  compared_version: null,
  violations: [],
  diff: '',
};

/** The plan for a registry, when the control plane has these outcomes for its changes. */
function registryPlan(rest: string, outcomes: readonly Partial<RegistryOutcome>[]) {
  const text = `version: 1\nvirtual_clusters:\n  - { name: shop, schema_registry: { ${rest} } }\n`;
  const read = readDocuments([{ fileName: 'f', folder: '/', text }]);
  if ('problem' in read) throw new Error(read.problem.map(documentProblemLine).join('\n'));
  const [desired] = read.value;
  const checks = registryItems(desired!.schemaRegistry!).map((item, index) => ({
    item,
    outcome: { ...outcome, ...outcomes[index] },
  }));
  const registry = { checks, deletions: [], kept: [], isTooLarge: false };
  const plan = planChanges([{ desired: desired!, found: shop, registry }], { isPruning: false });
  return [
    ...planText(plan).split('\n').slice(1, -1),
    ...plan.obstacles.flatMap((one) => [documentProblemLine(one), ...(one.details ?? [])]),
  ].map((line) => line.trim());
}

const subjectA = 'subjects: [{ name: a, schemas: [{ text: x }] }]';
const unfit = { type: 'TYPE_MISMATCH', path: '/', message: 'no' };

const registryPlans: readonly [
  what: string,
  rest: string,
  outcomes: readonly Partial<RegistryOutcome>[],
  lines: readonly string[],
][] = [
  ['a new subject', subjectA, [{}], ['+ schema a (AVRO, version 1)']],
  ['the schema is there', subjectA, [{ is_change: false }], []],
  [
    'a new version, with its diff',
    subjectA,
    [{ version: 2, compared_version: 1, diff: '--- a\n+++ b' }],
    ['+ schema a (AVRO, version 2, compatible with version 1 (BACKWARD))', '--- a', '+++ b'],
  ],
  [
    'nothing is compared',
    subjectA,
    [{ version: 2, compared_version: 1, compatibility_level: 'NONE' }],
    ['+ schema a (AVRO, version 2, not compared (NONE))'],
  ],
  [
    'settings',
    'compatibility_level: FULL, normalize: true, mode: READONLY',
    [{ own_compatibility_level: 'NONE' }, { own_mode: 'READWRITE' }],
    [
      '~ schema registry: compatibility_level NONE → FULL, normalize false → true',
      '~ schema registry: mode READWRITE → READONLY',
    ],
  ],
  [
    'settings of a context and a subject',
    'contexts: [{ name: eu, mode: READWRITE }], subjects: [{ name: a, compatibility_level: INHERITED }]',
    [{}, { own_compatibility_level: 'FULL' }],
    [
      '~ schema registry context .eu: mode INHERITED → READWRITE',
      '~ subject a: compatibility_level FULL → INHERITED',
    ],
  ],
  [
    'an incompatible schema',
    subjectA,
    [{ problem: 'long', compared_version: 3, violations: [unfit], diff: '-x' }],
    ['f:3:70: subject a: incompatible with version 3 (BACKWARD)', 'TYPE_MISMATCH at /: no', '-x'],
  ],
  [
    'what follows from a refusal is not repeated',
    'subjects: [{ name: b, schemas: [{ text: y, references: [{ name: a, subject: a }] }] }, { name: a, schemas: [{ text: x }, { text: z }] }]',
    [{ problem: 'bad' }, { problem: 'worse' }, { problem: 'worst' }],
    ['f:3:146: subject a: bad'],
  ],
];

test('registries', () => {
  for (const [what, rest, outcomes, lines] of registryPlans)
    assert.deepEqual(registryPlan(rest, outcomes), lines, what);
});

test('pipelines that fail are reported, unless the plan changes them or no document has them', () => {
  const running = { type: 'bento', state: 'running' } as const;
  const found: ActualCluster = {
    ...shop,
    pipelines: [
      { id: 'pi_a', name: 'a', ...running, failure: 'agent x: no' },
      { id: 'pi_b', name: 'b', ...running, failure: 'agent x: no' },
      { id: 'pi_c', name: 'c', ...running, failure: 'agent x: no' },
      { id: 'pi_d', name: 'd', ...running },
    ],
  };
  const text =
    'version: 1\nvirtual_clusters: [{ name: shop, pipelines: [{ name: a }, { name: b, state: paused }, { name: d }] }]\n';
  const read = readDocuments([{ fileName: 'f', folder: '/', text }]);
  assert.ok('value' in read);
  const wanted = read.value.map((desired) => ({ desired, found }));
  const plan = planChanges(wanted, { isPruning: false });
  assert.deepEqual(failingPipelines(wanted, plan), ['pipeline a of shop fails: agent x: no']);
});
