import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiLimits } from '@weir/api/limits';
import { maskedYaml, withStoredSecrets } from './masked-yaml.ts';

const stored = `# a comment, kept
input:
  http_client: # password: old-secret
    url: https://user:hunter2@api.example/v1
    basic_auth: { username: app, password: 'p:#w' }
    headers: {Authorization: Bearer abcdefghij}
pipeline: {processors: [{mapping: 'root = this.redact("***")'}]}
output:
  broker:
    outputs:
      - aws_s3: { bucket: one, credentials: {id: A, secret: s-one} }
      - aws_s3: { bucket: two, credentials: {id: A, secret: s-two} }
  tls:
    client_key_env: WEIR_PIPELINE_KEY
    private_key: |
      -----BEGIN KEY-----
      abc
    root: x
shared: &s hidden-by-alias
password: *s
api_key: 12345
`;
const secrets = /hunter2|old-secret|p:#w|abcdefghij|s-one|s-two|BEGIN|hidden-by-alias|12345/;

test('secrets are masked where they stand, and all else stays as it was written', () => {
  const masked = maskedYaml(stored);
  assert.doesNotMatch(masked, secrets);
  assert.match(masked, /^# a comment, kept\n/);
  assert.match(
    masked,
    /url: "https:\/\/\*\*\*@api\.example\/v1"\n {4}basic_auth: \{ username: app, password: "\*\*\*" \}/,
  );
  assert.match(masked, /root = this\.redact\("\*\*\*"\)/);
  assert.match(masked, /client_key_env: WEIR_PIPELINE_KEY\n {4}private_key: "\*\*\*"\n {4}root: x\n/);
  assert.equal(maskedYaml(masked), masked);
});

test('a configuration that is sent back as it was shown has the secrets of the stored one', () => {
  const back = withStoredSecrets(maskedYaml(stored), stored);
  for (const secret of [
    'https://user:hunter2@api.example/v1',
    'p:#w',
    'Bearer abcdefghij',
    's-one',
    's-two',
    '12345',
  ])
    assert.ok(back.includes(JSON.stringify(secret)), secret);
  assert.ok(back.includes(JSON.stringify('-----BEGIN KEY-----\nabc\n')));
  assert.doesNotMatch(back, /password: "\*\*\*"/);
});

test('a new secret replaces the stored one, and other settings may change with masks in place', () => {
  const masked = maskedYaml(stored);
  const changed = masked
    .replace('password: "***"', 'password: fresh')
    .replace('username: app', 'username: other');
  const back = withStoredSecrets(changed, stored);
  assert.match(back, /username: other, password: fresh/);
  assert.match(back, /"s-one"/);
});

test('a secret stays with its item of a list', () => {
  const masked = maskedYaml(stored);
  const [one, two] = ['one', 'two'].map(
    (bucket) => masked.split('\n').find((line) => line.includes(`bucket: ${bucket}`))!,
  );
  const swapped = masked.replace(one!, 'X').replace(two!, one!).replace('X', two!);
  const back = withStoredSecrets(swapped, stored);
  assert.match(back, /bucket: one, credentials: \{id: "?A"?, secret: "s-one"\}/);
  assert.match(back, /bucket: two, credentials: \{id: "?A"?, secret: "s-two"\}/);
  assert.throws(
    () => withStoredSecrets(masked.replace('bucket: one', 'bucket: mine'), stored),
    /secret: is \*\*\*/,
  );
});

const byDefinition = `input:
  mqtt:
    urls: [tcp://sensor-one:1883, tcp://sensor-two:1883]
    topics: [t]
  processors:
    - cached: {cache: c, key: k, processors: [{redis: {url: 'redis://cache-host:6379', command: get}}]}
output:
  broker:
    outputs:
      - gcp_cloud_storage: {bucket: b, credentials_json: '{"planted": "one"}'}
      - http_client: {url: https://api.example, tls: {enabled: true, client_certs: [{cert: shown, key: planted-key}]}}
cache_resources:
  - label: c
    redis: {url: 'redis://resource-host:6379'}
`;

test('fields that are defined as secret are masked, whatever their names are, and come back in order', () => {
  const masked = maskedYaml(byDefinition);
  assert.doesNotMatch(masked, /sensor|cache-host|resource-host|planted/);
  assert.match(masked, /topics: \[t\]/);
  assert.match(masked, /cert: shown, key: "\*\*\*"/);
  const back = withStoredSecrets(masked, byDefinition);
  assert.match(back, /urls: \["tcp:\/\/sensor-one:1883", "tcp:\/\/sensor-two:1883"\]/);
  assert.match(back, /"redis:\/\/cache-host:6379"/);
  const moved = masked.replace('urls: ["***", "***"]', 'urls: [tcp://attacker.example:1883]');
  assert.throws(() => withStoredSecrets(moved, byDefinition), /the address changed/);
});

test('a mask that stands for nothing is refused', () => {
  assert.throws(() => withStoredSecrets('output: {x: {password: "***"}}\n', undefined), {
    code: 'invalid_pipeline_configuration',
    message: 'output.x.password: is ***, but no secret is stored for it; enter the secret',
  });
  assert.equal(withStoredSecrets('a: "***"\n', undefined), 'a: "***"\n');
});

test('secrets are not taken over to another address', () => {
  const masked = maskedYaml(stored);
  for (const moved of [
    masked.replace('api.example', 'attacker.example'),
    masked.replace('output:', 'error_handling: {http: {url: "https://attacker.example"}}\noutput:'),
    masked.replace('output:', 'x: {addresses: ["attacker.example:9092"]}\noutput:'),
  ])
    assert.throws(() => withStoredSecrets(moved, stored), /enter the secrets .* again|is \*\*\*/);
});

test('texts of the greatest length are masked in steps in proportion to it', () => {
  for (const piece of [
    '://a:',
    'password',
    'pass=',
    '# password: x\n',
    'bearer ',
    'a: {password: ',
    '- ',
    '[',
  ])
    maskedYaml(piece.repeat(Math.floor(apiLimits.pipelineConfigurationBytesMax / piece.length)));
});
