import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookieOf, startTestApi } from '../../testing/api-server.ts';
import { accountGrant, agentGrant, appGrant, makeAccount, password } from '../../testing/two-accounts.ts';

test('which keys authorize which operations', async (t) => {
  const { accounts, call } = await startTestApi(t);
  const ours = await makeAccount(accounts, 'Ours');
  const theirs = await makeAccount(accounts, 'Theirs');
  const keyA = await ours.key('a', appGrant(ours.a.id));
  const keyB = await ours.key('b', appGrant(ours.b.id));
  const keyOfBoth = await ours.key('both', appGrant(ours.a.id), appGrant(ours.b.id));
  const keyOfAgents = await ours.key('agents', agentGrant(ours.a));
  const keyOfAccount = await ours.key('account', accountGrant);
  const keyOfTheirs = await theirs.key('theirs', appGrant(theirs.a.id));
  const unknown = `aks_${'0'.repeat(64)}`;
  const [a, b, foreign] = [ours.a.id, ours.b.id, theirs.a.id].map((id) => `service-api-key-${id}`);
  const hyphens = (header: string) => header.replaceAll('_', '-');

  // biome-ignore format: a table
  const cases: [what: string, headers: Record<string, string | string[]>, clusters: string[] | 401][] = [
    ['the only key',                      { 'service-api-key': keyA },                     ['vcn_orders']],
    ['whatever the case of the header',   { 'Service-API-Key': keyA },                     ['vcn_orders']],
    ['of several workspaces',             { 'service-api-key': keyOfBoth },                ['vcn_orders', 'vcn_payments']],
    ['of agents',                         { 'service-api-key': keyOfAgents },              ['vcn_orders']],
    ['of the account',                    { 'service-api-key': keyOfAccount },             []],
    ['for a workspace',                   { [a!]: keyA },                                  ['vcn_orders']],
    ['with hyphens',                      { [hyphens(a!)]: keyA },                         ['vcn_orders']],
    ['for one of its workspaces',         { [b!]: keyOfBoth },                             ['vcn_payments']],
    ['of agents, for its workspace',      { [a!]: keyOfAgents },                           ['vcn_orders']],
    ['two for two workspaces',            { [a!]: keyA, [hyphens(b!)]: keyB },             ['vcn_orders', 'vcn_payments']],
    ['none',                              {},                                              401],
    ['an empty one',                      { 'service-api-key': '' },                       401],
    ['an unknown key',                    { 'service-api-key': unknown },                  401],
    ['not a key',                         { 'service-api-key': 'x' },                      401],
    ['two in one header',                 { 'service-api-key': [keyA, keyA] },             401],
    ['both forms',                        { 'service-api-key': keyA, [a!]: keyA },         401],
    ['for another workspace',             { [b!]: keyA },                                  401],
    ['for a workspace of others',         { [foreign!]: keyA },                            401],
    ['of the account, for a workspace',   { [a!]: keyOfAccount },                          401],
    ['a workspace in both spellings',     { [a!]: keyA, [hyphens(a!)]: keyA },             401],
    ['one good and one unknown',          { [a!]: keyA, [b!]: unknown },                   401],
    ['of two accounts',                   { [a!]: keyA, [foreign!]: keyOfTheirs },         401],
    ['for what is no workspace',          { 'service-api-key-default': keyA },             401],
    ['for nothing',                       { 'service-api-key-': keyA },                    401],
  ];
  for (const [what, headers, expected] of cases) {
    const { status, json } = await call('list_virtual_clusters', { headers });
    if (expected === 401) {
      assert.equal(status, 401, what);
      assert.equal(json.error, 'invalid_api_key', what);
      assert.match(String(json.message), /^invalid API key/, what);
    } else {
      assert.equal(status, 200, what);
      const names = (json.virtual_clusters as { name: string }[]).map(({ name }) => name);
      assert.deepEqual(names, expected, what);
    }
  }
});

test('a revoked key grants no access', async (t) => {
  const { accounts, deps, call } = await startTestApi(t);
  const ours = await makeAccount(accounts, 'Ours');
  const headers = { 'service-api-key': await ours.key('a', appGrant(ours.a.id)) };
  assert.equal((await call('get_context', { headers })).status, 200);
  const [key] = await accounts.keys.list(ours.accountId);
  await accounts.keys.revoke(ours.accountId, key!.id);
  deps.clock.advance(1_001);
  assert.equal((await call('get_context', { headers })).status, 401);
});

test('a session of the console, from setup to sign-out', async (t) => {
  const { accounts, url, call } = await startTestApi(t);
  const origin = { origin: url };
  assert.equal((await call('get_sign_in_methods', { method: 'GET' })).json.needs_setup, true);
  const token = await accounts.setup.begin();
  const body = { token, account_name: 'Example', email: 'ada@example.com', name: 'Ada', password };
  const wrong = await call('setup', { body: { ...body, token: 'x'.repeat(43) }, headers: origin });
  assert.deepEqual([wrong.status, wrong.json.error], [401, 'invalid_token']);
  const made = await call('setup', { body, headers: origin });
  assert.equal(made.status, 200, made.text);
  assert.match(
    String(made.headers['set-cookie']),
    /^service_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const again = await call('setup', { body, headers: origin });
  assert.deepEqual([again.status, again.json.error], [409, 'already_set_up']);

  const cookie = cookieOf(made);
  const me = await call('get_context', { headers: { cookie } });
  assert.deepEqual(
    [me.status, (me.json.actor as { name: string }).name, me.json.is_account_admin],
    [200, 'ada@example.com', true],
  );
  const sessions = (await call('list_sessions', { headers: { cookie } })).json.sessions as object[];
  assert.equal(sessions.length, 1);

  const out = await call('sign_out', { headers: { cookie, ...origin } });
  assert.deepEqual([out.status, out.text], [200, '{}']);
  assert.match(String(out.headers['set-cookie']), /^service_session=; Max-Age=0;/);
  assert.equal((await call('get_context', { headers: { cookie } })).status, 401, 'the token is invalid');
});

test('a sign-in returns a fresh token and ends the previous session of the browser', async (t) => {
  const { accounts, url, call } = await startTestApi(t);
  const ours = await makeAccount(accounts, 'Ours');
  const email = await ours.user('ada', { workspaceId: '*', managedGrantName: 'admin' });
  const signIn = (cookie?: string) =>
    call('sign_in', {
      body: { email, password },
      headers: { origin: url, ...(cookie === undefined ? {} : { cookie }) },
    });
  const planted = cookieOf(await signIn());
  const fresh = cookieOf(await signIn(planted));
  assert.notEqual(fresh, planted);
  assert.equal((await call('get_session', { headers: { cookie: planted } })).status, 401);
  assert.equal((await call('get_session', { headers: { cookie: fresh } })).status, 200);
  const chosen = cookieOf(await signIn(`service_session=${'A'.repeat(43)}`));
  assert.notEqual(chosen, `service_session=${'A'.repeat(43)}`, 'no token of the caller becomes a session');
});

test('over HTTPS the cookie is Secure and has the __Host- prefix', async (t) => {
  const { accounts, call } = await startTestApi(t, { publicUrl: () => 'https://console.example' });
  const ours = await makeAccount(accounts, 'Ours');
  const email = await ours.user('ada', { workspaceId: '*', managedGrantName: 'admin' });
  const headers = { origin: 'https://console.example' };
  const answer = await call('sign_in', { body: { email, password }, headers });
  assert.match(
    String(answer.headers['set-cookie']),
    /^__Host-service_session=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
  const cookie = cookieOf(answer);
  assert.equal((await call('get_session', { headers: { cookie } })).status, 200);
  const bare = cookie.replace('__Host-', '');
  assert.equal((await call('get_session', { headers: { cookie: bare } })).status, 401);
});

test('a page of another site cannot use the cookie of its visitor', async (t) => {
  const { accounts, url, port, call } = await startTestApi(t);
  const ours = await makeAccount(accounts, 'Ours');
  const email = await ours.user('ada', { workspaceId: '*', managedGrantName: 'admin' });
  const signedIn = await call('sign_in', { body: { email, password }, headers: { origin: url } });
  const cookie = cookieOf(signedIn);
  const host = `127.0.0.1:${port}`;
  const text = { 'content-type': 'text/plain' };
  const same = { 'sec-fetch-site': 'same-origin' };

  // biome-ignore format: a table
  const cases: [what: string, headers: Record<string, string>, status: number][] = [
    ['from the console',                     { origin: url },                                     200],
    ['from the console, in other words',     same,                                                200],
    ['from the console, in both',            { ...same, origin: url },                            200],
    ['from nowhere',                         {},                                                  403],
    ['from another site',                    { origin: 'https://evil.example' },                  403],
    ['from a frame without an origin',       { origin: 'null' },                                  403],
    ['from a site that begins like ours',    { origin: `${url}.evil.example` },                   403],
    ['from another port',                    { origin: 'http://127.0.0.1:1' },                    403],
    ['by another scheme',                    { origin: `file://${host}` },                        403],
    ['cross-site, in other words',           { 'sec-fetch-site': 'cross-site' },                  403],
    ['same-site, which is not same-origin',  { 'sec-fetch-site': 'same-site' },                   403],
    ['typed, which no POST is',              { 'sec-fetch-site': 'none' },                        403],
    ['cross-site, with our origin',          { 'sec-fetch-site': 'cross-site', origin: url },     403],
    ['as a form would send it',              { ...same, ...text },                                415],
  ];
  let count = 0;
  for (const [what, headers, status] of cases) {
    const workspace_name = `made ${count++}`;
    const body = { workspace_name, skip_application_key_creation: true };
    const answer = await call('create_workspace', { headers: { cookie, ...headers }, body });
    assert.equal(answer.status, status, what);
  }
  const workspaces = await accounts.workspaces.list(ours.accountId);
  assert.deepEqual(
    workspaces.map(({ name }) => name).filter((name) => name.startsWith('made')),
    ['made 0', 'made 1', 'made 2'],
  );
  const login = { body: { email, password } };
  const elsewhere = await call('sign_in', { ...login, headers: { origin: 'https://evil.example' } });
  assert.equal(elsewhere.status, 403, 'another site cannot sign a user in');
  assert.equal((await call('sign_in', login)).status, 200, 'a program is not a browser');
  const read = await call('get_context', { headers: { cookie, origin: 'https://evil.example' } });
  assert.equal(read.status, 200);
  assert.equal(read.headers['access-control-allow-origin'], undefined, 'another site cannot read the answer');
});
