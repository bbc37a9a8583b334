import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type PipelineType } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { usualTenantAccess } from '@weir/cluster/outbound';
import { plainValueOf, readYaml } from '@weir/pipelines/yaml';
import {
  checkedConfiguration,
  configurationWarnings,
  type GivenConfiguration,
  likelyTypeOf,
} from './check-configuration.ts';

const checked = (type: PipelineType, given: GivenConfiguration) =>
  checkedConfiguration(type, given, usualTenantAccess);

const bento = `
http: {}
input:
  label: ""
  generate: { mapping: 'root.id = counter()', interval: 1s }
buffer: { none: {} }
pipeline:
  threads: -1
  processors:
    - mapping: |
        root = this
output:
  drop: {}
error_handling: { strategy: none }
input_resources: []
logger:
tracer: { none: {} }
shutdown_timeout: 20s
service:
  scheduling: { run_every: 1s }
  cluster_concurrency_target: 1
  pipeline_group: my-agent-group
`;

const orbit = `
source_bootstrap_brokers:
  - { hostname: old-kafka, port: 9092 }
source_cluster_credentials:
  sasl_username_env: SASL_USERNAME
  sasl_password_env: SASL_PASSWORD
  sasl_mechanism: plain
  use_tls: false
topic_mappings:
  - source_regex: orders.*
    destination_prefix: ""
    begin_fetch_at_latest_offset: false
    irreversible_disable_orbit_management: false
cluster_config: { copy_source_cluster_configuration: false }
consumer_groups: { copy_offsets_enabled: true, destination_group_prefix: "" }
service:
  cluster_fetch_concurrency: 2
  fetch_config: { fetch_max_bytes: 104857600, fetch_max_partition_bytes: 52428800 }
`;

const schemaLinking = `
source_schema_registry: { hostname: registry, port: 8081 }
sync_every_seconds: 300
context_type: DEFAULT
`;

const globals = `
source_clusters:
  - name: shop
    bootstrap_brokers: [{ hostname: broker-1, port: 9092 }]
destination_bucket_url: "s3://lake?region=us-east-1"
`;
const tables = (topic: string) => `
tables:
  - source_cluster_name: shop
    source_topic: ${topic}
    source_format: json
    wire_format: raw
    schema_mode: inline
    input_schema: |
      {"type":"object","properties":{"id":{"type":"string"}}}
    transforms:
      - { transform_type: bento, transform: 'root.a = this.payload.after.a' }
    partitioning_scheme: hour
    compression: zstd
    dlq_mode: keep
    dlq_keep_settings: { retention: 2w }
`;

const whole: Readonly<Record<PipelineType, string>> = {
  bento,
  orbit,
  schema_linking: schemaLinking,
  data_lake: globals + tables('orders'),
};

for (const [type, yaml] of Object.entries(whole) as [PipelineType, string][]) {
  test(`${type}: a complete configuration is stored as it was written`, () => {
    assert.deepEqual(checked(type, { yaml }), { yaml });
  });
}

for (const [type, yaml] of Object.entries(whole)) {
  test(`${type}: a configuration is recognised by its fields`, () => assert.equal(likelyTypeOf(yaml), type));
}

test('what has no field of any type counts as the first type', () => {
  for (const yaml of ['', '[', '- a', 'toString: 1']) assert.equal(likelyTypeOf(yaml), 'bento');
});

function refusal(type: PipelineType, given: GivenConfiguration): string {
  try {
    checked(type, given);
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, 'invalid_pipeline_configuration');
    return error.message;
  }
  return assert.fail('it was accepted');
}

const least = 'input: {generate: {mapping: root = 1}}\noutput: {drop: {}}\n';

// biome-ignore format: a table
const mistakes: [type: PipelineType, yaml: string, message: RegExp][] = [
  ['bento', '',                                           /^line 1, column 1: input is missing; line 1, column 1: output is missing$/],
  ['bento', '- a',                                        /^line 1, column 1: root has to be an object with fields$/],
  ['bento', 'input: {generate: {mapping: root = 1}}',     /^line 1, column 1: output is missing$/],
  ['bento', `${least}inptu: {}`,                          /^line 3, column 1: there is no field "inptu"; did you mean input\?$/],
  ['bento', `${least}toString: {}`,                       /there is no field "toString"/],
  ['bento', `${least}__proto__: {}`,                      /there is no field "__proto__"/],
  ['bento', `${least}buffer: none`,                       /^line 3, column 9: a buffer has to be an object with the name of its type$/],
  ['bento', `${least}input_resources: {}`,                /^line 3, column 18: input_resources has to be a list$/],
  ['bento', `${least}shutdown_delay: 5 parsecs`,          /^line 3, column 17: shutdown_delay /],
  ['bento', `${least}service: {pipeline_groups: a}`,      /^line 3, column 11: there is no field "pipeline_groups"; did you mean pipeline_group\?$/],
  ['bento', `${least}service: {cluster_concurrency_target: 0}`, /cluster_concurrency_target has to be from 1 to 32$/],
  ['bento', `${least}a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6`, /line 3.*line 7.*; and 1 more$/],
  ['bento', least.replace('drop', 'drpo'),                /^line 2, column 10: there is no output "drpo"; did you mean drop\?$/],
  ['bento', least.replace('mapping', 'maping'),           /there is no field "maping"; did you mean mapping\?$/],
  ['bento', least.replace('root = 1', '"root = = ("'),    /^line 1, column \d+: in the mapping/],
  ['bento', `${least}pipeline: {processors: [{mapping: "root = "}]}`, /^line 3, column \d+: in the mapping/],
  ['bento', orbit,                                        /there is no field "source_bootstrap_brokers"/],
  ['orbit', orbit.replace('9092', '"9092"'),              /^line 3, column 34: source_bootstrap_brokers\[0\]\.port: is not a whole number from 1 to 65535$/],
  ['orbit', orbit.replace('9092', '70000'),               /is not a whole number from 1 to 65535$/],
  ['orbit', orbit.replace('mechanism: plain', 'mechanism: plian'), /^line 7, column 19: source_cluster_credentials\.sasl_mechanism: is none of .*; did you mean plain\?$/],
  ['orbit', orbit.replace('use_tls: false', 'use_tls: no'), /use_tls: is not true or false$/],
  ['orbit', orbit.replace('source_regex: orders.*', 'destination_prefixes: x'), /topic_mappings\[0\]\.source_regex: is missing; .*did you mean destination_prefix\?$/],
  ['orbit', 'source_bootstrap_brokers: []\ntopic_mappings: []', /source_bootstrap_brokers: is an empty list; .*topic_mappings: is an empty list$/],
  ['orbit', orbit.replace('orders.*', '"orders("'),         /^line 10, column 19: topic_mappings\[0\]\.source_regex: is no regular expression/],
  ['orbit', orbit.replace('cluster_config', '  - { source_regex: ".*", auto_migration: { enabled: true, timeout: 1s } }\ncluster_config'), /^line 14, column 69: topic_mappings\[1\]\.auto_migration\.timeout: is not a duration from 10s to/],
  ['orbit', orbit.replace('SASL_PASSWORD', 'ORBIT_SASL_PASSWORD'), /^line 6, column 22: source_cluster_credentials\.sasl_password_env: begins with ORBIT_, which agents add themselves: write SASL_PASSWORD$/],
  ['schema_linking', 'source_schema_registry: {hostname: h}', /source_schema_registry\.port: is missing$/],
  ['schema_linking', `${schemaLinking}subjects: [a]`,     /unknown field "subjects"/],
  ['schema_linking', 'source_schema_registry: {hostname: "http://h/x", port: 1}', /hostname: is not a name or an address of a host/],
  ['schema_linking', 'source_schema_registry: {hostname: h, port: 1}\ncontext_type: CUSTOM', /context: is required with context_type CUSTOM/],
  ['schema_linking', 'source_schema_registry: {hostname: h, port: 1}\ncontext: .a', /context: is required with context_type CUSTOM/],
  ['data_lake', globals,                                  /tables: is missing$/],
  ['data_lake', globals + tables('a').replace('name: shop', 'name: shp'), /tables\[0\]\.source_cluster_name: is none of source_clusters$/],
  ['data_lake', globals.replace('destination', '  - { name: shop, bootstrap_brokers: [{ hostname: h, port: 1 }] }\ndestination') + tables('a'), /^line 5, column 13: source_clusters\[1\]\.name: is there twice$/],
  ['data_lake', globals + tables('a').replace('hour', 'hourly'), /partitioning_scheme: is none of none, hour, day, month; did you mean hour\?$/],
];

for (const [type, yaml, message] of mistakes) {
  test(`${type}: ${JSON.stringify(yaml.slice(0, 50))} is refused: ${message.source}`, () =>
    assert.match(refusal(type, { yaml }), message));
}

test('a value is never repeated, since it may be a secret', () => {
  const secret = 'hunter2hunter2';
  for (const yaml of [
    `input: ${secret}\noutput: {}`,
    orbit.replace('plain', secret),
    orbit.replace('9092', secret),
  ])
    assert.ok(!refusal(yaml.startsWith('input') ? 'bento' : 'orbit', { yaml }).includes(secret));
});

const parts = [
  { name: 'globals', yaml: globals },
  { name: 'shop/orders', yaml: tables('orders') },
  { name: 'shop/refunds', yaml: `destination_bucket_url:\n${tables('refunds')}` },
];

test('parts become one configuration that can be parsed again', () => {
  const merged = checked('data_lake', { parts });
  assert.deepEqual(merged.parts, parts);
  const reading = readYaml(merged.yaml);
  assert.ok('value' in reading);
  const plain = plainValueOf(reading.value) as Map<string, Map<string, unknown>[]>;
  assert.deepEqual([...plain.keys()], ['source_clusters', 'destination_bucket_url', 'tables']);
  assert.deepEqual(
    plain.get('tables')!.map((table) => table.get('source_topic')),
    ['orders', 'refunds'],
  );
  assert.deepEqual(checked('data_lake', { yaml: merged.yaml }), { yaml: merged.yaml });
});

const [first, second] = [parts[0]!, parts[1]!];
const wrongParts: [what: string, type: PipelineType, parts: typeof parts, message: RegExp][] = [
  [
    'parts of another type',
    'bento',
    parts,
    /^a bento pipeline has its configuration in one piece; give configuration_yaml$/,
  ],
  ['two parts of one name', 'data_lake', [first, first], /^there are two parts globals$/],
  [
    'a key in two parts',
    'data_lake',
    [first, { name: 'b', yaml: 'destination_bucket_url: x' }],
    /^part b: line 1, column 1: destination_bucket_url: is already in the part globals$/,
  ],
  [
    'an unknown field of a part',
    'data_lake',
    [first, { name: 'b', yaml: 'a:\ntable: []' }],
    /^part b: line 1, column 1: unknown field "a".*; line 2, column 1: unknown field "table"; did you mean tables\?$/,
  ],
  ['a part that is no YAML', 'data_lake', [first, { name: 'b', yaml: '[' }], /^part b: line 1, column \d/],
  ['what no part has', 'data_lake', [first], /^all parts together: tables: is missing$/],
  [
    'a name that no part has',
    'data_lake',
    [first, { ...second, yaml: second.yaml.replace('shop', 'x') }],
    /^part shop\/orders: line 3, column 26: tables\[0\]\.source_cluster_name: is none of source_clusters$/,
  ],
  [
    'long parts',
    'data_lake',
    Array.from({ length: 3 }, (_, n) => ({
      name: `p${n}`,
      yaml: `# ${'x'.repeat(apiLimits.pipelineConfigurationBytesMax / 2)}`,
    })),
    /^all parts together: have more than 131072 bytes$/,
  ],
  [
    'parts that grow by aliases',
    'data_lake',
    [
      first,
      {
        name: 'b',
        yaml: `tables:\n  - &t { source_cluster_name: shop, source_topic: x, input_schema: "${'x'.repeat(3_000)}" }\n${'  - *t\n'.repeat(90)}`,
      },
    ],
    /^all parts together: have more than 131072 bytes$/,
  ],
];

for (const [what, type, some, message] of wrongParts) {
  test(`${what}: refused`, () => assert.match(refusal(type, { parts: some }), message));
}

test('what works and is not advisable is a warning', () => {
  assert.deepEqual(
    configurationWarnings('bento', bento).map(({ message }) => message),
    ['http has no effect: the operator sets it', 'tracer has no effect: there is no tracing in this release'],
  );
  assert.deepEqual(configurationWarnings('orbit', bento), []);
  assert.deepEqual(configurationWarnings('bento', '['), []);
});
