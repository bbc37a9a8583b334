import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinationOptions, InvalidDestination } from './destination-options.ts';

const url = 'https://other:8081/base';
const user = { kind: 'basic', username: 'me', password: 'a:b' };

test('the settings of Confluent clients are read', () => {
  const rows: readonly (readonly [
    Record<string, string>,
    ReturnType<typeof destinationOptions>['credentials'],
  ])[] = [
    [{}, undefined],
    [{ 'basic.auth.credentials.source': 'USER_INFO', 'basic.auth.user.info': 'me:a:b' }, user as never],
    [{ 'basic.auth.user.info': 'me:a:b' }, user as never],
    [{ 'schema.registry.basic.auth.user.info': 'me:a:b' }, user as never],
    [
      { 'bearer.auth.credentials.source': 'STATIC_TOKEN', 'bearer.auth.token': 't' },
      { kind: 'bearer', token: 't' },
    ],
    [{ 'schema.registry.url': 'https://me:a%3Ab@other:8081/base' }, user as never],
    [
      { 'basic.auth.credentials.source': 'url', 'schema.registry.url': 'https://me:a%3Ab@other:8081/base' },
      user as never,
    ],
    // Without effect on what is reached, and how.
    [
      { 'max.retries': '3', 'http.connect.timeout.ms': '1', 'ssl.protocol': 'TLSv1.3', 'proxy.host': '' },
      undefined,
    ],
  ];
  for (const [settings, credentials] of rows) {
    const options = destinationOptions({ 'schema.registry.url': url, ...settings });
    assert.deepEqual(options.credentials, credentials, JSON.stringify(settings));
    assert.equal(options.urls, url);
    assert.equal(options.tls, undefined);
  }
  const { tls } = destinationOptions({
    'schema.registry.url': url,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.certificates': 'CA',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.certificate.chain': 'CERT',
    'ssl.keystore.key': 'KEY',
    'ssl.endpoint.identification.algorithm': 'HTTPS',
  });
  assert.deepEqual(tls, { ca: 'CA', clientCertificate: 'CERT', clientKey: 'KEY' });
});

test('what would be done in another way is refused in one line that has no secret', () => {
  const rows: readonly Record<string, string>[] = [
    { 'schema.registry.url': '' },
    { 'schema.registry.url': 'file:///etc/passwd' },
    { 'schema.registry.url': 'http://me:%ff@other' },
    { 'schema.registry.url': 'http://other?x=hush' },
    { 'schema.registry.url': Array.from({ length: 20 }, () => url).join() },
    { 'basic.auth.credentials.source': 'SASL_INHERIT' },
    { 'basic.auth.credentials.source': 'USER_INFO' },
    { 'basic.auth.credentials.source': 'URL' },
    { 'basic.auth.user.info': 'hush' },
    { 'basic.auth.credentials.source': 'URL', 'bearer.auth.credentials.source': 'STATIC_TOKEN' },
    { 'bearer.auth.credentials.source': 'STATIC_TOKEN' },
    { 'bearer.auth.credentials.source': 'OAUTHBEARER' },
    { 'bearer.auth.client.secret': 'hush' },
    { 'sasl.jaas.config': 'hush' },
    { 'proxy.host': 'proxy' },
    { 'ssl.truststore.location': '/etc/truststore.jks' },
    { 'ssl.truststore.type': 'JKS' },
    { 'ssl.key.password': 'hush' },
    { 'ssl.keystore.key': 'hush' },
    { 'ssl.endpoint.identification.algorithm': 'none' },
    { 'schema.registry.ssl.truststore.password': 'hush' },
  ];
  for (const settings of rows)
    assert.throws(
      () => destinationOptions({ 'schema.registry.url': url, ...settings }),
      (error) => {
        assert.ok(error instanceof InvalidDestination, JSON.stringify(settings));
        assert.doesNotMatch(error.message, /\n/);
        if (!('schema.registry.url' in settings)) assert.doesNotMatch(error.message, /hush/);
        return true;
      },
    );
});
