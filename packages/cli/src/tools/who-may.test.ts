import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startLocalCluster } from '../../testing/local-cluster.ts';
import { startTestApi } from '../../testing/test-api.ts';

const rules = [
  '-resource-type TOPIC -resource-name orders -principal User:alice -operation READ',
  '-resource-type TOPIC -resource-name ord -pattern-type PREFIXED -principal User:bob -operation ALL',
  '-resource-type TOPIC -resource-name orders -principal User:bob -operation DELETE -permission DENY',
  '-resource-type TOPIC -resource-name * -principal User:* -operation DESCRIBE',
  '-resource-type TOPIC -resource-name orders -principal User:carol -operation WRITE -host 10.0.0.7',
  '-resource-type GROUP -resource-name billing -principal User:alice -operation READ',
  '-resource-type CLUSTER -principal User:alice -operation ALTER',
  '-resource-type TRANSACTIONAL_ID -resource-name tx -principal User:spiffe://mesh/* -operation WRITE',
];

const spaces = (text: string) => text.replaceAll(/ {2,}/g, '  ');

test('each principal is shown with what it may do, and the rule that decides', async (t) => {
  const { weir } = await startLocalCluster(t);
  for (const rule of rules) assert.equal((await weir(`cli create-acls ${rule}`)).status, 0, rule);
  const { status, out, err } = await weir('cli who-may -topic orders -operation READ,WRITE,DELETE,DESCRIBE');
  assert.deepEqual([status, err], [0, '']);
  assert.equal(
    spaces(out),
    [
      'TOPIC orders: ACLs are not enforced; this is what they would decide; enforce them with weir cli alter-broker-configs -config ' +
        'service.acls.enabled=true',
      'the credentials are unknown: superusers are allowed everything, and rules may name a credential by its username; set -api-url and -api-key to include both',
      'PRINCIPAL  MAY  OPERATIONS  WHY',
      'User:alice  yes  READ,DESCRIBE  ALLOW User:alice READ TOPIC orders',
      'User:alice  no  WRITE,DELETE  no rule: denied',
      'User:bob  yes  READ,WRITE,DESCRIBE  ALLOW User:bob ALL TOPIC ord...',
      'User:bob  no  DELETE  DENY User:bob DELETE TOPIC orders',
      'User:carol  no  READ,DELETE  no rule: denied',
      'User:carol  no  WRITE  no rule: denied; but from 10.0.0.7',
      'User:carol  yes  DESCRIBE  ALLOW User:* DESCRIBE TOPIC *',
      'all others  no  READ,WRITE,DELETE  no rule: denied',
      'all others  yes  DESCRIBE  ALLOW User:* DESCRIBE TOPIC *',
      '',
    ].join('\n'),
  );
});

test('the question may name principals, a host and other resources', async (t) => {
  const { weir } = await startLocalCluster(t);
  for (const rule of rules) await weir(`cli create-acls ${rule}`);
  const cases: readonly [flags: string, rows: readonly string[]][] = [
    [
      '-topic orders -operation WRITE -principal User:carol -host 10.0.0.7',
      ['User:carol  yes  WRITE  ALLOW User:carol WRITE TOPIC orders from 10.0.0.7'],
    ],
    [
      '-topic orders -operation WRITE -principal User:dave,User:bob',
      ['User:dave  no  WRITE  no rule: denied', 'User:bob  yes  WRITE  ALLOW User:bob ALL TOPIC ord...'],
    ],
    [
      '-group billing -principal User:alice',
      [
        'User:alice  yes  READ,DESCRIBE  ALLOW User:alice READ GROUP billing',
        'User:alice  no  DELETE,DESCRIBE_CONFIGS,ALTER_CONFIGS  no rule: denied',
      ],
    ],
    [
      '-whole-cluster -operation ALTER',
      [
        'User:alice  yes  ALTER  ALLOW User:alice ALTER CLUSTER kafka-cluster',
        'all others  no  ALTER  no rule: denied',
      ],
    ],
    [
      '-transactional-id tx -operation WRITE -principal User:spiffe://mesh/shop',
      ['User:spiffe://mesh/shop  yes  WRITE  ALLOW User:spiffe://mesh/* WRITE TRANSACTIONAL_ID tx'],
    ],
    ['-topic quiet -operation WRITE', ['all others  no  WRITE  no rule: denied']],
  ];
  for (const [flags, rows] of cases) {
    const { out, err } = await weir(`cli who-may ${flags}`);
    assert.equal(err, '');
    assert.deepEqual(spaces(out).trimEnd().split('\n').slice(3), rows, flags);
  }
});

test('superusers and the names of credentials come from the API', async (t) => {
  const { weir } = await startLocalCluster(t);
  const api = await startTestApi(t);
  const { virtual_cluster_id: id } = await api.client.call('create_virtual_cluster', {
    virtual_cluster_name: 'shop',
    virtual_cluster_type: 'byoc',
    virtual_cluster_region: 'us-east-1',
    virtual_cluster_cloud_provider: 'aws',
  });
  for (const [credentials_name, is_cluster_superuser] of [
    ['root', true],
    ['alice', false],
  ] as const)
    await api.client.call('create_virtual_cluster_credentials', {
      virtual_cluster_id: id,
      credentials_name,
      is_cluster_superuser,
    });
  await weir(`cli create-acls ${rules[0]}`);
  const flags = `-topic orders -operation READ,WRITE -api-url ${api.url} -api-key ${api.key} -cluster ${id}`;
  const { out, err } = await weir(`cli who-may ${flags}`);
  assert.equal(err, '');
  assert.deepEqual(spaces(out).trimEnd().split('\n').slice(2), [
    'User:alice  yes  READ  ALLOW User:alice READ TOPIC orders',
    'User:alice  no  WRITE  no rule: denied',
    'User:root  yes  READ,WRITE  superuser: ACLs do not apply',
    'all others  no  READ,WRITE  no rule: denied',
  ]);
  const json = JSON.parse((await weir(`cli who-may ${flags} -principal User:root -output json`)).out);
  assert.deepEqual(
    [json.areSuperusersKnown, json.areAclsEnforced, json.principals[0].isSuperuser],
    [true, false, true],
  );
  assert.deepEqual(json.principals[0].operations[1], {
    operation: 'WRITE',
    isAllowed: true,
    rule: null,
    otherHosts: [],
  });
});

test('where ACLs are enforced, who may not see them is refused in one line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-who-may-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'credentials.json');
  const credentials = ['root', 'alice'].map((user) => ({
    name: `ccn_${user}`,
    username: user,
    password: 'secret',
    superuser: user === 'root',
  }));
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
  const { weir } = await startLocalCluster(t, ['-requireSASLAuthentication', '-saslCredentialsFile', file]);
  const as = (user: string, line: string) => weir(`${line} -username ${user} -password secret`);
  await as('root', 'cli alter-broker-configs -config service.acls.enabled=true');
  assert.match((await as('root', 'cli who-may -topic orders')).out, /^TOPIC orders: ACLs are enforced\n/);
  const refused = await as('alice', 'cli who-may -topic orders');
  assert.equal(refused.status, 1);
  assert.match(refused.err, /^weir cli who-may: ACLs: CLUSTER_AUTHORIZATION_FAILED: .*\n$/);
});

test('a mistake is one line', async (t) => {
  const { weir } = await startLocalCluster(t);
  const cases: readonly [flags: string, err: RegExp][] = [
    ['', /-topic is required, or -group, -transactional-id or -whole-cluster\n$/],
    ['-topic a -group b', /-topic=a with -group=b: set one resource\n$/],
    ['-group a -operation WRITE', /-operation=WRITE: the operations of a GROUP are READ, DELETE, /],
    ['-topic a -api-url http://localhost:1', /-api-key is required with -api-url\n$/],
    ['-topic a -cluster b', /-cluster=b: needs -api-url/],
  ];
  for (const [flags, err] of cases) {
    const found = await weir(`cli who-may ${flags}`);
    assert.deepEqual([found.status, found.out], [2, ''], flags);
    assert.match(found.err, err);
  }
});
