import assert from 'node:assert/strict';
import { apiLimits } from '@weir/api/limits';
import { openDatabase } from '../../src/accounts/database/open-database.ts';
import { openAccounts } from '../../src/accounts/open.ts';
import { dayMs, outcomes, password, proof, refused, type Stage } from './stage.ts';

/** Users, roles and invitations. */
export function peopleContract({ inhabited }: Stage): void {
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

  inhabited('a password opens its user only', async ({ users, deps }, { accountId, userId }) => {
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
    assert.equal((await users.get(accountId, userId))?.lastSignInMs, deps.clock.nowMs());
    assert.equal((await users.findByIdentity(identity))?.id, graceId);
    assert.equal(await users.findByIdentity({ ...identity, issuer: 'https://other.example' }), undefined);
    await refused(users.linkIdentity(accountId, userId, identity), 'conflict');
    await users.linkIdentity(accountId, userId, { ...identity, subject: '43' });
    assert.equal((await users.findByIdentity({ ...identity, subject: '43' }))?.id, userId);
    for (const short of ['', 'short', 'x'.repeat(apiLimits.passwordCharsMax + 1)])
      await refused(users.setPassword(accountId, userId, short), 'invalid_request');
  });

  inhabited('a password is hashed anew at sign-in when its cost has changed', async (scene, { userId }) => {
    const { url, deps } = scene;
    const passwordCost = { memoryKiB: 128, passes: 2, parallelism: 1 };
    const later = await openAccounts(url, { ...deps, passwordCost });
    const { database, close } = await openDatabase(url, deps);
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
    const { invitations, users, roles, deps, another } = scene;
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
    deps.clock.advance(7 * dayMs);
    await refused(invitations.accept(late.token, { name: 'L', proof }), 'invalid_token');
    assert.deepEqual(await invitations.list(accountId), []);
  });
}
