import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfiguration } from './read-configuration.ts';

const minimal = `source_bootstrap_brokers: [{hostname: old-kafka, port: 9092}]
topic_mappings: [{source_regex: 'orders.*'}]
`;

function read(yaml: string) {
  const reading = readConfiguration(yaml);
  assert.ok('configuration' in reading, JSON.stringify(reading));
  return reading.configuration;
}

test('a short configuration has the defaults', () => {
  const { mappings, ...rest } = read(minimal);
  assert.deepEqual(rest, {
    brokers: [{ hostname: 'old-kafka', port: 9092 }],
    credentials: undefined,
    copiesClusterConfiguration: false,
    copiesAcls: false,
    groups: { copiesOffsets: true, destinationPrefix: '' },
    fetchConcurrency: 2,
    fetchBytesMax: 104_857_600,
    partitionBytesMax: 52_428_800,
    fetchBytesPerSecond: undefined,
  });
  const [{ matches, cost, ...mapping }] = mappings as [(typeof mappings)[number]];
  assert.ok(matches('orders.eu') && !matches('my-orders') && cost > 0, 'the whole name is matched');
  assert.deepEqual(mapping, {
    sourceRegex: 'orders.*',
    destinationPrefix: '',
    beginsAtEnd: false,
    isHandedOver: false,
    followsDeletions: false,
    autoMigration: { isEnabled: false, timeoutMs: 600_000 },
  });
});

test('a long configuration is read as it is', () => {
  const configuration = read(`
source_bootstrap_brokers:
  - {hostname: b-1.example, port: 9094}
  - {hostname: b-2.example, port: 9094}
source_cluster_credentials:
  sasl_mechanism: scram-512
  sasl_username_env: SASL_USERNAME
  sasl_password_env: SASL_PASSWORD
  use_tls: true
  tls_ca_cert_env: CA
  mtls_client_cert_env: CERT
  mtls_client_key_env: KEY
topic_mappings:
  - {source_regex: orders, destination_prefix: old., begin_fetch_at_latest_offset: true, follow_topic_deletions: true}
  - {source_regex: done, irreversible_disable_orbit_management: true}
  - {source_regex: '.*', auto_migration: {enabled: true, timeout: 90s}}
cluster_config: {copy_source_cluster_configuration: true}
acls: {copy_enabled: true}
consumer_groups: {copy_offsets_enabled: false, destination_group_prefix: old-}
service:
  cluster_fetch_concurrency: 8
  fetch_config: {fetch_max_bytes: 1048576, fetch_max_partition_bytes: 65536, fetch_max_bytes_per_second: 8000000}
`);
  const variable = (name: string) => ({ kind: 'variable', name });
  assert.deepEqual(configuration.credentials, {
    mechanism: 'scram-512',
    username: variable('ORBIT_SASL_USERNAME'),
    password: variable('ORBIT_SASL_PASSWORD'),
    sessionToken: undefined,
    awsRegion: undefined,
    usesTls: true,
    skipsVerification: false,
    trustedCertificates: variable('ORBIT_CA'),
    clientCertificate: variable('ORBIT_CERT'),
    clientKey: variable('ORBIT_KEY'),
  });
  const [orders, done, all] = configuration.mappings;
  assert.deepEqual(
    [orders!.destinationPrefix, orders!.beginsAtEnd, orders!.followsDeletions, done!.isHandedOver],
    ['old.', true, true, true],
  );
  assert.deepEqual(all!.autoMigration, { isEnabled: true, timeoutMs: 90_000 });
  assert.deepEqual(
    [configuration.copiesClusterConfiguration, configuration.copiesAcls, configuration.groups],
    [true, true, { copiesOffsets: false, destinationPrefix: 'old-' }],
  );
  assert.deepEqual(
    [configuration.fetchConcurrency, configuration.fetchBytesMax, configuration.partitionBytesMax],
    [8, 1_048_576, 65_536],
  );
  assert.equal(configuration.fetchBytesPerSecond, 8_000_000);
});

const login = (fields: string) => `${minimal}source_cluster_credentials: {${fields}}\n`;
const mapping = (fields: string) =>
  `source_bootstrap_brokers: [{hostname: h, port: 1}]\ntopic_mappings:\n  - {source_regex: a${fields}}\n`;
const mappings = (...expressions: readonly string[]) =>
  `source_bootstrap_brokers: [{hostname: h, port: 1}]\ntopic_mappings:\n${expressions.map((one) => `  - source_regex: '${one}'\n`).join('')}`;
const service = (fields: string) => `${minimal}service: {${fields}}\n`;
const both = 'sasl_username_env: U, sasl_password_env: P';

// biome-ignore format: a table
const problems: readonly [yaml: string, at: string, message: RegExp][] = [
  ['topic_mappings: [{source_regex: a}]',                                    'topic_mappings',  /^source_bootstrap_brokers: is missing/],
  [`${minimal}sorce: 1\n`,                                                   'sorce',  /unknown field "sorce"/],
  [`${minimal}acls: {copy_enabled: yes please}\n`,                           'yes please', /^acls\.copy_enabled: /],
  [mappings('a', 'b(', 'c'),                                                 '\'b(\'', /^topic_mappings\[1\]\.source_regex: is no regular expression: .*missing closing \)/],
  [mappings('(?<=a)b'),                                                      '\'(?<=a)b\'', /^topic_mappings\[0\]\.source_regex: is no regular expression/],
  [mappings('((a{9}){9}){999}'),                                             '\'((a{9}', /^topic_mappings\[0\]\.source_regex: is no regular expression/],
  [mappings('a', 'b', 'a'),                                                  '\'a\'', /^topic_mappings\[2\]\.source_regex: is that of topic_mappings\[0\], which matches first$/],
  [mappings('a', '.*', 'b'),                                                 '\'b\'', /^topic_mappings\[2\]\.source_regex: is never reached: topic_mappings\[1\] matches every topic; put it last$/],
  [mapping(', destination_prefix: "a b"'),                                   '"a b"', /^topic_mappings\[0\]\.destination_prefix: is not up to 200 letters/],
  [mapping(', auto_migration: {enabled: true, timeout: 5}'),                 '5}', /^topic_mappings\[0\]\.auto_migration\.timeout: /],
  [mapping(', auto_migration: {enabled: true, timeout: 5s}'),                '5s}', /timeout: is not a duration from 10s to /],
  [mapping(', auto_migration: {timeout: 5m}'),                               '5m}', /timeout: has no effect without enabled: true/],
  [mapping(', irreversible_disable_orbit_management: true, auto_migration: {enabled: true}'), 'true, auto', /cannot be combined with auto_migration/],
  [login('sasl_username_env: U'),                                            'U}', /sasl_username_env: needs both sasl_username_env and sasl_password_env/],
  [login('sasl_mechanism: plain'),                                           'plain}', /sasl_mechanism: needs both/],
  [login('sasl_mechanism: gssapi'),                                          'gssapi}', /sasl_mechanism: is none of plain/],
  [login('sasl_username_env: "a b", sasl_password_env: P'),                  '"a b"', /sasl_username_env: is not the name of an environment variable/],
  [login('sasl_username_env: ORBIT_U, sasl_password_env: P'),                'ORBIT_U', /sasl_username_env: begins with ORBIT_, which agents add themselves: write U$/],
  [login('sasl_username: me, sasl_password: hunter2'),                       'hunter2', /sasl_password: is not a reference to a secret/],
  [login(`${both}, sasl_password: "\${secret:pw}"`),                         `"\${secret:pw}"`, /sasl_password: is given in two ways, also by sasl_password_env/],
  [login(`sasl_mechanism: oauthbearer, ${both}`),                            'U, sasl', /is not used by oauthbearer/],
  [login('sasl_mechanism: oauthbearer'),                                     'oauthbearer}', /needs a token: sasl_password_env/],
  [login(`sasl_mechanism: aws-msk-iam, ${both}`),                            'aws-msk-iam, sasl', /needs use_tls: true/],
  [login('sasl_mechanism: aws-msk-iam, sasl_username_env: U, use_tls: true'), 'aws-msk-iam, sasl', /needs both an access key id/],
  [login(`${both}, aws_region: eu-west-1`),                                  'eu-west-1', /is used with sasl_mechanism aws-msk-iam only/],
  [login('use_tls: true, mtls_client_cert_env: C'),                          'C}', /needs both mtls_client_cert_env and mtls_client_key_env/],
  [login('tls_ca_cert_env: C'),                                              'C}', /tls_ca_cert_env: has no effect without use_tls: true/],
  [login('tls_insecure_skip_verify: true'),                                  'true}', /has no effect without use_tls: true/],
  [service('cluster_fetch_concurrency: 1001'),                               '1001}', /is more than 1000/],
  [service('fetch_config: {fetch_max_bytes: 5}'),                            '5}', /is not from 65536 to 268435456/],
  [service('fetch_config: {fetch_max_bytes_per_second: 130000}'),            '130000}', /is not from 131072, 65536 for each of 2 fetches, to 1099511627776/],
  [service('fetch_config: {fetch_max_bytes: 70000, fetch_max_partition_bytes: 80000}'), '80000}', /is more than fetch_max_bytes, 70000/],
];

for (const [yaml, at, message] of problems)
  test(`${yaml.split('\n').slice(-2, -1)[0] || yaml}: ${message.source}`, () => {
    const reading = readConfiguration(yaml);
    assert.ok('problems' in reading);
    assert.equal(reading.problems.length, 1, JSON.stringify(reading.problems));
    const [problem] = reading.problems;
    assert.match(problem!.message, message);
    const { line, column } = problem!.place;
    const text = yaml.split('\n')[line - 1]!.slice(column - 1);
    assert.ok(text.startsWith(at), text);
  });

test('all problems are found at once', () => {
  const reading = readConfiguration(
    `${mappings('a(', 'b)')}source_cluster_credentials: {tls_ca_cert_env: ORBIT_C}\n`,
  );
  assert.ok('problems' in reading);
  assert.equal(reading.problems.length, 4);
});

test('named secrets are kept as references', () => {
  const { credentials } = read(login(`sasl_username: me, sasl_password: "\${secret:pw}"`));
  assert.deepEqual(
    [credentials!.mechanism, credentials!.username, credentials!.password],
    ['plain', { kind: 'text', text: 'me' }, { kind: 'text', text: `\${secret:pw}` }],
  );
});
