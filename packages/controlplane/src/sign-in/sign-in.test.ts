import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { sessionCookie } from '@weir/api';
import { startTestProvider, type TestProvider } from '@weir/oidc/testing';
import fc from 'fast-check';
import { Browser, type Page } from '../../testing/browser.ts';
import { type SignInStage, startSignInStage } from '../../testing/sign-in-stage.ts';
import { password } from '../../testing/two-accounts.ts';
import type { NewSsoConnection } from '../accounts/sso/sso-connections.ts';

interface Scene extends SignInStage {
  readonly provider: TestProvider;
  readonly login: string;
  readonly connectionId: string;
}

async function stage(t: TestContext, changes: Partial<NewSsoConnection> = {}): Promise<Scene> {
  const made = await startSignInStage(t);
  const provider = await startTestProvider(t, () => made.deps.clock.nowMs());
  const { id } = await made.connect(provider.url, changes);
  return { ...made, provider, login: `${made.url}/login/sso/example`, connectionId: id };
}

/** The browser is at the provider, about to be redirected; returns the redirect URL. */
async function backFrom(scene: Scene, browser: Browser, login = scene.login): Promise<string> {
  const isBack = ({ headers }: Page) => headers.location?.startsWith(`${scene.url}/login/callback`) === true;
  const page = await browser.open(login, isBack);
  assert.ok(isBack(page), page.text);
  return page.headers.location!;
}

test('sign-in: a new user gets the default role, and returns as the same user', async (t) => {
  const scene = await stage(t);
  const { login, accounts, ours, whoIs } = scene;
  for (let times = 0; times < 2; times++) {
    const browser = new Browser();
    const page = await browser.open(`${login}?return_to=/clusters%3Fx=1`);
    assert.equal(page.text, 'the console at /clusters', page.text);
    assert.equal(page.url, `${scene.url}/clusters?x=1`);
    assert.equal(await whoIs(browser), 'alice@example.com');
    assert.deepEqual([...browser.cookies(login).keys()], [sessionCookie], 'no other cookie is left');
  }
  const users = await accounts.users.list(ours.accountId);
  assert.deepEqual(
    users.map(({ email, name, roleIds, hasPassword }) => [email, name, roleIds, hasPassword]),
    [['alice@example.com', 'Alice', [ours.adminRoleId], false]],
  );
  assert.equal(users[0]!.lastSignInMs, scene.deps.clock.nowMs());
  assert.deepEqual(
    (await scene.auditEntries()).map(({ result, actor, targets }) => [result, actor, targets]),
    Array(2).fill(['ok', 'alice@example.com', [users[0]!.id, 'alice@example.com', scene.connectionId]]),
  );
});

test('sign-in: the methods of an installation with one connection name it', async (t) => {
  const { url, connect, accounts, ours } = await startSignInStage(t);
  const path = async () => {
    const { text } = await new Browser().step(`${url}/api/v1/get_sign_in_methods`);
    return (JSON.parse(text) as { sso_login_path: string | null }).sso_login_path;
  };
  assert.equal(await path(), null);
  await connect('https://id.example');
  assert.equal(await path(), '/login/sso/example');
  const { account, adminRoleId } = await accounts.accounts.create('Other');
  const connection = (await accounts.ssoConnections.get(ours.accountId))!;
  const other = { ...connection, identifier: 'other', defaultRoleId: adminRoleId, clientSecret: 'x' };
  await accounts.ssoConnections.create(account.id, other);
  assert.equal(await path(), null, 'more than one connection matches');
});

test('sign-in: cookies are protected from scripts and other sites', async (t) => {
  const scene = await stage(t);
  const browser = new Browser();
  const { headers } = await browser.step(scene.login);
  const [cookie] = headers['set-cookie']!;
  assert.match(cookie!, /^weir_sso=v1\.[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.equal(headers['cache-control'], 'no-store');
  const pending = cookie!.split(/[=;]/)[1]!;
  const { state, nonce } = Object.fromEntries(new URL(headers.location!).searchParams);
  for (const secret of [state!, nonce!]) assert.ok(!pending.includes(secret));
  const secure = await startSignInStage(t, { publicUrl: () => 'https://console.example' });
  await secure.connect(scene.provider.url);
  const page = await new Browser().step(`${secure.url}/login/sso/example`);
  assert.match(page.headers['set-cookie']![0]!, /^__Host-weir_sso=.*; Path=\/; .*; Secure$/);
  const back = new URL(page.headers.location!).searchParams.get('redirect_uri');
  assert.equal(back, 'https://console.example/login/callback?connection=example');
});

test('sign-in: a session that an attacker planted is worthless afterwards', async (t) => {
  const scene = await stage(t);
  const { accounts, ours, url, login } = scene;
  const mallory = await ours.user('mallory', { workspaceId: '*', managedGrantName: 'read_only' });
  const { id: userId } = (await accounts.users.findByEmail(mallory))!;
  const { token } = await accounts.sessions.begin({ userId, remoteAddress: '', userAgent: '' });
  const browser = new Browser();
  browser.keep(url, sessionCookie, token);
  await browser.open(login);
  const fresh = browser.cookies(url).get(sessionCookie)!.value;
  assert.notEqual(fresh, token);
  assert.equal(await accounts.sessions.resume(token), undefined, 'the session has ended');
  assert.equal(await scene.whoIs(browser), 'alice@example.com');
});

test('sign-in: for any return path the browser stays on our own origin', async (t) => {
  const scene = await stage(t);
  const wanted = fc.oneof(
    fc.constantFrom(
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/%09/evil.example',
      'javascript:alert(1)',
      '/\t/evil.example',
      '%2f%2fevil.example',
      '/..//evil.example',
      'http:evil.example',
      '/ok?x=//evil.example',
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.webUrl(),
  );
  await fc.assert(
    fc.asyncProperty(wanted, async (text) => {
      const browser = new Browser();
      const back = await backFrom(
        scene,
        browser,
        `${scene.login}?return_to=${encodeURIComponent(text.toWellFormed())}`,
      );
      const { status, headers } = await browser.step(back, true);
      assert.equal(status, 303);
      assert.equal(new URL(headers.location!, back).origin, scene.url);
      // Real users do not begin as many sign-ins at once.
      scene.deps.clock.advance(1_000);
    }),
    { numRuns: 60 },
  );
});

type Attempt = [
  what: string,
  go: (scene: Scene, browser: Browser) => Promise<Page>,
  status: number,
  message: RegExp,
  audited: string | undefined,
];

const refused: readonly Attempt[] = [
  [
    'by an unknown connection',
    ({ url }, browser) => browser.step(`${url}/login/sso/other`),
    404,
    /connection not found/,
    undefined,
  ],
  [
    'by an invalid name',
    ({ url }, browser) => browser.step(`${url}/login/sso/..%2f%3Cscript%3E`),
    404,
    /connection not found/,
    undefined,
  ],
  [
    'without having begun',
    ({ url }, browser) => browser.step(`${url}/login/callback?connection=example&code=x&state=y`, true),
    401,
    /another browser, or has expired/,
    'invalid_token',
  ],
  [
    'in another browser',
    async (scene, browser) => new Browser().step(await backFrom(scene, browser), true),
    401,
    /another browser/,
    'invalid_token',
  ],
  [
    'with the state of another sign-in',
    async (scene, browser) => {
      const back = await backFrom(scene, new Browser());
      await backFrom(scene, browser);
      return browser.step(back, true);
    },
    401,
    /another browser/,
    'invalid_token',
  ],
  [
    'too late',
    async (scene, browser) => {
      const back = await backFrom(scene, browser);
      scene.deps.clock.advance(600_000);
      return browser.step(back, true);
    },
    401,
    /has expired/,
    'invalid_token',
  ],
  [
    'twice with one code',
    async (scene, browser) => {
      const back = await backFrom(scene, browser);
      const { value } = browser.cookies(scene.url).get('weir_sso')!;
      assert.equal((await browser.step(back, true)).status, 303);
      const other = new Browser();
      other.keep(scene.url, 'weir_sso', value, 'SameSite=Lax');
      return other.step(back, true);
    },
    401,
    /returned no valid identity token/,
    'invalid_token',
  ],
  [
    'by a connection that took the place of the one it began with',
    async (scene, browser) => {
      const back = await backFrom(scene, browser);
      const { accounts, ours, connectionId } = scene;
      await ours.user('root', { workspaceId: '*', managedGrantName: 'admin' });
      await accounts.ssoConnections.delete(ours.accountId, connectionId);
      await scene.connect(scene.provider.url);
      return browser.step(back, true);
    },
    401,
    /another browser/,
    'invalid_token',
  ],
  [
    'refused by the provider',
    (scene, browser) => {
      scene.provider.behaviour.refusal = 'access_denied';
      return browser.open(scene.login);
    },
    401,
    /did not sign you in \(access_denied\)/,
    'invalid_credentials',
  ],
  [
    'refused by the provider, with a script as error code',
    (scene, browser) => {
      scene.provider.behaviour.refusal = '<script>alert(1)</script>';
      return browser.open(scene.login);
    },
    401,
    /did not sign you in\.</,
    'invalid_credentials',
  ],
  [
    'by a forged token',
    (scene, browser) => {
      const { behaviour, issuer } = scene.provider;
      behaviour.idToken = (claims) => issuer.foreignToken(claims);
      return browser.open(scene.login);
    },
    401,
    /returned no valid identity token/,
    'invalid_token',
  ],
  [
    'while the issuer is unavailable',
    (scene, browser) => {
      scene.provider.issuer.documents.clear();
      return browser.open(scene.login);
    },
    503,
    /is not reachable/,
    'unavailable',
  ],
  [
    'while its token endpoint is unavailable',
    (scene, browser) => {
      scene.provider.behaviour.tokenStatus = 500;
      return browser.open(scene.login);
    },
    503,
    /is not reachable/,
    'unavailable',
  ],
  [
    'without an address',
    (scene, browser) => {
      scene.provider.behaviour.claims = {};
      return browser.open(scene.login);
    },
    403,
    /does not return your e-mail address/,
    'forbidden',
  ],
];

for (const [what, go, status, message, audited] of refused) {
  test(`sign-in: no user is signed in ${what}`, async (t) => {
    const scene = await stage(t);
    const browser = new Browser();
    const page = await go(scene, browser);
    assert.equal(page.status, status, page.text);
    assert.match(page.text, message);
    assert.doesNotMatch(page.text, /<script|code-\d|secret/);
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
    assert.equal(page.headers['referrer-policy'], 'no-referrer');
    assert.equal(page.headers['cache-control'], 'no-store');
    const failures = (await scene.auditEntries()).filter(({ result }) => result !== 'ok');
    assert.deepEqual(
      failures.map(({ result }) => result),
      audited === undefined ? [] : [audited],
    );
    const output = scene.lines.join('\n') + JSON.stringify(failures);
    assert.ok(
      !output.includes(scene.provider.clientSecret) && !/code-\d/.test(output),
      'no secret is logged or audited',
    );
  });
}

test('sign-in: failed attempts are rate-limited, and successful ones are not', async (t) => {
  const scene = await stage(t);
  const guesser = new Browser({ 'x-forwarded-for': '198.51.100.7' });
  const guess = `${scene.url}/login/callback?connection=example&code=x&state=y`;
  const statuses: number[] = [];
  for (let times = 0; times < 40; times++) statuses.push((await guesser.step(guess)).status);
  assert.deepEqual([...new Set(statuses)], [401, 429]);
  assert.equal((await scene.auditEntries()).length, 1, 'all within a minute are one entry');
  for (let times = 0; times < 40; times++) {
    const page = await new Browser({ 'x-forwarded-for': '198.51.100.8' }).open(scene.login);
    assert.equal(page.status, 200);
  }
});

test('sign-in: only GET is answered', async (t) => {
  const scene = await stage(t);
  for (const method of ['POST', 'HEAD', 'DELETE']) {
    const answer = await fetch(scene.login, { method, redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET']);
  }
});

test('sign-in: issuers in the private network are not contacted unless allowed', async (t) => {
  const made = await startSignInStage(t, { allowsPrivateAddresses: false });
  const provider = await startTestProvider(t, () => made.deps.clock.nowMs());
  const place = new URL(provider.url);
  await made.connect(provider.url);
  const page = await new Browser().open(`${made.url}/login/sso/example`);
  assert.equal(page.status, 503);
  assert.doesNotMatch(page.text, /127\.0\.0\.1:\d+\/realm/, 'the page does not reveal the address');
  assert.deepEqual(provider.issuer.asked, []);
  const { message } = (await made.auditEntries())[0]!;
  assert.match(message!, new RegExp(`${place.hostname} is not on the public internet`));
});

test('sign-in: an issuer that does not answer times out', async (t) => {
  const made = await startSignInStage(t);
  const silent = createServer(() => came.resolve());
  const came = Promise.withResolvers<void>();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  await made.connect(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
  const open = () => new Browser().step(`${made.url}/login/sso/example`);
  const waiting = open();
  await came.promise;
  made.deps.clock.advance(20_000);
  const page = await waiting;
  assert.equal(page.status, 503);
  assert.match(page.text, /did not respond in time/);
  assert.equal((await made.auditEntries())[0]!.result, 'unavailable');
});

test('sign-in: roles follow the claim, at each sign-in', async (t) => {
  const scene = await stage(t, { hasRoleMapping: true });
  const { accounts, ours, provider, login } = scene;
  const root = await ours.user('root', { workspaceId: '*', managedGrantName: 'admin' });
  const readers = await accounts.roles.create(ours.accountId, 'readers', []);
  await accounts.roles.create(ours.accountId, 'writers', []);
  await accounts.ssoConnections.update(ours.accountId, scene.connectionId, { defaultRoleId: readers.id });
  // biome-ignore format: a table
  const signIns: [what: string, claims: object, userinfo: object | undefined, roles: string[]][] = [
    ['one',                   { groups: 'writers' },                      undefined,              ['writers']],
    ['two',                   { groups: ['readers', 'writers'] },         undefined,              ['readers', 'writers']],
    ['others do not count',   { groups: ['Writers', 'x', 7, null] },      undefined,              ['readers']],
    ['administrators',        { groups: ['Admin'] },                      undefined,              ['Admin']],
    ['none',                  { groups: [] },                             undefined,              ['readers']],
    ['only in userinfo',      {},                                         { groups: ['writers'] }, ['writers']],
    ['the token counts',      { groups: ['readers'] },                    { groups: ['writers'] }, ['readers']],
    ['no claim',              {},                                         undefined,              ['readers']],
  ];
  const names = new Map((await accounts.roles.list(ours.accountId)).map(({ id, name }) => [id, name]));
  for (const [what, claims, userinfo, roles] of signIns) {
    provider.behaviour.claims = { email: 'alice@example.com', email_verified: true, ...claims };
    provider.behaviour.userinfo = userinfo as Record<string, unknown> | undefined;
    assert.equal((await new Browser().open(login)).status, 200, what);
    const alice = (await accounts.users.list(ours.accountId)).find(({ email }) => email !== root)!;
    assert.deepEqual(alice.roleIds.map((id) => names.get(id)).sort(), roles, what);
  }
});

test('sign-in: the last administrator retains their roles when the claim is lost, and it is audited', async (t) => {
  const scene = await stage(t, { hasRoleMapping: true });
  const { accounts, ours, provider, login } = scene;
  const readers = await accounts.roles.create(ours.accountId, 'readers', []);
  await accounts.ssoConnections.update(ours.accountId, scene.connectionId, { defaultRoleId: readers.id });
  provider.behaviour.claims = { ...provider.behaviour.claims, groups: ['Admin'] };
  await new Browser().open(login);
  provider.behaviour.claims = { ...provider.behaviour.claims, groups: [] };
  const browser = new Browser();
  await browser.open(login);
  const [alice] = await accounts.users.list(ours.accountId);
  assert.ok(alice!.roleIds.includes(ours.adminRoleId));
  assert.match((await scene.auditEntries()).at(-1)!.message!, /the last administrator keeps the role/);
});

test('sign-in: users with a password cannot be taken over', async (t) => {
  const scene = await stage(t);
  const email = await scene.ours.user('ada', { workspaceId: '*', managedGrantName: 'admin' });
  scene.provider.behaviour.claims = { email, email_verified: true };
  const page = await new Browser().open(scene.login);
  assert.equal(page.status, 409);
  assert.match(page.text, /signs in with a password/);
  assert.ok(await scene.accounts.users.authenticate(email, password));
});

test('sign-in: an unopenable secret is reported without details', async (t) => {
  const scene = await stage(t);
  const browser = new Browser();
  const back = await backFrom(scene, browser);
  scene.accounts.ssoConnections.clientSecretOf = () => Promise.reject(new Error('sealed with the key 12'));
  const page = await browser.step(back, true);
  assert.equal(page.status, 503);
  assert.match(page.text, /an administrator must enter it again/);
  assert.doesNotMatch(page.text, /key 12/);
});
