import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameInCatalog } from './catalog-fields.ts';
import { readDefinitions } from './read-definitions.ts';

function reading(catalog: string, topics: readonly string[] = ['orders'], ofTable = '') {
  const tables = topics.map(
    (topic) => `  - source_cluster_name: shop
    source_topic: ${topic}
    input_schema: '{"type":"object","properties":{"id":{"type":"long"}}}'
${ofTable}`,
  );
  return readDefinitions(`source_clusters: [{ name: shop, bootstrap_brokers: [{ hostname: h, port: 1 }] }]
catalog: ${catalog}
tables:
${tables.join('')}`);
}

test('what a catalog is', () => {
  const place = { namespace: ['default'], authorities: undefined };
  const rest = { ...place, kind: 'rest', uri: 'https://c/api', warehouse: undefined };
  const credential = (variable: string) => ({ variable });
  const oauth = { type: 'oauth2', clientId: 'id', tokenUrl: undefined, scope: undefined };
  // biome-ignore format: a table
  const cases: [catalog: string, settings: object | undefined][] = [
    ['{ type: bucket }', undefined],
    ['{ type: rest, uri: https://c/api }', { ...rest, auth: { type: 'none' } }],
    ['{ type: rest, uri: https://c/api, warehouse: w, namespace: a.b }', { ...rest, warehouse: 'w', namespace: ['a', 'b'], auth: { type: 'none' } }],
    ['{ type: rest, uri: https://c/api, token_env: T }', { ...rest, auth: { type: 'bearer', token: credential('T') } }],
    [`{ type: rest, uri: https://c/api, token: "\${secret:t}" }`, { ...rest, auth: { type: 'bearer', token: credential(`\${secret:t}`) } }],
    ['{ type: rest, uri: https://c/api, client_id: id, client_secret_env: S }', { ...rest, auth: { ...oauth, clientSecret: credential('S') } }],
    [`{ type: rest, uri: https://c/api, client_id: id, client_secret: "\${secret:s}", oauth_token_url: https://t/x, oauth_scope: all }`, { ...rest, auth: { ...oauth, clientSecret: credential(`\${secret:s}`), tokenUrl: 'https://t/x', scope: 'all' } }],
    ['{ type: rest, uri: https://c/api, sigv4_service: glue, region: eu-west-1 }', { ...rest, auth: { type: 'sigv4', service: 'glue', region: 'eu-west-1' } }],
    ['{ type: rest, uri: https://c/api, tls_ca_cert_env: CA }', { ...rest, authorities: credential('CA'), auth: { type: 'none' } }],
    ['{ type: glue, region: eu-west-1, namespace: shop }', { ...place, kind: 'glue', region: 'eu-west-1', namespace: ['shop'], catalogId: undefined, endpoint: undefined }],
  ];
  for (const [catalog, settings] of cases) {
    const found = reading(catalog);
    assert.ok('definitions' in found, JSON.stringify(found));
    const [{ catalog: actual } = { catalog: undefined }] = found.definitions;
    const { digest, ...rest } = actual ?? { digest: '00000000' };
    assert.match(digest, /^[0-9a-f]{8}$/);
    assert.deepEqual(actual === undefined ? undefined : rest, settings, catalog);
  }
});

test('what is wrong with one is said with its line', () => {
  // biome-ignore format: a table
  const cases: [catalog: string, problem: RegExp][] = [
    ['{ type: hive }', /^catalog\.type: is none of bucket, rest, glue$/],
    ['{ type: rest }', /^catalog: has no uri; give the address of the catalog$/],
    ['{ type: rest, uri: "https://u:p@c/" }', /^catalog\.uri: is not an http:\/\/ or https:\/\/ URL without credentials/],
    ['{ type: rest, uri: https://c, region: eu-west-1 }', /^catalog: has one of sigv4_service and region/],
    ['{ type: rest, uri: https://c, sigv4_service: glue, region: EU }', /^catalog\.region: is not a region of AWS/],
    ['{ type: rest, uri: https://c, client_id: a }', /^catalog: has one of client_id and its secret/],
    ['{ type: rest, uri: https://c, client_secret_env: a }', /^catalog: has one of client_id and its secret/],
    ['{ type: rest, uri: https://c, client_id: a, client_secret: plain }', /^catalog\.client_secret: is no reference to a secret, such as \$\{secret:NAME\}$/],
    [`{ type: rest, uri: https://c, token: "\${secret:t}", token_env: T }`, /^catalog\.token: stands beside token_env/],
    ['{ type: rest, uri: https://c, token_env: T, client_id: a, client_secret_env: S }', /^catalog: has several logins/],
    ['{ type: rest, uri: https://c, oauth_scope: s }', /^catalog\.oauth_scope: is used with client_id only$/],
    ['{ type: rest, uri: https://c, catalog_id: "1" }', /^catalog\.catalog_id: is not used with type rest$/],
    ['{ type: rest, uri: https://c, namespace: a..b }', /^catalog\.namespace: is not up to 10 names/],
    ['{ type: glue, namespace: shop }', /^catalog: has no region/],
    ['{ type: glue, region: eu-west-1 }', /^catalog: has no namespace; give the name of a database of Glue$/],
    ['{ type: glue, region: eu-west-1, namespace: Shop }', /^catalog\.namespace: is not the name of a database of Glue/],
    ['{ type: glue, region: eu-west-1, namespace: shop, uri: https://c }', /^catalog\.uri: is not used with type glue$/],
    ['{ type: bucket, namespace: shop }', /^catalog\.namespace: is not used with type bucket$/],
  ];
  for (const [catalog, problem] of cases) {
    const found = reading(catalog);
    assert.ok('problems' in found, catalog);
    assert.match(found.problems[0]!.message, problem);
    assert.equal(found.problems[0]!.place.line, 2, catalog);
  }
});

test('a table may have another catalog than the others, or none', () => {
  const common = '{ type: rest, uri: https://c }';
  const one = reading(common, ['orders'], '    catalog: { type: bucket }\n');
  assert.ok('definitions' in one && one.definitions[0]!.catalog === undefined);
  const wrong = reading(common, ['orders'], '    catalog: { type: glue, region: r }\n');
  assert.ok('problems' in wrong);
  assert.match(wrong.problems[0]!.message, /^tables\[0\]\.catalog: has no namespace/);
});

test('tables of one name in their catalog are refused', () => {
  const glue = '{ type: glue, region: eu-west-1, namespace: shop }';
  const rest = '{ type: rest, uri: https://c }';
  for (const topics of [
    ['a.b', 'a-b'],
    ['Orders', 'orders'],
    ['orders', 'Orders-_dlq'],
  ]) {
    const found = reading(glue, topics);
    assert.ok('problems' in found, topics.join());
    assert.match(
      found.problems[0]!.message,
      /^tables\[1\]\.source_topic: has the name shop__\w+ in its catalog, as tables\[0\] has$/,
    );
    assert.ok('definitions' in reading(rest, topics), 'other catalogs distinguish them');
  }
  assert.equal(nameInCatalog({ kind: 'glue' }, 'Shop__a.b-c_1'), 'shop__a_b_c_1');
  assert.equal(nameInCatalog({ kind: 'rest' }, 'Shop__a.b-c_1'), 'Shop__a.b-c_1');
});

test('another login is the same catalog, another place is not', () => {
  const digest = (catalog: string) => {
    const found = reading(catalog);
    assert.ok('definitions' in found);
    return found.definitions[0]!.catalog!.digest;
  };
  const one = digest('{ type: rest, uri: https://c, token_env: T }');
  assert.equal(digest('{ type: rest, uri: https://c, namespace: default, token_env: U }'), one);
  for (const more of ['warehouse: w', 'namespace: n'])
    assert.notEqual(digest(`{ type: rest, uri: https://c, ${more} }`), one);
});
