/** The tools against a Weir cluster that requires logins and enforces ACLs. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { KafkaConnection } from '@weir/client';
import { systemClock } from '@weir/core';
import { apis } from '@weir/wire';
import { startLocalCluster } from '../../testing/local-cluster.ts';

const credentials = [
  { name: 'ccn_root', username: 'root', password: 'root secret', superuser: true },
  { name: 'ccn_alice', username: 'alice', password: 'alice secret', superuser: false },
];

async function securedCluster(t: TestContext, flags: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-secured-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'credentials.json');
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
  const { port, weir } = await startLocalCluster(t, [
    '-requireSASLAuthentication',
    '-saslCredentialsFile',
    file,
    ...flags,
  ]);
  const as = (user: string) => (line: string) =>
    weir(line, { environment: { SERVICE_USERNAME: user, SERVICE_PASSWORD: `${user} secret` } });
  return { port, stranger: (line: string) => weir(line), root: as('root'), alice: as('alice') };
}

test('both password mechanisms log in, and anonymous clients get advice', async (t) => {
  const { stranger, root, alice } = await securedCluster(t);
  assert.equal((await root('cli create-topic -topic orders')).status, 0);
  for (const mechanism of ['PLAIN', 'SCRAM-SHA-512']) {
    const listed = await alice(`cli list-topics -sasl-mechanism ${mechanism}`);
    assert.deepEqual([listed.status, listed.err], [0, ''], mechanism);
    assert.match(listed.out, /\norders /);
    const wrong = await stranger(
      `cli list-topics -username alice -password hunter2 -sasl-mechanism ${mechanism}`,
    );
    assert.equal(wrong.status, 1);
    assert.match(wrong.err, new RegExp(`${mechanism} authentication failed: .*; check -username and -pass`));
  }
  assert.match(
    (await stranger('cli list-topics')).err,
    /the broker probably requires authentication: -username and -password/,
  );
  const diagnosis = await stranger('cli diagnose-connection');
  assert.equal(diagnosis.status, 1);
  assert.match(diagnosis.out, /FAILED +SASL +the broker requires SASL and enables PLAIN, SCRAM-SHA-512\n/);
  const unable = await stranger('cli diagnose-connection -oauth-token eyJ.e30.x');
  assert.match(unable.out, /FAILED +SASL +the mechanism OAUTHBEARER is not enabled\n/);
});

test('ACLs that the tools create are enforced, and a denial is reported', async (t) => {
  const { root, alice } = await securedCluster(t);
  const open = await root('cli diagnose-connection');
  assert.match(open.out, /NOTE +Cluster access +all operations are allowed: ACLs are not enforced\n/);
  assert.match(
    open.out,
    /enforce them with weir cli alter-broker-configs -config service\.acls\.enabled=true/,
  );
  for (const line of [
    'cli create-topic -topic orders',
    'cli create-acls -resource-type TOPIC -resource-name orders -principal User:alice -operation READ,DESCRIBE',
    'cli create-acls -resource-type GROUP -resource-name team- -pattern-type PREFIXED -principal User:* -operation READ',
    'cli alter-broker-configs -config service.acls.enabled=true',
  ]) {
    const { status, err } = await root(line);
    const isAcl = line.startsWith('cli create-acls');
    assert.equal(status, 0, err);
    assert.match(
      err,
      isAcl
        ? /warning: the cluster does not enforce ACLs; enforce them with weir cli alter-broker-configs /
        : /^$/,
    );
  }
  const enforced = await root(
    'cli create-acls -resource-type TOPIC -resource-name a -principal User:b -operation READ',
  );
  assert.deepEqual([enforced.status, enforced.err], [0, '']);
  assert.match(
    (await root('cli diagnose-connection')).out,
    /OK +Cluster access +all operations are allowed\n/,
  );
  assert.equal((await alice('cli fetch -topic orders')).status, 0);
  const denied = await alice('cli produce -topic orders -records a');
  assert.equal(denied.status, 1);
  assert.match(denied.err, /TOPIC_AUTHORIZATION_FAILED/);
  assert.match((await alice('cli describe-acls')).err, /: ACLs: CLUSTER_AUTHORIZATION_FAILED: /);

  const allowed = await alice('cli diagnose-connection -topic orders -group team-a');
  assert.equal(allowed.status, 0, allowed.out);
  assert.match(allowed.out, /NOTE +Cluster access +allowed: none; denied: CREATE, /);
  assert.match(allowed.out, /NOTE +Topic access +topic orders: allowed: READ, DESCRIBE; denied: WRITE, /);
  const other = await alice('cli diagnose-connection -topic orders -group others');
  assert.equal(other.status, 1);
  assert.match(other.out, /FAILED +Coordinator +group coordinator: GROUP_AUTHORIZATION_FAILED: /);

  assert.match(
    (await root('cli describe-acls -resource-type GROUP')).out,
    /\nGROUP +team- +PREFIXED +User:\* +\* +READ +ALLOW\n$/,
  );
  assert.match((await root('cli delete-acls -operation READ')).out, /\ndeleted 3 ACLs\n$/);
  assert.match(
    (await root('cli describe-acls')).out,
    /\nTOPIC +orders +LITERAL +User:alice +\* +DESCRIBE +ALLOW\n$/,
  );
});

test('a login by password is renewed on the same connection', async (t) => {
  const lifetimeMs = 3_600_000;
  const { port } = await securedCluster(t, ['-connectionsMaxReauthMs', String(lifetimeMs)]);
  for (const mechanism of ['PLAIN', 'SCRAM-SHA-512'] as const) {
    let aheadMs = 0;
    const connection = await KafkaConnection.open({
      address: { host: 'localhost', port },
      clientId: 'test',
      timeoutMs: 10_000,
      // The client's clock is ahead, so that it renews its login well before the cluster expects it to.
      clock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs },
      stop: new AbortController().signal,
      login: { mechanism, username: 'root', password: 'root secret' },
    });
    for (let round = 0; round < 3; round++) {
      aheadMs += lifetimeMs;
      const { brokers } = await connection.request(apis.Metadata, { topics: [] }, { timeoutMs: 10_000 });
      assert.equal(brokers.length, 1);
    }
    connection.close();
  }
});
