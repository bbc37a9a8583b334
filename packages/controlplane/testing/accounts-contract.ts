import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ApiError, type ErrorCode } from '@weir/api';
import { caps, seededRandom } from '@weir/core';
import fc from 'fast-check';
import type { AuditNote, AuditSearch } from '../src/accounts/audit-log.ts';
import { openDatabase } from '../src/accounts/database/open-database.ts';
import type { KeyGrant } from '../src/accounts/grants.ts';
import { migrations } from '../src/accounts/migrations/index.ts';
import { type AccountsDatabase, openAccounts } from '../src/accounts/open.ts';
import type { NewVirtualCluster } from '../src/accounts/virtual-clusters.ts';
import { accountsSurroundings, type TestSurroundings } from './accounts-surroundings.ts';

const password = 'correct horse battery';
const proof = { password };
const ada = { accountName: 'Example', email: 'Ada@Example.com', name: 'Ada', proof };
const cluster: NewVirtualCluster = {
  name: 'orders',
  type: 'byoc',
  tier: 'pro',
  cloudProvider: 'aws',
  place: { region: 'us-east-1' },
};
const appGrant = (workspaceId: string): KeyGrant => {
  return { principalKind: 'app', resourceKind: '*', resourceId: '*', workspaceId };
};
const agentGrant = (resourceId: string): KeyGrant => {
  return { principalKind: 'agent', resourceKind: 'virtual_cluster', resourceId, workspaceId: '' };
};
const dayMs = 24 * 3_600_000;

async function refused(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });
}

/** How each of them ended: `ok`, or the code of its error. */
async function outcomes(works: readonly Promise<unknown>[]): Promise<string[]> {
  const results = await Promise.allSettled(works);
  return results.map((result) => {
    if (result.status === 'fulfilled') return 'ok';
    assert.ok(result.reason instanceof ApiError, String(result.reason));
    return result.reason.code;
  });
}

interface Scene extends AccountsDatabase {
  readonly url: string;
  readonly surroundings: TestSurroundings;
  /** The same tables, as another process has them. */
  another(): Promise<AccountsDatabase>;
}

/** What the accounts do over any database. `fresh` gives the address of an empty one each time. */
export function accountsContract(driver: string, fresh: () => Promise<string> | string): void {
  function contract(name: string, run: (scene: Scene) => Promise<void>) {
    test(`${driver}: ${name}`, async () => {
      const url = await fresh();
      const surroundings = accountsSurroundings();
      const opened: AccountsDatabase[] = [];
      const open = async () => {
        const one = await openAccounts(url, surroundings);
        opened.push(one);
        return one;
      };
      try {
        await run({ ...(await open()), url, surroundings, another: open });
      } finally {
        for (const one of opened) await one.close();
      }
    });
  }

  /** With a first user. */
  function inhabited(
    name: string,
    run: (scene: Scene, first: { accountId: string; workspaceId: string; userId: string }) => Promise<void>,
  ) {
    contract(name, async (scene) => {
      const made = await scene.setup.finishAlone(ada);
      await run(scene, {
        accountId: made!.account.id,
        workspaceId: made!.workspaceId,
        userId: made!.user.id,
      });
    });
  }

  contract('processes that start together make the schema once', async ({ url, accounts }) => {
    await accounts.create('Example');
    const others = await Promise.all(
      Array.from({ length: 4 }, (_, seed) => openAccounts(url, accountsSurroundings(seed))),
    );
    for (const other of others) {
      assert.equal((await other.accounts.list()).length, 1);
      await other.close();
    }
  });

  for (const [what, row, expected] of [
    [
      'a newer release has changed',
      { number: migrations.length + 1, name: 'more', applied_ms: 0 },
      /a newer release has used it/,
    ],
    ['another program has made', { number: 1, name: 'other', applied_ms: 0 }, /made by another program/],
  ] as const) {
    contract(`a database that ${what} is refused`, async ({ url, surroundings }) => {
      const { database, close } = await openDatabase(url, surroundings);
      if (row.number === 1) await database.deleteFrom('weir_account_migrations').execute();
      await database.insertInto('weir_account_migrations').values(row).execute();
      await assert.rejects(openAccounts(url, surroundings), expected);
      await close();
    });
  }

  contract('the first user is made with a link, once', async ({ setup, users, workspaces, roles }) => {
    const [token, other] = [await setup.begin(), await setup.begin()];
    await refused(setup.finish(`${token!.slice(1)}x`, ada), 'invalid_token');
    await refused(setup.finish('short', ada), 'invalid_token');
    const made = await setup.finish(token!, ada);
    await refused(setup.finish(token!, ada), 'already_set_up');
    await refused(setup.finish(other!, ada), 'already_set_up');
    assert.equal(await setup.begin(), undefined);
    assert.equal(await setup.isNeeded(), false);
    assert.equal(await setup.finishAlone(ada), undefined);

    assert.deepEqual(
      (await users.grantsOf(made.user.id)).map((grant) => Object.values(grant)),
      [['*', 'admin']],
    );
    assert.deepEqual(
      (await workspaces.list(made.account.id)).map(({ id, name }) => [id, name]),
      [[made.workspaceId, 'Default']],
    );
    assert.deepEqual(
      (await roles.list(made.account.id))
        .map(({ name, grants }) => [name, grants[0]!.managedGrantName])
        .sort(),
      [
        ['Admin', 'admin'],
        ['Read-only', 'read_only'],
      ],
    );
  });

  contract('of several first users there is one', async ({ setup, accounts, another }) => {
    const tokens = [await setup.begin(), await setup.begin(), await setup.begin()];
    const other = await another();
    const found = await outcomes(
      tokens.map((token, n) =>
        (n % 2 === 0 ? setup : other.setup).finish(token!, { ...ada, email: `user${n}@example.com` }),
      ),
    );
    assert.deepEqual(found.toSorted(), ['already_set_up', 'already_set_up', 'ok']);
    assert.equal((await accounts.list()).length, 1);
  });

  contract('a link for the first user works for a day', async ({ setup, surroundings }) => {
    const token = await setup.begin();
    surroundings.clock.advance(dayMs);
    await refused(setup.finish(token!, ada), 'invalid_token');
    assert.equal(await setup.isNeeded(), true);
  });

  inhabited('an address belongs to one user, whatever its case and account', async (scene, { accountId }) => {
    const { users, accounts, another } = scene;
    const foreign = await accounts.create('Foreign');
    const user = { email: 'ADA@example.com', name: 'A', proof, roleIds: [] };
    await refused(users.create(accountId, user), 'user_already_exists');
    await refused(users.create(foreign.account.id, user), 'user_already_exists');
    assert.equal((await users.findByEmail(' ada@EXAMPLE.com'))?.email, 'Ada@Example.com');
    const other = await another();
    const grace = { ...user, email: 'grace@example.com' };
    const found = await outcomes([
      users.create(accountId, grace),
      other.users.create(foreign.account.id, { ...grace, email: 'Grace@example.com' }),
    ]);
    assert.deepEqual(found.toSorted(), ['ok', 'user_already_exists']);
    for (const email of ['', 'ada', 'a@b@c', 'a b@c.de', 'ädá@example.com', 'a@-b', `${'a'.repeat(65)}@b.c`])
      await refused(users.create(accountId, { ...user, email }), 'invalid_request');
  });

  inhabited('a password opens its user only', async ({ users, surroundings }, { accountId, userId }) => {
    const identity = { issuer: 'https://issuer.example', subject: '42' };
    const grace = { email: 'grace@example.com', name: 'Grace', proof: { identity }, roleIds: [] };
    const { id: graceId } = await users.create(accountId, grace);
    // biome-ignore format: a table
    const attempts: [email: string, password: string, who: string | undefined][] = [
      ['ada@example.com',   password,                userId],
      ['ADA@EXAMPLE.COM',   password,                userId],
      ['ada@example.com',   `${password} `,          undefined],
      ['ada@example.com',   '',                      undefined],
      ['ada@example.com',   'x'.repeat(100_000),     undefined],
      ['nobody@example.com', password,               undefined],
      ['grace@example.com', password,                undefined],
      ['grace@example.com', '',                      undefined],
      ['',                  '',                      undefined],
    ];
    for (const [email, attempt, who] of attempts)
      assert.equal((await users.authenticate(email, attempt))?.id, who, `${email} ${attempt.slice(0, 30)}`);
    assert.equal((await users.get(accountId, userId))?.lastSignInMs, surroundings.clock.nowMs());
    assert.equal((await users.findByIdentity(identity))?.id, graceId);
    assert.equal(await users.findByIdentity({ ...identity, issuer: 'https://other.example' }), undefined);
    await refused(users.linkIdentity(accountId, userId, identity), 'conflict');
    await users.linkIdentity(accountId, userId, { ...identity, subject: '43' });
    assert.equal((await users.findByIdentity({ ...identity, subject: '43' }))?.id, userId);
    for (const short of ['', 'short', 'x'.repeat(caps.passwordCharsMax + 1)])
      await refused(users.setPassword(accountId, userId, short), 'invalid_request');
  });

  inhabited('a password is hashed anew at sign-in when its cost has changed', async (scene, { userId }) => {
    const { url, surroundings } = scene;
    const passwordCost = { memoryKiB: 128, passes: 2, parallelism: 1 };
    const later = await openAccounts(url, { ...surroundings, passwordCost });
    const { database, close } = await openDatabase(url, surroundings);
    const stored = async () =>
      (await database.selectFrom('weir_users').select('password_hash').executeTakeFirstOrThrow())
        .password_hash;
    assert.match((await stored())!, /^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
    assert.equal(await later.users.authenticate('ada@example.com', 'wrong horse battery'), undefined);
    assert.match((await stored())!, /\$m=64,t=1,p=1\$/);
    for (let round = 0; round < 2; round++) {
      assert.equal((await later.users.authenticate('ada@example.com', password))?.id, userId);
      assert.match((await stored())!, /\$m=128,t=2,p=1\$/);
    }
    await close();
    await later.close();
  });

  inhabited('somebody stays administrator', async ({ users, roles, another }, { accountId, userId }) => {
    const [admin, readOnly] = ['Admin', 'Read-only'].map(
      (name) => async () => (await roles.list(accountId)).find((role) => role.name === name)!.id,
    ) as [() => Promise<string>, () => Promise<string>];
    const adminId = await admin();
    await refused(users.delete(accountId, userId), 'last_admin');
    await refused(roles.changeOfUser(accountId, userId, { unassigned: [adminId] }), 'last_admin');
    await refused(
      roles.update(accountId, adminId, 'Admin', [{ workspaceId: '*', managedGrantName: 'read_only' }]),
      'last_admin',
    );
    await refused(roles.delete(accountId, adminId), 'role_in_use');
    await roles.delete(accountId, await readOnly());

    const grace = { email: 'grace@example.com', name: 'Grace', proof, roleIds: [adminId] };
    const { id: graceId } = await users.create(accountId, grace);
    const other = await another();
    const found = await outcomes([users.delete(accountId, userId), other.users.delete(accountId, graceId)]);
    assert.deepEqual(found.toSorted(), ['last_admin', 'ok']);
    assert.equal((await users.list(accountId)).length, 1);
  });

  inhabited(
    'roles have names and grants',
    async ({ roles, users, workspaces, accounts }, { accountId, userId }) => {
      const { id: shop } = await workspaces.create(accountId, 'Shop');
      const foreign = await accounts.create('Foreign');
      const inShop = [{ workspaceId: shop, managedGrantName: 'read_only' as const }];
      const role = await roles.create(accountId, 'Readers', inShop);
      await refused(roles.create(accountId, 'Readers', []), 'duplicate_name');
      await refused(roles.update(accountId, role.id, 'Admin', []), 'duplicate_name');
      await refused(
        roles.create(accountId, 'Thieves', [{ workspaceId: foreign.workspaceId, managedGrantName: 'admin' }]),
        'not_found',
      );
      for (const name of ['', 'ab', 'a'.repeat(61), 'a/b', 'a\nb'])
        await refused(roles.create(accountId, name, []), 'invalid_request');

      const { roleIds } = (await users.list(accountId))[0]!;
      await roles.changeOfUser(accountId, userId, { assigned: [role.id, role.id] });
      assert.deepEqual(
        (await users.list(accountId))[0]!.roleIds.toSorted(),
        [...roleIds, role.id].toSorted(),
      );
      await roles.update(accountId, role.id, 'Shop admins', [
        { workspaceId: shop, managedGrantName: 'admin' },
        { workspaceId: shop, managedGrantName: 'admin' },
      ]);
      assert.deepEqual(
        (await users.grantsOf(userId)).map(({ workspaceId }) => workspaceId).toSorted(),
        ['*', shop].toSorted(),
      );
      await workspaces.delete(accountId, shop);
      assert.deepEqual((await roles.list(accountId)).find(({ id }) => id === role.id)!.grants, []);
    },
  );

  inhabited('an invitation is for one person, once, for a week', async (scene, { accountId, userId }) => {
    const { invitations, users, roles, surroundings, another } = scene;
    const roleId = (await roles.list(accountId)).find(({ name }) => name === 'Read-only')!.id;
    const invite = async (email: string) =>
      (await invitations.create(accountId, [{ email, roleId }], userId))[0]!;
    const grace = await invite('Grace@example.com');
    assert.deepEqual(await invitations.find(grace.token), grace.invitation);
    assert.equal(await invitations.find(`x${grace.token.slice(1)}`), undefined);
    assert.equal(await invitations.find('x'), undefined);
    await refused(invite('ada@example.com'), 'user_already_exists');
    await refused(
      invitations.create(accountId, [{ email: 'x@example.com', roleId: 'pri_unknown' }], userId),
      'not_found',
    );

    const again = await invite('grace@example.com');
    await refused(invitations.accept(grace.token, { name: 'Grace', proof }), 'invalid_token');
    const other = await another();
    const found = await outcomes([
      invitations.accept(again.token, { name: 'Grace', proof }),
      other.invitations.accept(again.token, { name: 'Eve', proof }),
    ]);
    assert.deepEqual(found.toSorted(), ['invalid_token', 'ok']);
    const made = await users.authenticate('grace@example.com', password);
    assert.deepEqual(
      (await users.grantsOf(made!.id)).map((grant) => grant.managedGrantName),
      ['read_only'],
    );

    const late = await invite('late@example.com');
    const revoked = await invite('revoked@example.com');
    await invitations.revoke(accountId, revoked.invitation.id);
    await refused(invitations.revoke(accountId, revoked.invitation.id), 'not_found');
    await refused(invitations.accept(revoked.token, { name: 'R', proof }), 'invalid_token');
    surroundings.clock.advance(7 * dayMs);
    await refused(invitations.accept(late.token, { name: 'L', proof }), 'invalid_token');
    assert.deepEqual(await invitations.list(accountId), []);
  });

  inhabited(
    'workspaces have names, and go when they are empty',
    async (scene, { accountId, workspaceId }) => {
      const { workspaces, virtualClusters, surroundings } = scene;
      surroundings.clock.advance(1);
      const shop = await workspaces.create(accountId, 'Shop');
      await refused(workspaces.create(accountId, 'Shop'), 'duplicate_name');
      await refused(workspaces.rename(accountId, shop.id, 'Default'), 'duplicate_name');
      await workspaces.rename(accountId, shop.id, 'Shop');
      await workspaces.rename(accountId, shop.id, 'Shop 2');
      assert.deepEqual(await workspaces.get(accountId, shop.id), { ...shop, name: 'Shop 2' });
      // biome-ignore format: a table
      const names: [name: string, isOne: boolean][] = [
      ['abc', true], ['A b_c-1', true], ['x'.repeat(128), true],
      ['ab', false], ['x'.repeat(129), false], ['a.b', false], ['größe', false], ['abc\n', false],
    ];
      for (const [name, isOne] of names) {
        const making = workspaces.create(accountId, name);
        if (isOne) await making;
        else await refused(making, 'invalid_request');
      }

      const { id } = await virtualClusters.create(accountId, shop.id, cluster);
      await refused(workspaces.delete(accountId, shop.id), 'workspace_not_empty');
      await virtualClusters.delete(accountId, id);
      await workspaces.delete(accountId, shop.id);
      await refused(workspaces.delete(accountId, shop.id), 'not_found');
      await refused(workspaces.rename(accountId, shop.id, 'Gone'), 'not_found');
      await refused(virtualClusters.create(accountId, shop.id, cluster), 'not_found');
      await refused(virtualClusters.restore(accountId, id), 'not_found');
      await workspaces.create(accountId, 'Shop 2');
      assert.equal((await workspaces.list(accountId))[0]!.id, workspaceId);
    },
  );

  inhabited('a workspace is not deleted while a cluster is made in it', async (scene, { accountId }) => {
    const { workspaces, virtualClusters, another } = scene;
    const other = await another();
    for (let round = 0; round < 8; round++) {
      const { id } = await workspaces.create(accountId, `Round ${round}`);
      const found = await outcomes([
        workspaces.delete(accountId, id),
        other.virtualClusters.create(accountId, id, cluster),
      ]);
      assert.ok(['ok not_found', 'workspace_not_empty ok'].includes(found.join(' ')), found.join(' '));
      const isThere = (await workspaces.get(accountId, id)) !== undefined;
      assert.equal((await virtualClusters.list(accountId, id)).length, isThere ? 1 : 0);
    }
  });

  inhabited('a session is known by its token until it ends', async (scene, { userId, accountId }) => {
    const { sessions, surroundings, users } = scene;
    const from = { userId, remoteAddress: '203.0.113.7', userAgent: 'Firefox\u0000\n' };
    const { token, session } = await sessions.begin(from);
    assert.equal(session.userAgent, 'Firefox  ');
    const resumed = await sessions.resume(token);
    assert.deepEqual([resumed?.user.id, resumed?.user.accountId], [userId, accountId]);
    for (const wrong of ['', 'x', session.id, `${token}x`, createHash('sha256').update(token).digest('hex')])
      assert.equal(await sessions.resume(wrong), undefined, wrong);

    // Used every now and then it lives a week; unused, half a day.
    const { token: idle } = await sessions.begin(from);
    for (let hours = 0; hours < 6 * 24; hours += 6) {
      surroundings.clock.advance(6 * 3_600_000);
      assert.equal((await sessions.resume(token))?.session.lastSeenMs, surroundings.clock.nowMs());
    }
    assert.equal(await sessions.resume(idle), undefined);
    assert.deepEqual(
      (await sessions.list(userId)).map(({ id }) => id),
      [session.id],
    );
    for (let hours = 0; hours < 24; hours += 6) {
      assert.notEqual(await sessions.resume(token), undefined);
      surroundings.clock.advance(6 * 3_600_000);
    }
    assert.equal(await sessions.resume(token), undefined);

    const [kept, other, revoked] = [
      await sessions.begin(from),
      await sessions.begin(from),
      await sessions.begin(from),
    ];
    assert.equal(await sessions.end(userId, revoked.session.id), true);
    assert.equal(await sessions.end(userId, revoked.session.id), false);
    assert.equal(await sessions.end('ui_other', kept.session.id), false);
    await users.setPassword(accountId, userId, 'another long password', kept.session.id);
    assert.notEqual(await sessions.resume(kept.token), undefined);
    assert.equal(await sessions.resume(other.token), undefined);
    await sessions.endAll(userId);
    assert.equal(await sessions.resume(kept.token), undefined);
  });

  inhabited(
    'signing in gives another token and ends the one that the browser had',
    async (scene, { userId }) => {
      const { sessions } = scene;
      const from = { userId, remoteAddress: '::1', userAgent: '' };
      const { token: planted } = await sessions.begin(from);
      const { token } = await sessions.begin({ ...from, replacedToken: planted });
      assert.notEqual(token, planted);
      assert.equal(await sessions.resume(planted), undefined);
      assert.notEqual(await sessions.resume(token), undefined);
    },
  );

  inhabited(
    'a user has so many sessions, and the oldest end',
    async ({ sessions, surroundings }, { userId }) => {
      const tokens: string[] = [];
      for (let n = 0; n < caps.sessionsPerUserMax + 2; n++) {
        surroundings.clock.advance(1);
        tokens.push((await sessions.begin({ userId, remoteAddress: '', userAgent: '' })).token);
      }
      const lives = async (token: string) => (await sessions.resume(token)) !== undefined;
      assert.deepEqual(await Promise.all(tokens.slice(0, 3).map(lives)), [false, false, true]);
      assert.equal((await sessions.list(userId)).length, caps.sessionsPerUserMax);
    },
  );

  inhabited('a key has a name and grants', async (scene, { accountId, workspaceId, userId }) => {
    const { keys, virtualClusters, accounts } = scene;
    const { id: clusterId } = await virtualClusters.create(accountId, workspaceId, cluster);
    const foreign = await accounts.create('Foreign');
    const all = { resourceKind: '*', resourceId: '*', workspaceId: '*' } as const;
    // biome-ignore format: a table
    const grants: [grants: KeyGrant[], becomes: string][] = [
      [[appGrant(workspaceId)],                                                       'application'],
      [[{ ...appGrant(workspaceId), principalKind: 'app_r' }],                        'application read-only'],
      [[agentGrant(clusterId)],                                                       'agent'],
      [[{ ...agentGrant(clusterId), principalKind: 'agent_r' }],                      'agent read-only'],
      [[{ ...all, principalKind: '*' }],                                              'account'],
      [[],                                                                            'invalid_request'],
      [[appGrant(workspaceId), agentGrant(clusterId)],                                'invalid_request'],
      [[appGrant(workspaceId), { ...appGrant(workspaceId), principalKind: 'app_r' }], 'invalid_request'],
      [[{ ...appGrant(workspaceId), resourceId: clusterId }],                         'invalid_request'],
      [[{ ...agentGrant(clusterId), resourceKind: '*' }],                             'invalid_request'],
      [[{ ...all, principalKind: '*', workspaceId }],                                 'invalid_request'],
      [[{ ...all, principalKind: 'app' }],                                            'not_found'],
      [[appGrant(foreign.workspaceId)],                                               'not_found'],
      [[agentGrant('vci_unknown')],                                                   'not_found'],
    ];
    for (const [n, [list, becomes]] of grants.entries()) {
      const making = keys.create(accountId, { name: `key_${n}`, grants: list, createdBy: userId });
      if (becomes.includes('_')) {
        await refused(making, becomes as ErrorCode);
        continue;
      }
      const { key, secret } = await making;
      assert.equal(`${key.kind}${key.isReadOnly ? ' read-only' : ''}`, becomes);
      assert.match(secret, /^aks_[0-9a-f]{64}$/);
      assert.equal(key.secretTail, secret.slice(-4));
      assert.equal(key.name, `akn_key_${n}`);
      assert.deepEqual(await keys.get(accountId, key.id), key);
      assert.equal(key.grants[0]!.workspaceId, key.kind === 'account' ? '*' : workspaceId);
    }
    assert.equal((await keys.list(accountId)).length, 5);

    const again = (name: string) =>
      keys.create(accountId, { name, grants: [appGrant(workspaceId)], createdBy: userId });
    await refused(again('key_0'), 'duplicate_api_key_name');
    await refused(again('akn_key_0'), 'duplicate_api_key_name');
    for (const name of ['', 'a-b', 'a b', 'akn_', 'x'.repeat(129)])
      await refused(again(name), 'invalid_request');
    const elsewhere = { name: 'key_0', grants: [appGrant(foreign.workspaceId)], createdBy: userId };
    await keys.create(foreign.account.id, elsewhere);
  });

  inhabited('a key opens until it is revoked, and a second later nowhere', async (scene, first) => {
    const { keys, keyVerifier, surroundings, another } = scene;
    const { accountId, workspaceId, userId } = first;
    const make = (name: string) =>
      keys.create(accountId, { name, grants: [appGrant(workspaceId)], createdBy: userId });
    const [kept, revoked] = [await make('kept'), await make('revoked')];
    const elsewhere = (await another()).keyVerifier;
    for (const verifier of [keyVerifier, elsewhere])
      for (const { key, secret } of [kept, revoked])
        assert.deepEqual({ ...(await verifier.verify(secret)), lastUsedMs: undefined }, key);
    for (const wrong of [
      '',
      kept.key.name,
      kept.secret.toUpperCase(),
      `aks_${'0'.repeat(64)}`,
      `${kept.secret} `,
    ])
      assert.equal(await keyVerifier.verify(wrong), undefined);

    await keys.revoke(accountId, revoked.key.id);
    await refused(keys.revoke(accountId, revoked.key.id), 'not_found');
    surroundings.clock.advance(1_001);
    for (const verifier of [keyVerifier, elsewhere]) {
      assert.equal(await verifier.verify(revoked.secret), undefined);
      assert.equal((await verifier.verify(kept.secret))?.id, kept.key.id);
    }
    await make('revoked');
  });

  inhabited('the use of a key is noted to the minute', async (scene, { accountId, workspaceId, userId }) => {
    const { keys, keyVerifier, surroundings } = scene;
    const grants = [appGrant(workspaceId)];
    const { key, secret } = await keys.create(accountId, { name: 'used', grants, createdBy: userId });
    const notedMs = async () => {
      await keyVerifier.close();
      return (await keys.get(accountId, key.id))?.lastUsedMs;
    };
    const firstMs = surroundings.clock.nowMs();
    assert.equal(await notedMs(), undefined);
    await keyVerifier.verify(secret);
    assert.equal(await notedMs(), firstMs);
    surroundings.clock.advance(59_999);
    await keyVerifier.verify(secret);
    assert.equal(await notedMs(), firstMs);
    surroundings.clock.advance(1);
    await keyVerifier.verify(secret);
    assert.equal(await notedMs(), firstMs + 60_000);
  });

  inhabited('keys go with their workspace, and with their cluster for good', async (scene, first) => {
    const { keys, keyVerifier, workspaces, virtualClusters, surroundings } = scene;
    const { accountId, workspaceId, userId: createdBy } = first;
    const { id: shop } = await workspaces.create(accountId, 'Shop');
    const both = { name: 'both', grants: [appGrant(workspaceId), appGrant(shop)], createdBy };
    const [twice, once] = [
      await keys.create(accountId, both),
      await keys.create(accountId, { name: 'once', grants: [appGrant(shop)], createdBy }),
    ];
    assert.equal((await keyVerifier.verify(twice.secret))?.grants.length, 2);
    await workspaces.delete(accountId, shop);
    surroundings.clock.advance(1_001);
    assert.equal(await keyVerifier.verify(once.secret), undefined);
    assert.deepEqual((await keyVerifier.verify(twice.secret))?.grants, [appGrant(workspaceId)]);

    const made = await virtualClusters.create(accountId, workspaceId, cluster);
    const agent = await keys.create(accountId, { name: 'agent', grants: [agentGrant(made.id)], createdBy });
    await virtualClusters.delete(accountId, made.id);
    assert.deepEqual(await virtualClusters.listForgotten(), []);
    await virtualClusters.forget(made);
    assert.equal((await virtualClusters.listDeleted(accountId)).length, 1);
    surroundings.clock.advance(30 * dayMs);
    const forgotten = await virtualClusters.listForgotten();
    assert.deepEqual(
      forgotten.map(({ id }) => id),
      [made.id],
    );
    assert.notEqual(await keyVerifier.verify(agent.secret), undefined);
    await virtualClusters.forget(forgotten[0]!);
    surroundings.clock.advance(1_001);
    assert.equal(await keyVerifier.verify(agent.secret), undefined);
    assert.deepEqual(await virtualClusters.listForgotten(), []);
  });

  inhabited('virtual clusters are made, changed, deleted and brought back', async (scene, first) => {
    const { virtualClusters, workspaces, surroundings } = scene;
    const { accountId, workspaceId } = first;
    const make = (change: Partial<NewVirtualCluster>) =>
      virtualClusters.create(accountId, workspaceId, { ...cluster, ...change });
    const orders = await make({ tags: { team: 'shop' } });
    assert.match(orders.id, /^vci_[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}$/);
    const registry = await make({ type: 'byoc_schema_registry', place: { regionGroup: 'eu' } });
    const lake = await make({ type: 'byoc_data_lake', name: 'vcn_dl_lake' });
    assert.deepEqual(
      [registry, lake].map(({ id, name, place }) => [id.slice(0, 7), name, place]),
      [
        ['vci_sr_', 'vcn_sr_orders', { regionGroup: 'eu' }],
        ['vci_dl_', 'vcn_dl_lake', { region: 'us-east-1' }],
      ],
    );
    await refused(make({}), 'duplicate_name');
    await refused(make({ name: 'vcn_orders' }), 'duplicate_name');
    for (const name of ['', 'ab', 'a-b', 'vcn_ab', 'x'.repeat(129)])
      await refused(make({ name }), 'invalid_request');
    const { id: shop } = await workspaces.create(accountId, 'Shop');
    await virtualClusters.create(accountId, shop, { ...cluster, id: 'vci_given' });
    await refused(make({ name: 'given', id: 'vci_given' }), 'conflict');

    const changed = await virtualClusters.change(accountId, orders.id, {
      name: 'purchases',
      tier: 'enterprise',
      tags: { b: '2', a: '1' },
      isDeletionProtected: true,
    });
    assert.deepEqual(changed, {
      ...orders,
      name: 'vcn_purchases',
      tier: 'enterprise',
      tags: { a: '1', b: '2' },
      isDeletionProtected: true,
    });
    assert.deepEqual(await virtualClusters.get(accountId, orders.id), changed);
    await refused(
      virtualClusters.change(accountId, orders.id, {
        tags: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`t${n}`, ''])),
      }),
      'invalid_request',
    );
    await make({});
    await refused(virtualClusters.change(accountId, orders.id, { name: 'orders' }), 'duplicate_name');

    await refused(virtualClusters.delete(accountId, orders.id), 'deletion_protected');
    await virtualClusters.change(accountId, orders.id, { isDeletionProtected: false });
    await virtualClusters.delete(accountId, orders.id);
    await refused(virtualClusters.delete(accountId, orders.id), 'not_found');
    assert.equal(await virtualClusters.find(orders.id), undefined);
    assert.deepEqual(
      (await virtualClusters.listDeleted(accountId)).map(({ id, deletedMs }) => [id, deletedMs]),
      [[orders.id, surroundings.clock.nowMs()]],
    );
    await make({ name: 'purchases' });
    await refused(virtualClusters.restore(accountId, orders.id), 'duplicate_name');
    assert.equal((await virtualClusters.restore(accountId, orders.id, 'old')).name, 'vcn_old');
    await refused(virtualClusters.restore(accountId, orders.id), 'not_found');
    await virtualClusters.delete(accountId, orders.id);
    surroundings.clock.advance(30 * dayMs);
    assert.deepEqual(await virtualClusters.listDeleted(accountId), []);
    await refused(virtualClusters.restore(accountId, orders.id), 'not_found');
  });

  inhabited(
    'nothing of another account is found or changed',
    async (scene, { accountId, workspaceId, userId }) => {
      const { users, roles, invitations, workspaces, keys, virtualClusters, accounts, auditLog } = scene;
      const [role] = await roles.list(accountId);
      const { id: clusterId } = await virtualClusters.create(accountId, workspaceId, cluster);
      const deleted = await virtualClusters.create(accountId, workspaceId, { ...cluster, name: 'deleted' });
      await virtualClusters.delete(accountId, deleted.id);
      const grants = [appGrant(workspaceId)];
      const { key } = await keys.create(accountId, { name: 'key', grants, createdBy: userId });
      const [invited] = await invitations.create(accountId, [{ email: 'x@y.z', roleId: role!.id }], userId);
      const { account } = await accounts.create('Eve');
      const eve = account.id;
      const attempts: Record<string, Promise<unknown>> = {
        'delete a user': users.delete(eve, userId),
        'rename a user': users.rename(eve, userId, 'x'),
        'set a password': users.setPassword(eve, userId, password),
        'link an identity': users.linkIdentity(eve, userId, { issuer: 'i', subject: 's' }),
        'update a role': roles.update(eve, role!.id, 'xyz', []),
        'delete a role': roles.delete(eve, role!.id),
        'give a role': users.create(eve, { email: 'e@e.e', name: '', proof, roleIds: [role!.id] }),
        'give a role to a user': roles.changeOfUser(eve, userId, { assigned: [role!.id] }),
        'invite to a role': invitations.create(eve, [{ email: 'e@e.e', roleId: role!.id }], userId),
        'revoke an invitation': invitations.revoke(eve, invited!.invitation.id),
        'rename a workspace': workspaces.rename(eve, workspaceId, 'xyz'),
        'delete a workspace': workspaces.delete(eve, workspaceId),
        'make a cluster': virtualClusters.create(eve, workspaceId, { ...cluster, name: 'mine' }),
        'change a cluster': virtualClusters.change(eve, clusterId, { tier: 'dev' }),
        'delete a cluster': virtualClusters.delete(eve, clusterId),
        'restore a cluster': virtualClusters.restore(eve, deleted.id),
        'revoke a key': keys.revoke(eve, key.id),
        'make a key': keys.create(eve, { name: 'key', grants, createdBy: userId }),
        'make an agent key': keys.create(eve, {
          name: 'key',
          grants: [agentGrant(clusterId)],
          createdBy: userId,
        }),
      };
      const found = await outcomes(Object.values(attempts));
      assert.deepEqual(
        Object.keys(attempts).map((what, n) => `${what}: ${found[n]}`),
        Object.keys(attempts).map((what) => `${what}: not_found`),
      );
      assert.equal(await users.get(eve, userId), undefined);
      assert.equal(await workspaces.get(eve, workspaceId), undefined);
      assert.equal(await virtualClusters.get(eve, clusterId), undefined);
      assert.equal(await keys.get(eve, key.id), undefined);
      await auditLog.append([{ ...note, accountId }]);
      assert.deepEqual(
        [
          await users.list(eve),
          await invitations.list(eve),
          await keys.list(eve),
          await virtualClusters.list(eve),
          await virtualClusters.listDeleted(eve),
          (await auditLog.search({ accountId: eve })).entries,
        ],
        Array(6).fill([]),
      );
    },
  );

  inhabited('no secret is stored as it is', async (scene, { accountId, workspaceId, userId }) => {
    const { sessions, keys, invitations, roles, url, surroundings } = scene;
    const [role] = await roles.list(accountId);
    const grants = [appGrant(workspaceId)];
    const { secret } = await keys.create(accountId, { name: 'key', grants, createdBy: userId });
    const [invited] = await invitations.create(accountId, [{ email: 'x@y.z', roleId: role!.id }], userId);
    const { token } = await sessions.begin({ userId, remoteAddress: '', userAgent: '' });
    const { database, close } = await openDatabase(url, surroundings);
    const stored = JSON.stringify([
      await database.selectFrom('weir_users').selectAll().execute(),
      await database.selectFrom('weir_api_keys').selectAll().execute(),
      await database.selectFrom('weir_invitations').selectAll().execute(),
      await database.selectFrom('weir_sessions').selectAll().execute(),
    ]);
    await close();
    for (const shown of [password, secret, secret.slice(4), token, invited!.token])
      assert.equal(stored.includes(shown), false);
  });

  const note: AuditNote = {
    accountId: 'ti_1',
    actor: { kind: 'user', id: 'ui_1', name: 'ada@example.com' },
    remoteAddress: '203.0.113.7',
    userAgent: 'Firefox',
    operation: 'delete_topic',
    workspaceId: 'wi_1',
    targets: ['vci_1', 'orders'],
    result: 'ok',
  };

  contract(
    'an entry of the audit log comes back as it was, within limits',
    async ({ auditLog, surroundings }) => {
      const timeMs = surroundings.clock.nowMs();
      await auditLog.append([{ ...note, message: 'why' }]);
      const { entries, nextCursor } = await auditLog.search({ accountId: 'ti_1' });
      assert.match(entries[0]!.id, /^aei_/);
      assert.deepEqual(entries, [{ ...note, message: 'why', id: entries[0]!.id, timeMs }]);
      assert.equal(nextCursor, undefined);

      const long = `\u0000${'x'.repeat(100_000)}`;
      await auditLog.append([
        {
          ...note,
          accountId: 'ti_2',
          actor: { kind: 'anonymous', id: '', name: long },
          remoteAddress: long,
          userAgent: `${'x'.repeat(caps.userAgentCharsMax - 1)}😀`,
          operation: long,
          targets: Array.from({ length: 1_000 }, (_, n) => `${n}${long}`),
          result: long,
          message: long,
        },
      ]);
      const [bounded] = (await auditLog.search({ accountId: 'ti_2' })).entries;
      assert.ok(JSON.stringify(bounded).length < 20_000);
      assert.equal(bounded!.targets.length, caps.auditTargetsMax);
      assert.equal(bounded!.userAgent.isWellFormed(), true);
      for (const cursor of ['', 'x', 'MTIz', Buffer.from('1.aei_1 OR 1').toString('base64url')])
        await refused(auditLog.search({ accountId: 'ti_1', cursor }), 'invalid_request');
    },
  );

  contract(
    'a search of the audit log finds what matches, page by page',
    async ({ auditLog, surroundings }) => {
      const random = seededRandom(7);
      const one = <Value>(values: readonly Value[]) => values[random.below(values.length)]!;
      const startMs = surroundings.clock.nowMs();
      const notes: (AuditNote & { timeMs: number })[] = [];
      for (let n = 0; n < 60; n++) {
        // Several in the same millisecond, so that the cursor has to tell them apart.
        surroundings.clock.advance(random.below(2));
        const workspaceId = one([undefined, 'wi_1', 'wi_2']);
        const written: AuditNote = {
          accountId: one(['ti_1', 'ti_1', 'ti_2']),
          actor: one([note.actor, { kind: 'api_key', id: 'aki_1', name: 'akn_1' }]),
          remoteAddress: '',
          userAgent: '',
          operation: one(['create_topic', 'delete_topic']),
          ...(workspaceId === undefined ? {} : { workspaceId }),
          targets: [['vci_1'], ['vci_2'], ['vci_1', 'vci_2'], []][random.below(4)]!,
          result: one(['ok', 'not_found']),
        };
        await auditLog.append([written]);
        notes.push({ ...written, timeMs: surroundings.clock.nowMs() });
      }
      const timeMs = fc.integer({ min: startMs, max: surroundings.clock.nowMs() + 1 });
      const search = fc.record(
        {
          accountId: fc.constantFrom('ti_1', 'ti_2', 'ti_3'),
          fromMs: timeMs,
          toMs: timeMs,
          actor: fc.constantFrom('ui_1', 'ada@example.com', 'aki_1', 'akn_1', 'x'),
          operation: fc.constantFrom('create_topic', 'delete_topic', 'x'),
          target: fc.constantFrom('vci_1', 'vci_2', 'x'),
          result: fc.constantFrom('ok', 'not_found'),
          workspaceIds: fc.subarray(['wi_1', 'wi_2']),
        },
        { requiredKeys: ['accountId'] },
      );
      await fc.assert(
        fc.asyncProperty(search, fc.integer({ min: 3, max: 70 }), async (wanted, limit) => {
          const expected = notes.filter((written) => matches(written, wanted));
          const found: number[] = [];
          const ids = new Set<string>();
          let cursor: string | undefined;
          do {
            const page = await auditLog.search({
              ...wanted,
              limit,
              ...(cursor === undefined ? {} : { cursor }),
            });
            assert.ok(page.entries.length <= limit);
            for (const entry of page.entries) {
              assert.ok(matches(entry, wanted));
              found.push(entry.timeMs);
              ids.add(entry.id);
            }
            cursor = page.nextCursor;
          } while (cursor !== undefined);
          assert.equal(ids.size, found.length);
          assert.deepEqual(found, expected.map((entry) => entry.timeMs).toReversed());
        }),
        { numRuns: 40 },
      );
    },
  );

  contract('what is over goes', async ({ setup, sessions, auditLog, tidy, url, surroundings, ...scene }) => {
    await setup.begin();
    const made = await setup.finishAlone(ada);
    const { id: accountId } = made!.account;
    const invited = [{ email: 'x@y.z', roleId: made!.adminRoleId }];
    const count = 1_200;
    const begin = () => sessions.begin({ userId: made!.user.id, remoteAddress: '', userAgent: '' });
    await begin();
    await scene.invitations.create(accountId, invited, made!.user.id);
    await auditLog.append(Array.from({ length: count }, () => ({ ...note, accountId })));
    surroundings.clock.advance(90 * dayMs);
    await auditLog.append([{ ...note, accountId }]);
    await begin();
    await tidy();
    surroundings.clock.advance(1);
    await tidy();
    const { database, close } = await openDatabase(url, surroundings);
    const left = async (
      table: 'weir_sessions' | 'weir_invitations' | 'weir_audit_entries' | 'weir_audit_targets',
    ) =>
      (
        await database
          .selectFrom(table)
          .select((row) => row.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
      ).count;
    assert.deepEqual(
      [
        await left('weir_sessions'),
        await left('weir_invitations'),
        await left('weir_audit_entries'),
        await left('weir_audit_targets'),
      ],
      [1, 0, 1, 2],
    );
    await close();
  });
}

function matches(
  entry: AuditNote & { readonly timeMs: number },
  { accountId, fromMs, toMs, actor, operation, target, result, workspaceIds }: AuditSearch,
): boolean {
  return (
    entry.accountId === accountId &&
    (fromMs === undefined || entry.timeMs >= fromMs) &&
    (toMs === undefined || entry.timeMs < toMs) &&
    (actor === undefined || [entry.actor.id, entry.actor.name].includes(actor)) &&
    (operation === undefined || entry.operation === operation) &&
    (target === undefined || entry.targets.includes(target)) &&
    (result === undefined || entry.result === result) &&
    (workspaceIds === undefined ||
      (entry.workspaceId !== undefined && workspaceIds.includes(entry.workspaceId)))
  );
}
