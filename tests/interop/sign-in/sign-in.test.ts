import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@weir/core';
import { Browser } from '../../../packages/controlplane/testing/browser.ts';
import { startSignInStage } from '../../../packages/controlplane/testing/sign-in-stage.ts';
import { startOpenIdProvider } from './open-id-provider.ts';

const alice = { id: 'alice', email: 'alice@example.com', isEmailVerified: true, groups: ['readers'] };

async function stage(
  t: TestContext,
  proof: 'client_secret_basic' | 'client_secret_post' = 'client_secret_basic',
) {
  const made = await startSignInStage(t, { clock: systemClock });
  const redirectUrl = `${made.url}/login/callback?connection=example`;
  const provider = await startOpenIdProvider(t, { redirectUrl, proof });
  const readers = await made.accounts.roles.create(made.ours.accountId, 'readers', []);
  const { id } = await made.connect(provider.url, { hasRoleMapping: true, defaultRoleId: readers.id });
  await made.ours.user('root', { workspaceId: '*', managedGrantName: 'admin' });
  return { ...made, provider, readers, connectionId: id, login: `${made.url}/login/sso/example` };
}

for (const proof of ['client_secret_basic', 'client_secret_post'] as const) {
  test(`sign-in: by a certified provider that wants ${proof}`, async (t) => {
    const { provider, login, url, whoIs, accounts, readers, ours } = await stage(t, proof);
    provider.person = alice;
    const browser = new Browser();
    const page = await browser.open(`${login}?return_to=/topics`);
    assert.equal(page.text, 'the console at /topics', page.text);
    assert.equal(page.url, `${url}/topics`);
    assert.equal(await whoIs(browser), 'alice@example.com');
    const user = (await accounts.users.list(ours.accountId)).find(({ email }) => email === alice.email)!;
    assert.deepEqual([user.name, user.roleIds], ['Name of alice', [readers.id]]);
    assert.ok(await accounts.users.findByIdentity({ issuer: provider.url, subject: 'alice' }));
  });
}

test('sign-in: roles follow what the provider tells, and a browser that is known there signs in at once', async (t) => {
  const { provider, login, accounts, ours, readers } = await stage(t);
  const browser = new Browser();
  const rolesWith = async (groups: string[]) => {
    provider.person = { ...alice, groups };
    assert.equal((await browser.open(login)).status, 200);
    return (await accounts.users.list(ours.accountId)).find(({ email }) => email === alice.email)!.roleIds;
  };
  assert.deepEqual(await rolesWith(['Admin', 'others']), [ours.adminRoleId]);
  assert.deepEqual(await rolesWith([]), [readers.id]);
  const isInteraction = (path: string) => path.startsWith('/interaction/');
  assert.equal(provider.requestedPaths.filter(isInteraction).length, 1);
});

test('sign-in: who does not want to is told so', async (t) => {
  const { login, auditEntries, whoIs } = await stage(t);
  const browser = new Browser();
  const page = await browser.open(login);
  assert.equal(page.status, 401);
  assert.match(page.text, /\(access_denied\)/);
  assert.doesNotMatch(page.text, /Nobody wants/);
  assert.equal(await whoIs(browser), undefined);
  assert.deepEqual(
    (await auditEntries()).map(({ result }) => result),
    ['invalid_credentials'],
  );
});

test('sign-in: a code is worth nothing without the browser that asked for it', async (t) => {
  const { provider, login, url } = await stage(t);
  provider.person = alice;
  const victim = new Browser();
  const { headers } = await victim.open(login, (page) => page.headers.location?.startsWith(url) === true);
  const mallory = new Browser();
  const own = await mallory.open(login, (page) => page.headers.location?.startsWith(url) === true);
  // The victim's code with the state of mallory's own sign-in.
  const stolen = new URL(own.headers.location!);
  stolen.searchParams.set('code', new URL(headers.location!).searchParams.get('code')!);
  const page = await mallory.step(stolen.href, true);
  assert.equal(page.status, 401, page.text);
  assert.match(page.text, /returned no valid identity token/);
});

test('sign-in: a wrong secret is for the operator to know', async (t) => {
  const { provider, login, accounts, ours, connectionId, auditEntries } = await stage(t);
  provider.person = alice;
  await accounts.ssoConnections.update(ours.accountId, connectionId, { clientSecret: 'wrong' });
  const page = await new Browser().open(login);
  assert.equal(page.status, 401);
  assert.doesNotMatch(page.text, /invalid_client/);
  assert.match((await auditEntries())[0]!.message!, /status 401 \(invalid_client\)/);
});
