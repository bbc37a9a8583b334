import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type ErrorCode } from '@weir/api';
import { openDatabase } from '../src/accounts/database/open-database.ts';
import { type AccountsDatabase, openAccounts } from '../src/accounts/open.ts';
import type { NewSsoConnection, SsoConnection } from '../src/accounts/sso/sso-connections.ts';
import type { SsoPerson } from '../src/accounts/sso/sso-sign-ins.ts';
import type { NewFederation } from '../src/accounts/workspaces/federations.ts';
import { controlPlaneLimits } from '../src/limits.ts';
import { accountsDeps, type TestDeps } from './accounts-deps.ts';
import { makeAccount, type TestAccount } from './two-accounts.ts';

const admin = { workspaceId: '*', managedGrantName: 'admin' } as const;
const clientSecret = 'the secret of the client';
const issuer = 'https://id.example';

interface Scene extends AccountsDatabase {
  readonly url: string;
  readonly deps: TestDeps;
  readonly ours: TestAccount;
  readonly theirs: TestAccount;
  connect(account: TestAccount, changes?: Partial<NewSsoConnection>): Promise<SsoConnection>;
  federate(changes?: Partial<NewFederation>): ReturnType<AccountsDatabase['federations']['create']>;
}

async function refused(work: Promise<unknown>, code: ErrorCode, message = /./): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });
}

const alice: SsoPerson = {
  issuer,
  subject: 'alice',
  email: 'Alice@Example.com',
  isEmailVerified: true,
  name: 'Alice',
  roleNames: undefined,
};

/**
 * The contract of sign-ins with identity providers, and of federations, over any database. `fresh` gives the URL of an
 * empty one each time.
 */
export function signInContract(driver: string, fresh: () => Promise<string> | string): void {
  function contract(name: string, run: (scene: Scene) => Promise<void>): void {
    test(`${driver}: ${name}`, async () => {
      const url = await fresh();
      const deps = accountsDeps();
      const accounts = await openAccounts(url, deps);
      const ours = await makeAccount(accounts, 'Ours');
      const theirs = await makeAccount(accounts, 'Theirs');
      const connect: Scene['connect'] = ({ accountId, adminRoleId }, changes = {}) =>
        accounts.ssoConnections.create(accountId, {
          identifier: 'example',
          issuer,
          clientId: 'weir',
          clientSecret,
          defaultRoleId: adminRoleId,
          hasRoleMapping: false,
          roleClaim: 'groups',
          ...changes,
        });
      const federate: Scene['federate'] = (changes = {}) =>
        accounts.federations.create(ours.accountId, {
          clusterId: ours.a.clusterId,
          name: 'eks',
          issuer,
          audience: 'weir://x',
          rules: [{ path: 'sub', value: 'weir*' }],
          isReadOnly: false,
          lifetimeSeconds: 600,
          ...changes,
        });
      try {
        await run({ ...accounts, url, deps, ours, theirs, connect, federate });
      } finally {
        await accounts.close();
      }
    });
  }

  contract('a connection is read as it was written, and its secret only for the issuer', async (scene) => {
    const { ssoConnections, ours, url, deps, connect } = scene;
    assert.equal(await ssoConnections.get(ours.accountId), undefined);
    assert.equal(await ssoConnections.only(), undefined);
    const made = await connect(ours);
    assert.match(made.id, /^ssoi_/);
    assert.deepEqual(made, {
      id: made.id,
      accountId: ours.accountId,
      identifier: 'example',
      issuer,
      clientId: 'weir',
      defaultRoleId: ours.adminRoleId,
      hasRoleMapping: false,
      roleClaim: 'groups',
      createdMs: deps.clock.nowMs(),
    });
    assert.deepEqual(await ssoConnections.get(ours.accountId), made);
    assert.deepEqual(await ssoConnections.findByIdentifier('example'), made);
    assert.deepEqual(await ssoConnections.only(), made);
    assert.equal(await ssoConnections.findByIdentifier('other'), undefined);
    assert.equal(await ssoConnections.clientSecretOf(made), clientSecret);
    const { database, close } = await openDatabase(url, deps);
    const [row] = await database.selectFrom('weir_sso_connections').selectAll().execute();
    assert.ok(!JSON.stringify(row).includes(clientSecret), 'it is sealed');
    // An attacker who can write tables moves the secret to a connection with their own issuer.
    const moved = { ...row!, id: 'ssoi_moved', account_id: scene.theirs.accountId, identifier: 'moved' };
    await database.insertInto('weir_sso_connections').values(moved).execute();
    await close();
    const stolen = (await ssoConnections.findByIdentifier('moved'))!;
    await assert.rejects(ssoConnections.clientSecretOf(stolen), /another purpose/);
  });

  contract('an account has one connection, and an identifier one account', async (scene) => {
    const { ours, theirs, ssoConnections, connect } = scene;
    const results = await Promise.allSettled([connect(ours), connect(ours, { identifier: 'second' })]);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    const [made] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const { identifier } = made!;
    await refused(connect(ours, { identifier: 'third' }), 'sso_already_configured');
    await refused(connect(theirs, { identifier }), 'duplicate_name');
    await refused(connect(theirs, { identifier: 'third', defaultRoleId: ours.adminRoleId }), 'not_found');
    await refused(ssoConnections.update(theirs.accountId, made!.id, { clientId: 'x' }), 'not_found');
    await refused(ssoConnections.delete(theirs.accountId, made!.id), 'not_found');
    assert.equal(await ssoConnections.get(theirs.accountId), undefined);
  });

  contract('a change leaves omitted fields, and another issuer needs the secret again', async (scene) => {
    const { ours, theirs, ssoConnections, connect } = scene;
    const made = await connect(ours);
    const update = (change: Parameters<typeof ssoConnections.update>[2]) =>
      ssoConnections.update(ours.accountId, made.id, change);
    await update({ clientId: 'other', hasRoleMapping: true });
    assert.deepEqual(await ssoConnections.get(ours.accountId), {
      ...made,
      clientId: 'other',
      hasRoleMapping: true,
    });
    assert.equal(await ssoConnections.clientSecretOf(made), clientSecret);
    await refused(update({ issuer: 'https://evil.example' }), 'invalid_request', /needs it again/);
    await update({ issuer });
    await update({ issuer: 'https://new.example', clientSecret: 'new' });
    await refused(ssoConnections.clientSecretOf(made), 'not_found');
    assert.equal(await ssoConnections.clientSecretOf((await ssoConnections.get(ours.accountId))!), 'new');
    await refused(update({ defaultRoleId: theirs.adminRoleId }), 'not_found');
    await update({ hasRoleMapping: false, roleClaim: 'roles' });
    const { hasRoleMapping, roleClaim } = (await ssoConnections.get(ours.accountId))!;
    assert.deepEqual([hasRoleMapping, roleClaim], [false, 'roles']);
  });

  contract('without a sealing key no secret is stored', async ({ url, ours, deps, connect }) => {
    const made = await connect(ours);
    const { secretBox: _, ...without } = deps;
    const { ssoConnections, close } = await openAccounts(url, without);
    await refused(ssoConnections.clientSecretOf(made), 'no_sealing_keys', /-sealingKeysFile/);
    await refused(ssoConnections.create(ours.accountId, { ...made, clientSecret }), 'no_sealing_keys');
    await refused(ssoConnections.update(ours.accountId, made.id, { clientSecret }), 'no_sealing_keys');
    await ssoConnections.update(ours.accountId, made.id, { clientId: 'x' });
    await close();
  });

  contract(
    'the default role of a connection cannot be deleted',
    async ({ ours, roles, ssoConnections, connect }) => {
      const role = await roles.create(ours.accountId, 'everybody', []);
      const made = await connect(ours, { defaultRoleId: role.id });
      await refused(roles.delete(ours.accountId, role.id), 'role_in_use', /single sign-on/);
      await ssoConnections.update(ours.accountId, made.id, { defaultRoleId: ours.adminRoleId });
      await roles.delete(ours.accountId, role.id);
    },
  );

  contract('a connection is deleted only if an administrator has a password', async (scene) => {
    const { ours, ssoConnections, ssoSignIns, users, connect } = scene;
    const made = await connect(ours);
    await ssoSignIns.signIn(made, alice);
    await refused(ssoConnections.delete(ours.accountId, made.id), 'last_admin');
    assert.deepEqual(await ssoConnections.get(ours.accountId), made);
    await ours.user('reader', { workspaceId: '*', managedGrantName: 'read_only' });
    await refused(ssoConnections.delete(ours.accountId, made.id), 'last_admin');
    const root = (await users.findByEmail(await ours.user('root', admin)))!;
    await ssoConnections.delete(ours.accountId, made.id);
    assert.equal(await ssoConnections.get(ours.accountId), undefined);
    // From now on the other one cannot sign in.
    await refused(users.delete(ours.accountId, root.id), 'last_admin');
    await connect(ours);
    await users.delete(ours.accountId, root.id);
  });

  contract('a user is identified by issuer and subject, not by address', async (scene) => {
    const { ours, ssoSignIns, users, connect, deps } = scene;
    const connection = await connect(ours);
    const { user } = await ssoSignIns.signIn(connection, alice);
    assert.deepEqual([user.email, user.name, user.hasPassword], ['Alice@Example.com', 'Alice', false]);
    assert.equal(user.lastSignInMs, deps.clock.nowMs());
    const again = { ...alice, email: undefined, isEmailVerified: false, name: 'x' };
    assert.equal((await ssoSignIns.signIn(connection, again)).user.id, user.id);
    const [listed] = await users.list(ours.accountId);
    assert.deepEqual([listed!.id, listed!.roleIds], [user.id, [ours.adminRoleId]]);
    // The same subject of another issuer is another user.
    const other = { ...alice, issuer: 'https://other.example', email: 'other@example.com' };
    assert.notEqual((await ssoSignIns.signIn(connection, other)).user.id, user.id);
  });

  contract(
    'sign-ins of one person at the same time make one user',
    async ({ ours, ssoSignIns, users, connect }) => {
      const connection = await connect(ours);
      const made = await Promise.all(Array.from({ length: 5 }, () => ssoSignIns.signIn(connection, alice)));
      assert.equal(new Set(made.map(({ user }) => user.id)).size, 1);
      assert.equal((await users.list(ours.accountId)).length, 1);
    },
  );

  contract('an address finds only its own user', async (scene) => {
    const { ours, theirs, ssoSignIns, users, invitations, connect } = scene;
    const connection = await connect(ours);
    const withPassword = await ours.user('ada', admin);
    const elsewhere = await theirs.user('eve', admin);
    await ssoSignIns.signIn(connection, { ...alice, issuer: 'https://old.example' });
    const known = (await users.findByEmail(alice.email!))!;
    const reader = (await scene.roles.create(ours.accountId, 'reader', [])).id;
    const invited = [{ email: 'invited@example.com', roleId: reader }];
    await invitations.create(ours.accountId, invited, '');
    const old = [{ email: 'late@example.com', roleId: reader }];
    await invitations.create(
      theirs.accountId,
      [{ email: 'theirs@example.com', roleId: theirs.adminRoleId }],
      '',
    );

    // biome-ignore format: a table
    const cases: [what: string, email: string | undefined, isVerified: boolean, result: ErrorCode | 'ok'][] = [
      ['of a user with a password',                 withPassword,                 true,   'user_already_exists'],
      ['of a user with a password, not verified',   withPassword.toUpperCase(),   false,  'user_already_exists'],
      ['of a user of another account',              elsewhere,                    true,   'user_already_exists'],
      ['of a user of another issuer, not verified', 'alice@example.com',          false,  'forbidden'],
      ['of a user of another issuer',               'alice@EXAMPLE.com',          true,   'ok'],
      ['of an invited user, not verified',          'invited@example.com',        false,  'forbidden'],
      ['of an invited user',                        'Invited@example.com',        true,   'ok'],
      ['of a user invited by another account',      'theirs@example.com',         true,   'ok'],
      ['of no user, not verified',                  'nobody@example.com',         false,  'ok'],
      ['that is invalid',                           'nobody',                     true,   'forbidden'],
      ['that looks like another',                   'аlice@example.com',          true,   'forbidden'],
      ['that is missing',                           undefined,                    true,   'forbidden'],
    ];
    for (const [index, [what, email, isEmailVerified, result]] of cases.entries()) {
      const person = { ...alice, subject: `person ${index}`, email, isEmailVerified };
      const work = ssoSignIns.signIn(connection, person);
      if (result === 'ok') assert.equal((await work).user.accountId, ours.accountId, what);
      else await refused(work, result);
    }
    assert.equal((await users.findByIdentity({ issuer, subject: 'person 4' }))!.id, known.id);
    const all = await users.list(ours.accountId);
    const rolesOf = (email: string) => all.find((user) => user.email.toLowerCase() === email)!.roleIds;
    assert.deepEqual(rolesOf('invited@example.com'), [reader], 'the roles of the invitation');
    assert.deepEqual(rolesOf('theirs@example.com'), [ours.adminRoleId], 'the default role of the connection');
    assert.deepEqual(await invitations.list(ours.accountId), [], 'the invitation is used');
    assert.equal((await invitations.list(theirs.accountId)).length, 1);
    await invitations.create(ours.accountId, old, '');
    scene.deps.clock.advance(8 * 24 * 3_600_000);
    const late = { ...alice, subject: 'late', email: 'late@example.com', isEmailVerified: false };
    assert.ok(await ssoSignIns.signIn(connection, late), 'an expired invitation is ignored');
  });

  contract('a connection admits no user to another account', async (scene) => {
    const { ours, theirs, ssoSignIns, ssoConnections, connect } = scene;
    const connection = await connect(ours);
    await ssoSignIns.signIn(connection, alice);
    const foreign = await connect(theirs, { identifier: 'theirs' });
    await refused(ssoSignIns.signIn(foreign, alice), 'user_already_exists');
    await ours.user('root', admin);
    await ssoConnections.delete(ours.accountId, connection.id);
    await refused(ssoSignIns.signIn(connection, alice), 'not_found');
  });

  contract('with role mapping the roles follow the claim, all or none', async (scene) => {
    const { ours, theirs, ssoSignIns, ssoConnections, users, roles, connect } = scene;
    await ours.user('root', admin);
    const connection = await connect(ours, { hasRoleMapping: true });
    const many = await Promise.all(
      Array.from({ length: controlPlaneLimits.rolesPerUserMax + 1 }, (_, n) =>
        roles.create(ours.accountId, `role ${n}`, []),
      ),
    );
    await roles.create(theirs.accountId, 'foreign', [admin]);
    const rolesAfter = async (roleNames: string[] | undefined) => {
      const { user } = await ssoSignIns.signIn(connection, { ...alice, roleNames });
      const { roleIds } = (await users.list(ours.accountId)).find(({ id }) => id === user.id)!;
      return [...roleIds].sort();
    };
    const sorted = (...ids: string[]) => [...ids].sort();
    assert.deepEqual(await rolesAfter(['role 0', 'role 1']), sorted(many[0]!.id, many[1]!.id));
    assert.deepEqual(await rolesAfter(['role 1', 'role 2', 'foreign']), sorted(many[1]!.id, many[2]!.id));
    assert.deepEqual(await rolesAfter(undefined), [ours.adminRoleId]);
    await refused(rolesAfter(many.map(({ name }) => name)), 'limit_exceeded');
    await ssoConnections.update(ours.accountId, connection.id, { hasRoleMapping: false });
    assert.deepEqual(await rolesAfter(['role 3']), [ours.adminRoleId], 'the roles are unchanged');
  });

  contract('a federation is read as it was written, by name', async (scene) => {
    const { ours, theirs, federations, federate, deps } = scene;
    const rules = [
      { path: '"kubernetes.io".namespace', value: 'weir' },
      { path: 'sub', value: 'größe*' },
    ];
    const made = await federate({ name: 'b', rules, isReadOnly: true });
    assert.match(made.id, /^wif_/);
    const { clusterId } = ours.a;
    assert.deepEqual(made, {
      id: made.id,
      clusterId,
      name: 'b',
      issuer,
      audience: 'weir://x',
      rules,
      isReadOnly: true,
      lifetimeSeconds: 600,
      createdMs: deps.clock.nowMs(),
    });
    const first = await federate({ name: 'a' });
    assert.deepEqual(await federations.list(ours.accountId, clusterId), [first, made]);
    assert.deepEqual(await federations.admittingTo(clusterId), [first, made]);
    assert.deepEqual(await federations.list(theirs.accountId, clusterId), []);
    assert.deepEqual(await federations.admittingTo(ours.b.clusterId), []);
    await refused(federate({ name: 'a' }), 'duplicate_name');
    await refused(federate({ name: 'a b' }), 'invalid_request');
    await refused(federate({ clusterId: theirs.a.clusterId }), 'not_found');
    await federate({ name: 'a', clusterId: ours.b.clusterId });
    await refused(federations.delete(theirs.accountId, clusterId, made.id), 'not_found');
    await refused(federations.delete(ours.accountId, ours.b.clusterId, made.id), 'not_found');
    await federations.delete(ours.accountId, clusterId, made.id);
    await refused(federations.delete(ours.accountId, clusterId, made.id), 'not_found');
    assert.deepEqual(await federations.list(ours.accountId, clusterId), [first]);
  });

  contract('federations are deleted with their cluster', async (scene) => {
    const { ours, federations, federate, virtualClusters, deps } = scene;
    const { clusterId } = ours.a;
    await federate();
    await virtualClusters.delete(ours.accountId, clusterId);
    assert.deepEqual(await federations.admittingTo(clusterId), []);
    await refused(federate({ name: 'other' }), 'not_found');
    await virtualClusters.restore(ours.accountId, clusterId);
    assert.equal((await federations.admittingTo(clusterId)).length, 1);
    await virtualClusters.delete(ours.accountId, clusterId);
    deps.clock.advance(31 * 24 * 3_600_000);
    const [forgotten] = await virtualClusters.listForgotten();
    await virtualClusters.forget(forgotten!);
    assert.deepEqual(await federations.list(ours.accountId, clusterId), []);
  });
}
