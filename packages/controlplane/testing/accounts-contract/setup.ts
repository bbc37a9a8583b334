import assert from 'node:assert/strict';
import { ada, agentGrant, cluster, dayMs, outcomes, refused, type Stage } from './stage.ts';

/** The setup of an installation. */
export function setupContract({ contract }: Stage): void {
  contract('a setup link creates the first user, once', async ({ setup, users, workspaces, roles }) => {
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
        ['Records reader', 'read_records'],
      ],
    );
  });

  contract('concurrent setups create one first user', async ({ setup, accounts, another }) => {
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

  contract('a link for the first user works for a day', async ({ setup, deps }) => {
    const token = await setup.begin();
    deps.clock.advance(dayMs);
    await refused(setup.finish(token!, ada), 'invalid_token');
    assert.equal(await setup.isNeeded(), true);
  });

  contract(
    'an installation has an account before it has a user',
    async ({ setup, accounts, another, ...scene }) => {
      const other = await another();
      const [founded, same] = await Promise.all([setup.found('New'), other.setup.found('New')]);
      assert.deepEqual(founded, same, 'the first process creates it');
      const { account, workspaceId } = founded!;
      const made = await scene.virtualClusters.create(account.id, workspaceId, cluster);
      const grants = [agentGrant(made.id)];
      const secret = `aks_${'1'.repeat(64)}`;
      await scene.keys.create(account.id, { name: 'first', grants, createdBy: 'first start', secret });
      assert.equal((await scene.keyVerifier.verify(secret))?.name, 'akn_first', 'a key may be given');

      const finished = await setup.finishAlone(ada);
      assert.deepEqual(
        await accounts.list(),
        [{ ...account, name: ada.accountName }],
        'the first user gets it',
      );
      assert.equal(finished?.workspaceId, workspaceId);
      assert.deepEqual(await scene.users.grantsOf(finished!.user.id), [
        { workspaceId: '*', managedGrantName: 'admin' },
      ]);
      assert.equal(await setup.found('Another'), undefined);
      const theirs = await accounts.create('Theirs');
      const foreign = await scene.virtualClusters.create(theirs.account.id, theirs.workspaceId, cluster);
      assert.deepEqual(
        (await scene.virtualClusters.listAll()).map(({ id }) => id),
        [made.id, foreign.id].sort(),
        'a process that serves clusters lists all of them',
      );
    },
  );
}
