import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentProblemLine } from './problem.ts';
import { type DocumentSource, readDocuments } from './read-documents.ts';

function source(text: string, fileName = 'weir.yaml'): DocumentSource {
  return { fileName, folder: '/etc/weir', text };
}

function read(...texts: readonly string[]) {
  const found = readDocuments(
    texts.map((text, index) => source(text, index === 0 ? 'weir.yaml' : `${index}.yaml`)),
  );
  if ('problem' in found) throw new Error(found.problem.map(documentProblemLine).join('\n'));
  return found.value;
}

function problemsOf(...texts: readonly string[]): string[] {
  const found = readDocuments(
    texts.map((text, index) => source(text, index === 0 ? 'weir.yaml' : `${index}.yaml`)),
  );
  return 'problem' in found ? found.problem.map(documentProblemLine) : [];
}

/** A document with one cluster and these other fields. */
function clusterWith(rest: string): string {
  const lines = rest.split('\n').map((line) => `    ${line}`);
  return ['version: 1', 'virtual_clusters:', '  - name: shop', ...lines, ''].join('\n');
}

test('the shortest document that sets something', () => {
  const [cluster] = read(clusterWith('topics: [{ name: orders, partition_count: 3 }]'));
  assert.deepEqual([cluster?.name, cluster?.fullName, cluster?.type], ['shop', 'vcn_shop', 'byoc']);
  assert.deepEqual(cluster?.topics, [
    { place: 'weir.yaml:4:14', name: 'orders', partitionCount: 3, configs: {} },
  ]);
  assert.equal(cluster?.acls, undefined, 'what is not mentioned stays undefined');
});

test('values are normalized to the form that the API returns', () => {
  const text = [
    'configuration: { default_num_partitions: 6, enable_acls: true }',
    'broker_configuration: { log.retention.hours: 2 }',
    'topics:',
    '  - name: a',
    '    partition_count: 1',
    '    enable_deletion_protection: true',
    '    config: { cleanup.policy: "delete, compact", preallocate: TRUE, retention.ms: 9223372036854775807 }',
    'credentials: [{ name: ccn_app, password_file: secrets/app }]',
    'acls: [{ resource_type: CLUSTER, principal: "User:app", operation: DESCRIBE }]',
    'events: { event_types: { acl_logs: { retention_period_nanos: 9223372036854775807 } } }',
  ];
  const [cluster] = read(clusterWith(text.join('\n')));
  assert.deepEqual(cluster?.configuration?.brokerConfigs, {
    'log.retention.ms': '7200000',
    'num.partitions': '6',
  });
  assert.deepEqual(cluster?.topics?.[0]?.configs, {
    'cleanup.policy': 'delete,compact',
    preallocate: 'true',
    'retention.ms': '9223372036854775807',
    'service.deletion.protection.enabled': 'true',
  });
  const [credential] = cluster?.credentials ?? [];
  assert.deepEqual([credential?.name, credential?.fullName], ['app', 'ccn_app']);
  assert.deepEqual(credential?.password, { kind: 'file', path: '/etc/weir/secrets/app' });
  assert.deepEqual(cluster?.acls, [
    {
      resource_type: 'CLUSTER',
      resource_name: 'kafka-cluster',
      pattern_type: 'LITERAL',
      principal: 'User:app',
      host: '*',
      operation: 'DESCRIBE',
      permission_type: 'ALLOW',
    },
  ]);
  assert.equal(cluster?.events?.event_types?.acl_logs?.retention_period_nanos, 2n ** 63n - 1n);
});

test('documents and files are read together, and anchors are followed', () => {
  const clusters = read(
    [
      'version: 1',
      'virtual_clusters:',
      '  - name: shop',
      '    topics: [{ name: a, partition_count: 1, config: &week { retention.ms: 604800000 } },',
      '             { name: b, partition_count: 1, config: *week }]',
      '---',
      'version: 1',
      'virtual_clusters: [{ name: vcn_shop, tier: pro, topics: [{ name: c, partition_count: 1 }] }]',
      '---',
      '',
    ].join('\n'),
    'version: 1\nvirtual_clusters: [{ name: other }]\n',
  );
  assert.deepEqual(
    clusters.map(({ name, tier, topics }) => [name, tier, topics?.map((topic) => topic.name)]),
    [
      ['shop', 'pro', ['a', 'b', 'c']],
      ['other', undefined, undefined],
    ],
  );
  assert.deepEqual(clusters[0]?.topics?.[1]?.configs, { 'retention.ms': '604800000' });
});

/** What is wrong, the document, and all reported problems. */
const broken: readonly [what: string, text: string, problems: readonly string[]][] = [
  ['nothing', '', ['weir.yaml:1:1: has no document; start one with version: 1']],
  [
    'no YAML',
    'version: [1\n',
    ['weir.yaml:2:1: Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ],
  [
    'a tab',
    'version: 1\nvirtual_clusters:\n\t- name: a\n',
    ['weir.yaml:3:1: Tabs are not allowed as indentation'],
  ],
  [
    'one key twice',
    'version: 1\nvirtual_clusters: []\nversion: 1\n',
    ['weir.yaml:3:1: Map keys must be unique'],
  ],
  ['a tag', 'version: !one 1\nvirtual_clusters: []\n', ['weir.yaml:1:10: Unresolved tag: !one']],
  ['a list', '- 1\n', ['weir.yaml:1:1: is not a mapping of fields']],
  ['no version', 'virtual_clusters: []\n', ['weir.yaml:1:1: version: is missing']],
  ['a version that is to come', 'version: 2\nvirtual_clusters: []\n', ['weir.yaml:1:10: version: must be 1']],
  [
    'a field that is misspelt, and one that there is not',
    clusterWith('topics:\n  - name: a\n    partition_cout: 1\n    colour: red'),
    [
      'weir.yaml:5:9: virtual_clusters[0].topics[0].partition_count: is missing',
      'weir.yaml:6:9: virtual_clusters[0].topics[0].partition_cout: unknown field; did you mean partition_count?',
      'weir.yaml:7:9: virtual_clusters[0].topics[0].colour: unknown field; the fields are name, partition_count, config, enable_deletion_protection',
    ],
  ],
  [
    'values of the wrong kind',
    clusterWith('tier: prp\ntags: [a]\nconfiguration: { enable_acls: maybe }\ntopics:'),
    [
      'weir.yaml:4:11: virtual_clusters[0].tier: is none of dev, fundamentals, pro, enterprise, legacy; did you mean pro?',
      'weir.yaml:5:11: virtual_clusters[0].tags: is not a mapping of names to values',
      'weir.yaml:6:35: virtual_clusters[0].configuration.enable_acls: is not true or false',
      'weir.yaml:7:5: virtual_clusters[0].topics: is empty; write [] for none',
    ],
  ],
  [
    'a password in the file is not repeated',
    clusterWith('credentials: [{ name: app, password: hunter2 }]'),
    [
      'weir.yaml:4:32: virtual_clusters[0].credentials[0].password: unknown field; the fields are name, cluster_superuser, password_env, password_file',
    ],
  ],
  [
    'names that cannot be',
    clusterWith('topics: [{ name: a b, partition_count: 0 }]\nagent_keys: [{ name: a-b }]'),
    [
      'weir.yaml:4:22: virtual_clusters[0].topics[0].name: is not 1 to 249 letters, digits, dots, underscores and hyphens',
      'weir.yaml:4:44: virtual_clusters[0].topics[0].partition_count: is less than 1',
      'weir.yaml:5:26: virtual_clusters[0].agent_keys[0].name: is not 1 to 128 letters, digits and underscores',
    ],
  ],
  [
    'configs that there are not, and values that they cannot have',
    clusterWith(
      [
        'broker_configuration: { service.acls.enabled: true, num.partitons: 1, node.id: 7 }',
        'topics:',
        '  - { name: a, partition_count: 1, config: { retention.m: 1, segment.ms: soon, flush.ms: } }',
      ].join('\n'),
    ),
    [
      'weir.yaml:4:29: virtual_clusters[0].broker_configuration["service.acls.enabled"]: is set by configuration.enable_acls',
      'weir.yaml:4:57: virtual_clusters[0].broker_configuration["num.partitons"]: unknown broker config; did you mean num.partitions?',
      'weir.yaml:4:75: virtual_clusters[0].broker_configuration["node.id"]: cannot be updated dynamically',
      'weir.yaml:6:50: virtual_clusters[0].topics[0].config["retention.m"]: unknown topic config; did you mean retention.ms?',
      'weir.yaml:6:66: virtual_clusters[0].topics[0].config["segment.ms"]: must be a whole number from 1 to 9223372036854775807',
      'weir.yaml:6:84: virtual_clusters[0].topics[0].config["flush.ms"]: is empty',
    ],
  ],
  [
    'one of every kind of mistake',
    [
      'version: 2',
      'virtual_clusters:',
      '  - name: a b',
      '    tier: prp',
      '    configuration: { enable_acls: true, enable_acl_shadowing: true, enable_acl: true }',
      '    cloud: { region: a, region_group: b, zone: c }',
      '    topics:',
      '      - { name: "x y", config: { retention.m: 1 } }',
      '      - { name: t, partition_count: 1 }',
      '      - { name: t, partition_count: 0 }',
      '    credentials: [{ password_env: A, password_file: b }]',
      '    acls:',
      '      - { resource_type: topic, principal: "User:a", operation: READ }',
      '      - { resource_type: GROUP, resource_name: g, principal: a, operation: READ }',
      '    pipelines:',
      '      - name: p',
      '        state: on',
      '        configuration_yaml: |',
      '          input: { generate: { mapping: root = 1 } }',
      '          outptu: { drop: {} }',
      '      - { name: o, type: orbit }',
      '      - { name: q, type: orbit, configuration_yaml: "topic_mapings: []" }',
      '  - name: sr',
      '    type: byoc_schema_registry',
      '    topics: [{ name: u }]',
      '',
    ].join('\n'),
    [
      'weir.yaml:1:10: version: must be 1',
      'weir.yaml:3:11: virtual_clusters[0].name: is not 3 to 128 letters, digits and underscores',
      'weir.yaml:4:11: virtual_clusters[0].tier: is none of dev, fundamentals, pro, enterprise, legacy; did you mean pro?',
      'weir.yaml:5:20: virtual_clusters[0].configuration: enable_acls and enable_acl_shadowing cannot both be true',
      'weir.yaml:5:69: virtual_clusters[0].configuration.enable_acl: unknown field; did you mean enable_acls?',
      'weir.yaml:6:12: virtual_clusters[0].cloud: region and region_group cannot both be set',
      'weir.yaml:6:42: virtual_clusters[0].cloud.zone: unknown field; the fields are provider, region, region_group',
      'weir.yaml:8:9: virtual_clusters[0].topics[0].partition_count: is missing',
      'weir.yaml:8:17: virtual_clusters[0].topics[0].name: is not 1 to 249 letters, digits, dots, underscores and hyphens',
      'weir.yaml:8:34: virtual_clusters[0].topics[0].config["retention.m"]: unknown topic config; did you mean retention.ms?',
      'weir.yaml:10:37: virtual_clusters[0].topics[2].partition_count: is less than 1',
      'weir.yaml:11:19: virtual_clusters[0].credentials[0].name: is missing',
      'weir.yaml:11:19: virtual_clusters[0].credentials[0]: password_env and password_file cannot both be set',
      'weir.yaml:13:26: virtual_clusters[0].acls[0].resource_type: is none of TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID, DELEGATION_TOKEN, USER, SUBJECT, REGISTRY; did you mean TOPIC?',
      'weir.yaml:14:9: virtual_clusters[0].acls[1]: The principal must be User:<name>, or User:* for every user, not a.',
      'weir.yaml:17:16: virtual_clusters[0].pipelines[0].state: is none of running, paused',
      'weir.yaml:19:11: virtual_clusters[0].pipelines[0].configuration_yaml: output is missing',
      'weir.yaml:20:11: virtual_clusters[0].pipelines[0].configuration_yaml: there is no field "outptu"; did you mean output?',
      'weir.yaml:22:53: virtual_clusters[0].pipelines[2].configuration_yaml: line 1, column 1: source_bootstrap_brokers: is missing',
      'weir.yaml:22:53: virtual_clusters[0].pipelines[2].configuration_yaml: line 1, column 1: topic_mappings: is missing',
      'weir.yaml:22:53: virtual_clusters[0].pipelines[2].configuration_yaml: line 1, column 1: unknown field "topic_mapings"; did you mean topic_mappings?',
      'weir.yaml:23:11: virtual_clusters[1].name: is not 3 to 128 letters, digits and underscores',
      'weir.yaml:25:13: virtual_clusters[1].topics: not allowed in a byoc_schema_registry cluster',
      'weir.yaml:25:14: virtual_clusters[1].topics[0].partition_count: is missing',
      'weir.yaml:10:9: the topic t is already at weir.yaml:9:9',
      'weir.yaml:22:9: a cluster has at most one orbit pipeline, which is already at weir.yaml:21:9',
    ],
  ],
  [
    'one setting given twice in two ways',
    clusterWith(
      [
        'configuration: { default_num_partitions: 2 }',
        'broker_configuration: { num.partitions: 3 }',
        'topics:',
        '  - name: a',
        '    partition_count: 1',
        '    enable_deletion_protection: true',
        '    config: { service.deletion.protection.enabled: false }',
      ].join('\n'),
    ),
    [
      'weir.yaml:4:46: virtual_clusters[0].configuration.default_num_partitions: is num.partitions, which broker_configuration also sets; set it once',
      'weir.yaml:9:37: virtual_clusters[0].topics[0].enable_deletion_protection: is service.deletion.protection.enabled, which config also sets; set it once',
    ],
  ],
  [
    'things that exclude each other',
    clusterWith(
      [
        'configuration: { enable_acls: true, enable_acl_shadowing: true }',
        'cloud: { region: a, region_group: b }',
        'credentials: [{ name: app, password_env: A, password_file: b }]',
      ].join('\n'),
    ),
    [
      'weir.yaml:4:20: virtual_clusters[0].configuration: enable_acls and enable_acl_shadowing cannot both be true',
      'weir.yaml:5:12: virtual_clusters[0].cloud: region and region_group cannot both be set',
      'weir.yaml:6:19: virtual_clusters[0].credentials[0]: password_env and password_file cannot both be set',
    ],
  ],
  [
    'rules that cannot be',
    clusterWith(
      [
        'acls:',
        '  - { resource_type: TOPIC, principal: "User:a", operation: READ }',
        '  - { resource_type: GROUP, resource_name: g, principal: "User:a", operation: WRITE }',
        '  - { resource_type: GROUP, resource_name: g, principal: a, operation: READ }',
      ].join('\n'),
    ),
    [
      'weir.yaml:5:9: virtual_clusters[0].acls[0].resource_name: is missing',
      'weir.yaml:6:9: virtual_clusters[0].acls[1]: WRITE is nothing that can be done with a GROUP; there are ALL, READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS.',
      'weir.yaml:7:9: virtual_clusters[0].acls[2]: The principal must be User:<name>, or User:* for every user, not a.',
    ],
  ],
  [
    'words of a rule in small letters',
    clusterWith('acls: [{ resource_type: topic, resource_name: a, principal: "User:a", operation: reed }]'),
    [
      'weir.yaml:4:29: virtual_clusters[0].acls[0].resource_type: is none of TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID, DELEGATION_TOKEN, USER, SUBJECT, REGISTRY; did you mean TOPIC?',
      'weir.yaml:4:86: virtual_clusters[0].acls[0].operation: is none of ALL, READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, CLUSTER_ACTION, DESCRIBE_CONFIGS, ALTER_CONFIGS, IDEMPOTENT_WRITE, CREATE_TOKENS, DESCRIBE_TOKENS, TWO_PHASE_COMMIT; did you mean READ?',
    ],
  ],
  [
    'an event type that is misspelt',
    clusterWith('events: { event_types: { acl_log: { enabled: true } } }'),
    ['weir.yaml:4:30: virtual_clusters[0].events.event_types.acl_log: unknown field; did you mean acl_logs?'],
  ],
  [
    'topics of something that has none',
    clusterWith('type: byoc_schema_registry\ntopics: []'),
    ['weir.yaml:5:13: virtual_clusters[0].topics: not allowed in a byoc_schema_registry cluster'],
  ],
  [
    'a name with the prefix of another type',
    'version: 1\nvirtual_clusters: [{ name: vcn_sr_a }]\n',
    [
      'weir.yaml:2:28: virtual_clusters[0].name: has the prefix of a byoc_schema_registry, but the type is byoc',
    ],
  ],
  [
    'names that are there twice, or that metrics cannot tell apart',
    clusterWith(
      [
        'topics:',
        '  - { name: a.b, partition_count: 1 }',
        '  - { name: a_b, partition_count: 1 }',
        'credentials: [{ name: app }, { name: ccn_app }]',
      ].join('\n'),
    ),
    [
      'weir.yaml:6:9: the topic a_b is already at weir.yaml:5:9',
      'weir.yaml:7:34: the credential app is already at weir.yaml:7:19',
    ],
  ],
  [
    'a field of a pipeline that there is not',
    clusterWith('pipelines: [{ name: a, stat: paused }]'),
    ['weir.yaml:4:28: virtual_clusters[0].pipelines[0].stat: unknown field; did you mean state?'],
  ],
  [
    'pipelines of one name, and one of a type that the cluster does not have',
    clusterWith('pipelines: [{ name: a }, { name: a }, { name: b, type: data_lake }]'),
    [
      'weir.yaml:4:60: virtual_clusters[0].pipelines[2].type: a byoc cluster has no data_lake pipelines',
      'weir.yaml:4:30: the pipeline a is already at weir.yaml:4:17',
    ],
  ],
  [
    'a tier in two documents',
    `${clusterWith('tier: pro')}---\n${clusterWith('tier: dev')}`,
    ['weir.yaml:8:5: virtual cluster shop: tier is already set at weir.yaml:3:5; set it once'],
  ],
  [
    'too many aliases',
    `a: &a [1]\n${Array.from(
      { length: 9 },
      (_, index) =>
        `k${index}: &k${index} [${Array(9)
          .fill(index === 0 ? '*a' : `*k${index - 1}`)
          .join(', ')}]`,
    ).join('\n')}\n`,
    ['weir.yaml:1:1: Excessive alias count indicates a resource exhaustion attack'],
  ],
];

test('all problems are reported at once, with their position and the probable intention', async (t) => {
  for (const [what, text, problems] of broken) {
    await t.test(what, () => assert.deepEqual(problemsOf(text), problems));
  }
});

test('valid parts are checked whatever else is invalid, and nothing is built from them', () => {
  const wrongType = clusterWith('type: kafka\ntopics: []\npipelines: [{ name: a, type: data_lake }]');
  assert.deepEqual(problemsOf(wrongType), [
    'weir.yaml:4:11: virtual_clusters[0].type: is none of byoc_schema_registry, byoc_data_lake, byoc',
  ]);
  const found = readDocuments([source(wrongType)]);
  assert.equal('value' in found, false);
  assert.deepEqual(problemsOf('version: 1\nvirtual_clusters: [7, { name: shop, topics: [7] }]\n'), [
    'weir.yaml:2:20: virtual_clusters[0]: is not a mapping of fields',
    'weir.yaml:2:46: virtual_clusters[1].topics[0]: is not a mapping of fields',
  ]);
});

test('every file is checked, whatever problems the others have', () => {
  assert.deepEqual(problemsOf('version: 1\n', 'version: 3\nvirtual_clusters: []\n'), [
    'weir.yaml:1:1: virtual_clusters: is missing',
    '1.yaml:1:10: version: must be 1',
  ]);
});

test('a file with too deep nesting is rejected', () => {
  const [problem] = problemsOf('['.repeat(50_000));
  assert.match(problem ?? '', /^weir\.yaml:\d+:\d+: /);
});
