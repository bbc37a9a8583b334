import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CredentialToPut,
  credentialSpellings,
  readScramCredential,
  type ScramCredential,
} from '@weir/cluster';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { ClusterMachine } from '../machine.ts';
import { listCredentials } from './credentials.ts';

const secret: ScramCredential = {
  iterations: 8192,
  salt: Buffer.from('salt'),
  storedKey: Buffer.alloc(64, 1),
  serverKey: Buffer.alloc(64, 2),
};

interface CredentialOptions extends Partial<CredentialToPut> {
  readonly username: string;
}

function credentialOf(options: CredentialOptions): CredentialToPut {
  const { username } = options;
  return {
    id: `cci_${username.replaceAll(/\W/g, '')}`,
    name: `ccn_${username.replaceAll(/\W/g, '')}`,
    isSuperuser: false,
    isFromFile: false,
    password: secret,
    ...options,
  };
}

function put(cluster: Cluster, ...requests: CredentialOptions[]): string[] {
  const credentials = requests.map(credentialOf);
  const results = cluster.execute({ kind: 'putCredentials', credentials });
  return results.map(({ error, message }) => (message === null ? error : `${error}: ${message}`));
}

function remove(cluster: Cluster, ...usernames: string[]): string[] {
  return cluster.execute({ kind: 'deleteCredentials', usernames }).map(({ error }) => error);
}

function setPassword(cluster: Cluster, user: string, credential: ScramCredential | null): string {
  return cluster.execute({ kind: 'alterScramCredentials', changes: [{ user, credential }] })[0]!.error;
}

/** `username name`, and non-default properties. */
function known(cluster: Cluster): string[] {
  return listCredentials(cluster.machine.kv, cluster.nowMs).map(
    ({ username, name, isSuperuser, isFromFile, hasPassword }) =>
      [
        `${username} ${name}`,
        ...(isSuperuser ? ['superuser'] : []),
        ...(isFromFile ? ['from a file'] : []),
        ...(hasPassword ? [] : ['no password']),
      ].join(', '),
  );
}

test('a credential and its password are created, changed and removed together', () => {
  const cluster = new Cluster();
  assert.deepEqual(put(cluster, { username: 'ccun_1', name: 'ccn_orders' }, { username: 'bob' }), [
    'NONE',
    'NONE',
  ]);
  assert.deepEqual(known(cluster), ['ccun_1 ccn_orders', 'bob ccn_bob']);
  put(cluster, { username: 'ccun_1', name: 'ccn_shop', isSuperuser: true, isFromFile: true, password: null });
  assert.deepEqual(known(cluster), ['ccun_1 ccn_shop, superuser, from a file', 'bob ccn_bob']);
  assert.deepEqual(remove(cluster, 'ccun_1', 'carol'), ['NONE', 'RESOURCE_NOT_FOUND']);
  assert.deepEqual(known(cluster), ['bob ccn_bob']);
  assert.equal(cluster.machine.kv.get('scramCredential', 'ccun_1'), undefined);
});

test('a changed credential retains its id and creation time', () => {
  const cluster = new Cluster();
  put(cluster, { username: 'a', id: 'cci_first' });
  const { nowMs } = cluster;
  cluster.nowMs += 1000;
  put(cluster, { username: 'a', id: 'cci_second', isSuperuser: true });
  const [credential] = listCredentials(cluster.machine.kv, cluster.nowMs);
  assert.deepEqual([credential!.id, credential!.createdMs], ['cci_first', nowMs]);
});

test('Kafka tools change and remove a password, and the credential stays', () => {
  const cluster = new Cluster();
  put(cluster, { username: 'a' });
  assert.equal(setPassword(cluster, 'a', { ...secret, iterations: 5000 }), 'NONE');
  assert.equal(readScramCredential(cluster.machine.kv.get('scramCredential', 'a')!).iterations, 5000);
  assert.equal(setPassword(cluster, 'a', null), 'NONE');
  assert.deepEqual(known(cluster), ['a ccn_a, no password']);
});

test('a user with only a password is not a credential, and can become one', () => {
  const cluster = new Cluster();
  setPassword(cluster, 'a', secret);
  assert.deepEqual(remove(cluster, 'a'), ['RESOURCE_NOT_FOUND']);
  assert.deepEqual(known(cluster), []);
  assert.deepEqual(put(cluster, { username: 'a', password: null }), ['NONE']);
  assert.deepEqual(known(cluster), ['a ccn_a']);
});

const refused: [what: string, options: CredentialOptions, message: RegExp][] = [
  ['no username', { username: '', name: 'ccn_x' }, /A username has 1 to/],
  ['a long username', { username: 'x'.repeat(1025) }, /A username has 1 to 1024 characters/],
  ['a line break', { username: 'a\nb' }, /control character/],
  ['the anonymous user', { username: 'ANONYMOUS', name: 'ccn_x' }, /"ANONYMOUS" is reserved/],
  ['the anonymous user as a name', { username: 'x', name: 'ccn_ANONYMOUS' }, /"ANONYMOUS" is reserved/],
  ['all users', { username: '*', id: 'cci_x', name: 'ccn_x' }, /"\*" is reserved/],
  ['an id with another prefix', { username: 'x', id: 'aki_1' }, /id of a credential is cci_/],
  ['a name without its prefix', { username: 'x', name: 'x' }, /name of a credential is ccn_/],
  ['a name that is only a prefix', { username: 'x', name: 'ccn_' }, /1 to 128/],
  ['a name with blanks', { username: 'x', name: 'ccn_a b' }, /name of a credential is ccn_/],
  [
    'a password for a certificate',
    { username: 'spiffe://d/w', name: 'ccn_w' },
    /authenticates with a certificate/,
  ],
  [
    'the name of another credential',
    { username: 'x', name: 'ccn_orders' },
    /"orders" belongs to the user "ccun_1"/,
  ],
  ['the short name of another as username', { username: 'orders', name: 'ccn_y' }, /"orders" belongs to/],
  ['the username of another as name', { username: 'x', name: 'ccn_ccun_1' }, /"ccun_1" belongs to/],
  ['a user of Kafka as name', { username: 'x', name: 'ccn_kafka' }, /"kafka" belongs to the user "kafka"/],
];

for (const [what, options, message] of refused) {
  test(`refused: ${what}`, () => {
    const cluster = new Cluster();
    put(cluster, { username: 'ccun_1', name: 'ccn_orders' });
    setPassword(cluster, 'kafka', secret);
    const before = cluster.saved();
    const [result] = put(cluster, options);
    assert.match(result!, /^INVALID_REQUEST: /);
    assert.match(result!, message);
    assert.deepEqual(cluster.saved(), before);
  });
}

test('a certificate needs no password', () => {
  const cluster = new Cluster();
  const username = 'spiffe://example.org/admin';
  assert.deepEqual(put(cluster, { username, name: 'ccn_admin', isSuperuser: true, password: null }), [
    'NONE',
  ]);
  assert.deepEqual(known(cluster), [`${username} ccn_admin, superuser, no password`]);
});

test('credentials survive a snapshot and reach agents', () => {
  const cluster = new Cluster();
  put(cluster, { username: 'a', isSuperuser: true, isFromFile: true });
  const machine = ClusterMachine.restore(cluster.saved());
  assert.deepEqual(
    listCredentials(machine.kv, cluster.nowMs),
    listCredentials(cluster.machine.kv, cluster.nowMs),
  );
  const followed = machine.snapshotForFollowers().records.map(({ namespace, key }) => `${namespace} ${key}`);
  assert.deepEqual(followed.sort(), ['credential a', 'scramCredential a']);
});

test('credentials are bounded by number, and one can replace another', () => {
  const cluster = new Cluster({ credentialsMax: 2 });
  const results = put(cluster, { username: 'a' }, { username: 'b' }, { username: 'c' });
  assert.deepEqual(results.slice(0, 2), ['NONE', 'NONE']);
  assert.match(results[2]!, /POLICY_VIOLATION: The cluster has 2 credentials/);
  assert.deepEqual(
    put(cluster, { username: 'a', isSuperuser: true }),
    ['NONE'],
    'an existing credential can be changed',
  );
  remove(cluster, 'a');
  assert.deepEqual(put(cluster, { username: 'c' }), ['NONE']);
  const few = new Cluster({ scramCredentialsMax: 1 });
  setPassword(few, 'kafka', secret);
  assert.match(put(few, { username: 'a' })[0]!, /POLICY_VIOLATION/);
  assert.deepEqual(put(few, { username: 'a', password: null }), ['NONE']);
});

test('a command that names a username twice is a mistake of the caller', () => {
  const cluster = new Cluster();
  assert.throws(() => put(cluster, { username: 'a' }, { username: 'a' }), /named twice/);
  assert.throws(() => remove(cluster, 'a', 'a'), /named twice/);
  assert.equal(cluster.journal.length, 0);
});

test('a name belongs to one user, in random runs', () => {
  const username = fc.constantFrom('a', 'b', 'ccn_a', 'ccn_b', 'ccn_ccn_a');
  const name = fc.constantFrom('ccn_a', 'ccn_b', 'ccn_ccn_a', 'ccn_ccn_b', 'ccn_c');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), username, name }),
    fc.record({ kind: fc.constant('remove' as const), username }),
    fc.record({ kind: fc.constant('password' as const), username, isSet: fc.boolean() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const cluster = new Cluster();
      for (const one of steps) {
        if (one.kind === 'put') put(cluster, { username: one.username, name: one.name });
        else if (one.kind === 'remove') remove(cluster, one.username);
        else setPassword(cluster, one.username, one.isSet ? secret : null);
        const credentials = listCredentials(cluster.machine.kv, cluster.nowMs);
        const withCredential = new Set(credentials.map((credential) => credential.username));
        const users = [...cluster.machine.kv.of('scramCredential').keys()];
        const spellings = [
          ...credentials.flatMap((credential) => credentialSpellings(credential.username, credential.name)),
          ...users.filter((user) => !withCredential.has(user)),
        ];
        assert.equal(new Set(spellings).size, spellings.length, spellings.join(' '));
      }
    }),
  );
});

test('Kafka tools cannot set the password of a superuser, which would grant its rights', () => {
  const cluster = new Cluster();
  put(cluster, { username: 'root', isSuperuser: true }, { username: 'ann' });
  const before = cluster.machine.kv.get('scramCredential', 'root');
  const other = { ...secret, storedKey: Buffer.alloc(64, 9) };
  assert.equal(setPassword(cluster, 'root', other), 'POLICY_VIOLATION');
  assert.equal(setPassword(cluster, 'root', null), 'POLICY_VIOLATION');
  assert.deepEqual(cluster.machine.kv.get('scramCredential', 'root'), before);
  assert.equal(setPassword(cluster, 'ann', other), 'NONE', 'Kafka tools can set other passwords');
  const changes = [{ user: 'root', credential: null }];
  const [result] = cluster.execute({ kind: 'alterScramCredentials', changes, by: 'owner' });
  assert.equal(result!.error, 'NONE');
});
