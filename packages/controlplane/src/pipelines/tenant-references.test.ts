import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PipelineType } from '@weir/api';
import { AllowedHosts, TenantVariables, usualTenantAccess } from '@weir/cluster/outbound';
import { readYaml } from '@weir/pipelines/yaml';
import { configurationProblems } from './check-configuration.ts';
import { tenantReferenceProblems } from './tenant-references.ts';

const variable = 'names a variable that configurations may not read';
const address = 'is an address that Weir may not connect to';

const linking = (fields: string, hostname = 'a.example') =>
  `source_schema_registry: {hostname: "${hostname}", port: 8081${fields}}\n`;
const orbit = (rest: string, hostname = 'a.example') =>
  `source_bootstrap_brokers: [{hostname: "${hostname}", port: 9092}]\n${rest}topic_mappings: [{source_regex: a}]\n`;
const lake = (table: string, rest = '') =>
  `source_clusters: [{name: a, bootstrap_brokers: [{hostname: a.example, port: 1}]${rest}}]\n` +
  `tables: [{source_cluster_name: a, source_topic: t, schema: {fields: [{name: id, type: string}]}${table}}]\n`;
const bento = (input: string) => `input: ${input}\noutput: {drop: {}}\n`;

// biome-ignore format: a table
const cases: readonly [type: PipelineType, yaml: string, problem: string | undefined][] = [
  ['schema_linking', linking(', basic_auth_username_env: WEIR_PIPELINE_U'),              undefined],
  ['schema_linking', linking(', basic_auth_username_env: SERVICE_AGENT_KEY'),            `source_schema_registry.basic_auth_username_env: ${variable}`],
  ['schema_linking', linking(', basic_auth_password_env: AWS_SECRET_ACCESS_KEY'),        `source_schema_registry.basic_auth_password_env: ${variable}`],
  ['schema_linking', linking('', '127.0.0.1'),                                           `source_schema_registry.hostname: ${address}`],
  ['schema_linking', linking('', '169.254.169.254'),                                     `source_schema_registry.hostname: ${address}`],
  ['schema_linking', linking('', 'localhost'),                                           `source_schema_registry.hostname: ${address}`],
  ['schema_linking', linking(`, basic_auth_username: me, basic_auth_password: "\${secret:known}"`), undefined],
  ['schema_linking', linking(`, basic_auth_username: "\${secret:known}"`),               undefined],
  ['schema_linking', linking(`, basic_auth_password: "\${secret:other}"`),               'source_schema_registry.basic_auth_password: refers to the secret other, which does not exist in the cluster'],
  ['schema_linking', linking(', basic_auth_password: hunter2'),                          'source_schema_registry.basic_auth_password: is not a reference to a secret'],
  ['schema_linking', linking(`, basic_auth_password: "x\${secret:known}"`),              'source_schema_registry.basic_auth_password: is not a reference to a secret'],
  ['schema_linking', linking(`, basic_auth_password: "\${secret:known}", basic_auth_password_env: WEIR_PIPELINE_P`), 'source_schema_registry.basic_auth_password: is given in two ways'],
  ['schema_linking', linking(', basic_auth_username: me, basic_auth_username_env: WEIR_PIPELINE_U'), 'source_schema_registry.basic_auth_username: is given in two ways'],
  ['schema_linking', linking('', `\${secret:known}`),                                    'source_schema_registry.hostname: is not a name or an address'],
  ['bento',          bento(`{http_client: {headers: {Authorization: "Bearer \${secret:known}"}}}`), undefined],
  ['bento',          bento(`{http_client: {headers: {Authorization: "Bearer \${secret:no}"}}}`), 'input.http_client.headers.Authorization: refers to the secret no, which does not exist in the cluster'],
  ['bento',          bento(`{generate: {mapping: "\${ secret : known }"}}`),             'input.generate.mapping: has a reference to a secret that is not of the form'],
  ['bento',          bento(`{generate: {mapping: "\${secret}"}}`),                       `input.generate.mapping: ${variable}`],
  ['bento',          bento(`{"\${secret:known}": {}}`),                                  'input: has a reference to a secret in the name of a field'],
  ['bento',          bento(`{generate: {args: [${`"\${secret:known}",`.repeat(65)}]}}`), 'has more than 64 references to secrets'],
  ['orbit',          orbit('source_cluster_credentials: {sasl_username_env: USER, sasl_password_env: SERVICE_AGENT_KEY}\n'), undefined],
  ['orbit',          orbit(`source_cluster_credentials: {sasl_username: me, sasl_password: "\${secret:other}"}\n`), 'source_cluster_credentials.sasl_password: refers to the secret other, which does not exist in the cluster'],
  ['orbit',          orbit('source_cluster_credentials: {sasl_password_env: "a b"}\n'),  'source_cluster_credentials.sasl_password_env: is not the name of an environment variable'],
  ['orbit',          orbit('', '10.0.0.1'),                                              `source_bootstrap_brokers[0].hostname: ${address}`],
  ['data_lake',      lake(', basic_auth_password_env: SECRET'),                          `tables[0].basic_auth_password_env: ${variable}`],
  ['data_lake',      lake('', ', credentials: {tls_ca_cert_env: CA}'),                   `source_clusters[0].credentials.tls_ca_cert_env: ${variable}`],
  ['data_lake',      lake(', schema_registry_url: "http://u:p@192.168.0.1:8081/a"'),     `tables[0].schema_registry_url: ${address}`],
  ['data_lake',      lake(', schema_registry_url: "http://[::1]/"'),                     `tables[0].schema_registry_url: ${address}`],
  ['data_lake',      lake(', schema_registry_url: "https://sr.example"'),                undefined],
  ['data_lake',      lake(', destination_bucket_url: "s3://bucket?region=eu-west-1"'),        undefined],
  ['data_lake',      lake(', destination_bucket_url: "s3://bucket?region=r&endpoint=http://127.0.0.1:1"'), `tables[0].destination_bucket_url: ${address}`],
  ['data_lake',      lake(', destination_bucket_url: "s3://bucket?region=eu-west-1&assumeRoleARN=arn:aws:iam::123456789012:role/x"'), 'tables[0].destination_bucket_url: names a role; roles are chosen by the operator of the agents'],
  ['data_lake',      lake(', destination_bucket_url: "file:///etc"'),                    'tables[0].destination_bucket_url: is not a bucket that a configuration may name; use s3://, gs:// or azblob://'],
  ['data_lake',      lake(', destination_bucket_url: "postgres://h/db"'),                'tables[0].destination_bucket_url: is not a bucket that a configuration may name; use s3://, gs:// or azblob://'],
  ['bento',          bento(`{generate: {mapping: "\${WEIR_PIPELINE_A}"}}`),               undefined],
  ['bento',          bento(`{generate: {mapping: "\${SERVICE_AGENT_KEY}"}}`),             `input.generate.mapping: ${variable}`],
  ['bento',          bento(`{generate: {mapping: "a \${ X:default }"}}`),                 `input.generate.mapping: ${variable}`],
  ['bento',          bento(`{generate: {mapping: "\${{X}} \${! json() }"}}`),              undefined],
  ['bento',          bento(`{"\${X}": {}}`),                                              `input: ${variable}`],
  ['bento',          bento("{generate: {mapping: 'root = env(\"SERVICE_AGENT_KEY\")'}}"), `input.generate.mapping: ${variable}`],
  ['bento',          bento("{generate: {mapping: 'root = env(this.name)'}}"),            'input.generate.mapping: computes the name of a variable; write the name itself'],
  ['bento',          bento("{generate: {mapping: 'root = env(\"WEIR_PIPELINE_A\")'}}"),  undefined],
  ['bento',          bento('{http_client: {url: "http://169.254.169.254/latest"}}'),     `input.http_client.url: ${address}`],
  ['bento',          bento('{redis: {urls: ["tcp://localhost:6379"]}}'),                 `input.redis.urls[0]: ${address}`],
  ['bento',          bento('{kafka: {addresses: ["a.example:9092", "127.0.0.1:9092"]}}'), `input.kafka.addresses[1]: ${address}`],
  ['bento',          bento('{kafka_franz: {seed_brokers: ["a.example:9092,10.0.0.1:1"]}}'), `input.kafka_franz.seed_brokers[0]: ${address}`],
];

const rules = { ...usualTenantAccess, secretNames: new Set(['known']) };

/** Whatever components this release has. */
function referenceProblems(yaml: string) {
  const reading = readYaml(yaml);
  assert.ok('value' in reading);
  return tenantReferenceProblems(reading.value, rules);
}

for (const [type, yaml, problem] of cases) {
  test(`${type}: ${yaml.replaceAll('\n', ' ')}`, () => {
    const [first] = type === 'bento' ? referenceProblems(yaml) : configurationProblems(type, yaml, rules);
    if (problem === undefined) assert.equal(first, undefined);
    else assert.equal(first?.message.startsWith(problem), true, first?.message ?? 'no problem');
  });
}

test('what the operator lists is accepted', () => {
  const access = {
    hosts: new AllowedHosts(['loopback', '10.0.0.0/8:9092']),
    variables: new TenantVariables({}, ['REGISTRY_USER']),
  };
  const yaml = linking(', basic_auth_username_env: REGISTRY_USER', '127.0.0.1');
  assert.deepEqual(configurationProblems('schema_linking', yaml, access), []);
  assert.deepEqual(configurationProblems('orbit', orbit('', '10.0.0.1'), access), []);
  assert.equal(configurationProblems('schema_linking', linking('', '10.0.0.1'), access).length, 1);
});

test('texts made of beginnings of references take steps in proportion to their length', () => {
  for (const piece of [
    '$'.concat('{'),
    '$'.concat('{A'),
    '$'.concat('{secret:'),
    'env(',
    'env("',
    'http://',
    'a://b',
    '@',
    ':',
  ]) {
    const yaml = bento(`{generate: {mapping: '${piece.repeat(Math.floor(60_000 / piece.length))}'}}`);
    assert.ok(Array.isArray(configurationProblems('bento', yaml, usualTenantAccess)));
  }
});
