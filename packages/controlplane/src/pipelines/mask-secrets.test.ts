import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { mask, maskedValue } from './mask-secrets.ts';

// biome-ignore format: a table
const cases: [keys: string, value: string, shown: string][] = [
  // Values that are not secret stay.
  ['input.kafka_franz.topics',         'orders, refunds',                     'orders, refunds'],
  ['output.kafka_franz.key',           `\${! json("customer_id") }`,           `\${! json("customer_id") }`],
  ['destination_bucket_url',           's3://lake/path@2x?region=us-east-1',  's3://lake/path@2x?region=us-east-1'],
  ['input.http_client.url',            'https://host:8443/a?page=2',          'https://host:8443/a?page=2'],
  ['input.kafka.sasl.user',            'shop',                                'shop'],
  ['pipeline.processors.mapping',      'root = this.without("card")',         'root = this.without("card")'],
  // By the name of its key, or of a parent key.
  ['input.kafka.sasl.password',        'hunter2',                             '***'],
  ['output.http_client.oauth2.client_secret', 'hunter2',                      '***'],
  ['storage_access_key',               'hunter2',                             '***'],
  ['headers.Authorization',            'hunter2',                             '***'],
  ['headers.X-Api-Key',                'hunter2',                             '***'],
  ['headers.clientToken',              'hunter2',                             '***'],
  ['input.nats.auth.user_jwt',         'hunter2',                             '***'],
  ['input.nats.auth.user_nkey_seed',   'hunter2',                             '***'],
  ['db_pwd',                           'hunter2',                             '***'],
  ['secrets.first',                    'hunter2',                             '***'],
  ['credentials',                      'hunter2',                             '***'],
  ['credentials.id',                   'AKIA',                                'AKIA'],
  // Names of variables, which do not contain the secret.
  ['sasl_password_env',                'SASL_PASSWORD',                       'SASL_PASSWORD'],
  ['sasl_password_env',                'hunter2',                             '***'],
  ['password',                         `\${DB_PASSWORD}`,                      `\${DB_PASSWORD}`],
  ['password',                         `\${DB_PASSWORD:hunter2}`,              '***'],
  // References to secrets, too.
  ['password',                         `\${secret:db}`,                        `\${secret:db}`],
  ['password',                         `\${secret:db} hunter2`,                '***'],
  // Inside texts.
  ['url',                              'postgres://shop:hunter2@host/db',     'postgres://***@host/db'],
  ['url',                              'postgres://shop:hun/t@er2@host/db',   'postgres://***@host/db'],
  ['url',                              'https://hunter2@host/db',             'https://***@host/db'],
  ['urls',                             'a://u:hunter2@b, c://u:hunter2@d',    'a://***@b, c://***@d'],
  ['url',                              'https://host/?sig=hunter2&page=2',    'https://host/?sig=***&page=2'],
  ['url',                              'https://host/?X-Amz-Signature=hunter2', 'https://host/?X-Amz-Signature=***'],
  ['value',                            'AccountName=a;AccountKey=hunter2;b=c', 'AccountName=a;AccountKey=***;b=c'],
  ['value',                            'Bearer hunter2hunter2',               'Bearer ***'],
  ['mapping',                          'root.password = "hunter2 hunter2"',   'root.password = ***'],
  ['mapping',                          '{"api_key": "hunter2"}',              '{"api_key": ***}'],
  ['value',                            'x -----BEGIN PRIVATE KEY----- y',     '***'],
  ['value',                            'aks_0123456789abcdef',                '***'],
];

for (const [keys, value, shown] of cases) {
  test(`${keys}: ${value} is shown as ${shown}`, () =>
    assert.equal(maskedValue(keys.split('.'), value), shown));
}

test('no password of a URL is shown, however long the text is', () => {
  const sign = fc.constantFrom(...'abcXYZ0189!$%^&*()-_=+[]{}|/?.~:#');
  const password = fc.string({ unit: sign, minLength: 8, maxLength: 6_000 });
  fc.assert(
    fc.property(password, fc.constantFrom('', 'see ', 'x'.repeat(3_000)), (secret, before) => {
      const shown = maskedValue(['url'], `${before}amqp://user:s${secret}s@host:5672/path`);
      assert.ok(!shown.includes(`s${secret}`.slice(0, 9)), shown.slice(0, 200));
      if (secret.length < 500) assert.ok(shown.includes(mask));
    }),
  );
});
