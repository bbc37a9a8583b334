import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TableDefinition } from '../table-definition.ts';
import { readDefinitions } from './read-definitions.ts';

const sources = `source_clusters:
  - name: shop
    bootstrap_brokers: [{ hostname: broker-1, port: 9092 }]
`;
const table = (fields: string) => `${sources}tables:
  - source_cluster_name: shop
    source_topic: orders
${fields}`;
const schema =
  '    input_schema: \'{"properties":{"id":{"type":"string"},"at":{"type":"string","format":"date-time"},"tags":{"type":"array","items":{"type":"string"}},"n":{"type":"number"},"user":{"properties":{"age":{"type":"integer"}}}}}\'\n';

function problemsOf(yaml: string): string[] {
  const reading = readDefinitions(yaml);
  if ('definitions' in reading) return [];
  return reading.problems.map(({ place: { line, column }, message }) => `${line}:${column} ${message}`);
}

async function onlyDefinition(yaml: string): Promise<TableDefinition> {
  const reading = readDefinitions(yaml);
  assert.ok('definitions' in reading, JSON.stringify(reading));
  return await reading.definitions[0]!.resolve({ openRegistry: () => assert.fail('no registry is needed') });
}

test('a table has its defaults, and ends with the columns of its records', async () => {
  const { openRows: _, columns, ...rest } = await onlyDefinition(table(schema));
  assert.deepEqual(rest, {
    name: 'shop__orders',
    source: { name: 'shop', brokers: [{ hostname: 'broker-1', port: 9092 }], credentials: undefined },
    topic: 'orders',
    format: 'json',
    partitionBy: [],
    deadLetters: { mode: 'skip', retentionMs: undefined },
    retentionMs: undefined,
    commitIntervalMs: 60_000,
    compression: 'zstd',
    catalog: undefined,
    destinationBucketUrl: undefined,
  });
  assert.deepEqual(
    columns.columns.map(({ name }) => name),
    ['id', 'at', 'tags', 'n', 'user', 'kafka_partition', 'kafka_offset', 'kafka_timestamp'],
  );
  const ids = columns.columns.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test('all fields of a table', async () => {
  const definition = await onlyDefinition(`source_clusters:
  - name: shop
    bootstrap_brokers: [{ hostname: broker-1, port: 9092 }]
    credentials:
      sasl_username_env: WEIR_PIPELINE_U
      sasl_password_env: WEIR_PIPELINE_P
      sasl_mechanism: scram-512
      use_tls: true
      tls_ca_cert_env: WEIR_PIPELINE_CA
destination_bucket_url: s3://lake?region=us-east-1
tables:
  - source_cluster_name: shop
    source_topic: orders
    source_format: json
    wire_format: raw
    schema_mode: inline
    input_schema: '{"properties":{"id":{"type":"string"},"user":{"properties":{"age":{"type":"integer"}}}}}'
    transforms: [{ transform_type: bento, transform: 'root.id = this.id.uppercase()' }]
    partition_by: [day(kafka_timestamp), 'bucket[16](id)', 'truncate(10, user.age)', id]
    compression: snappy
    commit_interval: 10s
    dlq_mode: keep
    dlq_keep_settings: { retention: 2w }
    retention: 90d
`);
  assert.deepEqual(definition.source.credentials, {
    mechanism: 'scram-512',
    username: { variable: 'WEIR_PIPELINE_U' },
    password: { variable: 'WEIR_PIPELINE_P' },
    usesTls: true,
    isInsecure: false,
    trustedCertificates: { variable: 'WEIR_PIPELINE_CA' },
    clientCertificate: undefined,
    clientKey: undefined,
  });
  assert.deepEqual(definition.partitionBy, [
    { column: 'kafka_timestamp', transform: 'day' },
    { column: 'id', transform: 'bucket[16]' },
    { column: 'user.age', transform: 'truncate[10]' },
    { column: 'id', transform: 'identity' },
  ]);
  assert.equal(definition.compression, 'snappy');
  assert.equal(definition.commitIntervalMs, 10_000);
  assert.deepEqual(definition.deadLetters, { mode: 'keep', retentionMs: 14 * 86_400_000 });
  assert.equal(definition.retentionMs, 90 * 86_400_000);
  assert.equal(definition.destinationBucketUrl, 's3://lake?region=us-east-1');
});

test('a scheme partitions by the time of records; kept records stay a week', async () => {
  const definition = await onlyDefinition(
    table(`${schema}    partitioning_scheme: hour\n    dlq_mode: keep\n`),
  );
  assert.deepEqual(definition.partitionBy, [{ column: 'kafka_timestamp', transform: 'hour' }]);
  assert.equal(definition.deadLetters.retentionMs, 7 * 86_400_000);
});

const at = 'tables[0]';
// biome-ignore format: a table
const wrong: readonly [what: string, yaml: string, problems: readonly string[]][] = [
  ['no YAML', '[', ['1:2 Flow sequence must end with a ]']],
  ['an unknown field', table(`${schema}    retension: 1d\n`), [`8:5 ${at}: unknown field "retension"; did you mean retention?`]],
  ['a unit that is none', table(`${schema}    retention: 99 parsecs\n`), [`8:16 ${at}.retention: is not a duration such as 7d, 2w, 12h, 30m or 10s`]],
  ['no unit', table(`${schema}    retention: '7'\n`), [`8:16 ${at}.retention: is not a duration such as 7d, 2w, 12h, 30m or 10s`]],
  ['a unit of kept records', table(`${schema}    dlq_mode: keep\n    dlq_keep_settings: { retention: 99 parsecs }\n`), [`9:37 ${at}.dlq_keep_settings.retention: is not a duration such as 7d, 2w, 12h, 30m or 10s`]],
  ['kept records that are not kept', table(`${schema}    dlq_keep_settings: { retention: 2w }\n`), [`8:24 ${at}.dlq_keep_settings: is used with dlq_mode keep, and it is skip`]],
  ['a commit each moment', table(`${schema}    commit_interval: 10ms\n`), [`8:22 ${at}.commit_interval: is not from 1s to 1h`]],
  ['a commit each day', table(`${schema}    commit_interval: 1d\n`), [`8:22 ${at}.commit_interval: is not from 1s to 1h`]],
  ['an unknown compression', table(`${schema}    compression: zst\n`), [`8:18 ${at}.compression: is none of zstd, snappy, gzip, none; did you mean zstd?`]],
  ['no schema', table(''), [`5:5 ${at}: has no input_schema, which says what its columns are`]],
  ['no schema of Avro', table('    source_format: avro\n    schema: { fields: [{ name: a, type: int }] }\n'), [`5:5 ${at}: has no input_schema, and avro cannot be read without one`]],
  ['two schemas', table(`${schema}    schema: { fields: [{ name: a, type: int }] }\n`), [`8:13 ${at}.schema: stands beside input_schema; JSON needs one of them`]],
  ['a registry without its URL', table('    schema_mode: registry\n'), [`5:5 ${at}: has schema_mode registry and no schema_registry_url; give the URL of the registry`]],
  ['a registry that is none', table('    schema_registry_url: ftp://x\n'), [`7:26 ${at}.schema_registry_url: is not an http:// or https:// URL without credentials, a query or a fragment`]],
  ['a registry and a schema', table(`${schema}    schema_registry_url: http://sr.example\n`), [`7:19 ${at}.input_schema: stands beside schema_mode registry, where schemas come from the registry`]],
  ['a registry that is not used', table(`${schema}    schema_mode: inline\n    schema_registry_url: http://sr.example\n`), [`9:26 ${at}.schema_registry_url: is used with schema_mode registry only`]],
  ['raw records of a registry', table('    schema_registry_url: http://sr.example\n    wire_format: raw\n'), [`8:18 ${at}.wire_format: is raw, and with schema_mode registry records name their schema`]],
  ['half of a login', table('    schema_registry_url: http://sr.example\n    basic_auth_username_env: U\n'), [`5:5 ${at}: has one of basic_auth_username_env and basic_auth_password_env; give both or none`]],
  ['a message of JSON', table(`${schema}    message_name: A\n`), [`8:19 ${at}.message_name: is used with source_format protobuf only`]],
  ['two ways to partition', table(`${schema}    partitioning_scheme: day\n    partition_by: [id]\n`), [`9:19 ${at}.partition_by: stands beside partitioning_scheme; give one of them`]],
  ['an unknown column', table(`${schema}    partition_by: [day(at), country]\n`), [`8:29 ${at}.partition_by[1]: names the column country, which the schema does not have`]],
  ['a list', table(`${schema}    partition_by: [tags]\n`), [`8:20 ${at}.partition_by[0]: names the column tags, which is a list; only single values can be partitioned by`]],
  ['in a list', table(`${schema}    partition_by: [tags.element]\n`), [`8:20 ${at}.partition_by[0]: names the column tags.element, which is in a list or map`]],
  ['a transform of another type', table(`${schema}    partition_by: [day(id)]\n`), [`8:20 ${at}.partition_by[0]: cannot be made of id, which is a string`]],
  ['an unknown transform', table(`${schema}    partition_by: [week(at)]\n`), [`8:20 ${at}.partition_by[0]: has the transform week; there are year, month, day, hour, bucket[N], truncate[N] and identity`]],
  ['no buckets', table(`${schema}    partition_by: ['bucket[0](id)']\n`), [`8:20 ${at}.partition_by[0]: bucket[0]: must be at least 1 and at most 2147483647`]],
  ['half of a transform', table(`${schema}    partition_by: ['day(at']\n`), [`8:20 ${at}.partition_by[0]: is no column and no transform of one, such as day(kafka_timestamp)`]],
  ['doubles', table(`${schema}    partition_by: [n]\n`), [`8:20 ${at}.partition_by[0]: names the column n, which is a double; rows would be in as many partitions as there are values`]],
  ['twice the same', table(`${schema}    partition_by: [id, id]\n`), [`8:24 ${at}.partition_by[1]: is there twice`]],
  ['a mapping that does not compile', table(`${schema}    transforms:\n      - transform_type: bento\n        transform: |\n          root.a = this.a\n          root.b = = 1\n`), [`12:20 ${at}.transforms[0].transform: expected query, got: = 1\\n`]],
  ['a mapping that is not pure', table(`${schema}    transforms:\n      - transform_type: bento\n        transform: |\n          root.a = now()\n`), [`11:20 ${at}.transforms[0].transform: unrecognised function 'now'`]],
  ['a schema that is no JSON', table('    input_schema: |\n      {\n        "type": object\n      }\n'), [`9:17 ${at}.input_schema: the schema is not valid JSON: expected a JSON value`]],
  ['a schema of Avro that is none', table('    source_format: avro\n    input_schema: |\n      {"type": "record",\n       "name": "A" "fields": []}\n'), [`10:20 ${at}.input_schema: the schema is not valid JSON: expected "," or "}"`]],
  ['a schema of Avro without sense', table(`    source_format: avro\n    input_schema: '{"type":"record","name":"A","fields":[{"name":"a","type":"b"}]}'\n`), [`8:19 ${at}.input_schema: at /fields/0/type: unknown type "b"; define it in the schema or add a reference to it`]],
  ['a union', table(`    source_format: avro\n    input_schema: '{"type":"record","name":"A","fields":[{"name":"a","type":["null","int","string"]}]}'\n`), [`8:19 ${at}.input_schema: a: is a union of 2 types that are not null; a column has one type`]],
  ['a .proto that is none', table('    source_format: protobuf\n    input_schema: |\n      syntax = "proto3";\n      message A {\n        int32 a = ;\n      }\n'), [`11:19 ${at}.input_schema: expected the number of a field, found ";"`]],
  ['an unknown message', table('    source_format: protobuf\n    message_name: B\n    input_schema: |\n      syntax = "proto3";\n      message A { int32 a = 1; }\n'), [`8:19 ${at}.message_name: declares no message B; it has A`]],
  ['a column that all tables have', table(`    input_schema: '{"properties":{"kafka_offset":{"type":"string"}}}'\n`), [`7:19 ${at}.input_schema: kafka_offset: is a column that every table has; rename it`]],
  ['listed columns of no type', table('    schema:\n      fields:\n        - { name: a, type: int }\n        - { name: a, type: int }\n'), [`10:19 ${at}.schema.fields[1].name: is there twice`]],
  ['listed columns of an unknown type', table('    schema: { fields: [{ name: a, type: blob }] }\n'), [`7:41 ${at}.schema.fields[0].type: unknown type "blob"; format version 2 has boolean, int, long, float, double, date, time, timestamp, timestamptz, string, uuid, binary, fixed[L], decimal(P, S)`]],
  ['a bucket of an unknown scheme', table(`${schema}    destination_bucket_url: ftp://lake\n`), [`8:29 ${at}.destination_bucket_url: is not the URL of a bucket, such as s3://lake?region=us-east-1`]],
  ['a bucket of all tables that is none', `destination_bucket_url: lake\n${table(schema)}`, ['1:25 destination_bucket_url: is not the URL of a bucket, such as s3://lake?region=us-east-1']],
  ['a topic that is none', `${sources}tables:\n  - source_cluster_name: shop\n    source_topic: a/b\n${schema}`, [`6:19 ${at}.source_topic: is not the name of a topic: up to 249 letters, digits, dots, underscores and hyphens`]],
  ['two tables of a topic', `${table(schema)}  - source_cluster_name: shop\n    source_topic: orders\n${schema}`, ['9:19 tables[1].source_topic: is the table shop__orders, as tables[0] is']],
  ['a table and its failed records', `${table(schema)}  - source_cluster_name: shop\n    source_topic: orders__dlq\n${schema}`, ['9:19 tables[1].source_topic: is the table shop__orders__dlq, which keeps the failed records of another table']],
  ['an unknown source', table(schema).replace('source_cluster_name: shop', 'source_cluster_name: ship'), [`5:26 ${at}.source_cluster_name: is none of source_clusters`]],
];

for (const [what, yaml, problems] of wrong)
  test(`${what}: refused with its place`, () => assert.deepEqual(problemsOf(yaml), problems));

test('a text that many tables share is parsed once', () => {
  const columns = Array.from({ length: 1000 }, (_, n) => `"column_${n}":{"type":"string"}`).join(',');
  const tables = Array.from(
    { length: 90 },
    (_, n) =>
      `  - { source_cluster_name: shop, source_topic: t${n}, input_schema: *s, partition_by: [column_9] }\n`,
  );
  const yaml = `${sources}tables:\n  - source_cluster_name: shop\n    source_topic: t\n    input_schema: &s '{"properties":{${columns}}}'\n${tables.join('')}`;
  const reading = readDefinitions(yaml);
  assert.ok('definitions' in reading, JSON.stringify(reading).slice(0, 500));
  assert.equal(reading.definitions.length, 91);
});

test('the configuration of the guide is one', async () => {
  const guide = readFileSync(new URL('../../../../docs/guides/tables.md', import.meta.url), 'utf8');
  const [, yaml] = /```yaml\n(source_clusters:.*?)```/s.exec(guide) ?? [];
  const definition = await onlyDefinition(yaml!);
  assert.equal(definition.name, 'shop__orders');
  assert.deepEqual(definition.partitionBy, [{ column: 'ordered_at', transform: 'day' }]);
});
