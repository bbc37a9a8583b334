import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createClient } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { cookieOf, startTestApi } from '../../../testing/api-server.ts';
import { refused } from '../../../testing/refused.ts';
import { accountGrant, agentGrant, appGrant, makeAccount, password } from '../../../testing/two-accounts.ts';

type Client = ReturnType<typeof createClient>;

async function start(t: TestContext) {
  const api = await startTestApi(t);
  const ours = await makeAccount(api.accounts, 'Ours');
  const clientWith = (headers: Record<string, string>): Client =>
    createClient({ baseUrl: api.url, fetch, headers, checksAnswers: true });
  const signedIn = async (name: string, grant: 'admin' | 'read_only', workspaceId = ours.a.id) => {
    const email = await ours.user(name, { workspaceId, managedGrantName: grant });
    const cookie = cookieOf(await api.call('sign_in', { body: { email, password } }));
    return { email, client: clientWith({ cookie, origin: api.url }) };
  };
  const keyed = async (name: string, ...grants: Parameters<typeof ours.key>[1][]) =>
    clientWith({ 'service-api-key': await ours.key(name, ...grants) });
  return { ...api, ours, signedIn, keyed };
}

const search = { types: 'acl_logs', filter: 'data.operation == "WRITE"\nand true', relative: '1h' };

test('a shared view is seen by all of the workspace, an own one by its user alone', async (t) => {
  const { ours, signedIn, keyed } = await start(t);
  const ada = await signedIn('ada', 'admin');
  const bob = await signedIn('bob', 'read_only');
  const key = await keyed('reads', appGrant(ours.a.id, 'app_r'));
  const on = { workspace_id: ours.a.id };
  const namesFor = async (client: Client) =>
    (await client.call('list_event_views', on)).views.map(({ name, is_shared }) => [name, is_shared]);
  await ada.client.call('create_event_view', { ...on, view_name: 'Writes', is_shared: true, search });
  await ada.client.call('create_event_view', { ...on, view_name: 'Mine', search: {} });
  await bob.client.call('create_event_view', { ...on, view_name: 'Mine', search });
  assert.deepEqual(await namesFor(ada.client), [
    ['Writes', true],
    ['Mine', false],
  ]);
  assert.deepEqual(await namesFor(bob.client), [
    ['Writes', true],
    ['Mine', false],
  ]);
  assert.deepEqual(await namesFor(key), [['Writes', true]]);
  const [writes, mine] = (await bob.client.call('list_event_views', on)).views;
  assert.deepEqual(writes!.search, search);
  assert.deepEqual([writes!.saved_by, mine!.saved_by], [ada.email, bob.email]);

  // Renamed, replaced, shared and deleted.
  const target = { ...on, view_id: mine!.id };
  await bob.client.call('update_event_view', { ...target, view_name: 'Reads' });
  await bob.client.call('update_event_view', { ...target, search: { find: 'x' } });
  const changed = (await bob.client.call('list_event_views', on)).views.find(({ id }) => id === mine!.id);
  assert.deepEqual([changed!.name, changed!.search], ['Reads', { find: 'x' }]);
  await bob.client.call('delete_event_view', target);
  assert.deepEqual(await namesFor(bob.client), [['Writes', true]]);
  const [, adas] = (await ada.client.call('list_event_views', on)).views;
  await ada.client.call('update_event_view', { ...on, view_id: adas!.id, is_shared: true });
  assert.deepEqual(await namesFor(key), [
    ['Mine', true],
    ['Writes', true],
  ]);
  await ada.client.call('update_event_view', { ...on, view_id: adas!.id, is_shared: false });
  assert.deepEqual(await namesFor(bob.client), [['Writes', true]]);
});

test('only those who may change a workspace change its shared views, and views of others are not found', async (t) => {
  const { ours, signedIn, keyed, accounts } = await start(t);
  const theirs = await makeAccount(accounts, 'Theirs');
  const ada = await signedIn('ada', 'admin');
  const bob = await signedIn('bob', 'read_only');
  const eve = await signedIn('eve', 'admin', ours.b.id);
  const app = await keyed('app', appGrant(ours.a.id));
  const on = { workspace_id: ours.a.id };
  const made = { ...on, view_name: 'New', search };
  const { view_id: shared } = await app.call('create_event_view', { ...made, is_shared: true });
  const { view_id: own } = await ada.client.call('create_event_view', made);

  await refused(bob.client, 'forbidden', 'create_event_view', { ...made, is_shared: true }, /private view/);
  await refused(bob.client, 'forbidden', 'update_event_view', { ...on, view_id: shared, view_name: 'X' });
  await refused(bob.client, 'forbidden', 'update_event_view', { ...on, view_id: shared, is_shared: false });
  await refused(bob.client, 'forbidden', 'delete_event_view', { ...on, view_id: shared });
  const { view_id: bobs } = await bob.client.call('create_event_view', made);
  await refused(bob.client, 'forbidden', 'update_event_view', { ...on, view_id: bobs, is_shared: true });
  for (const client of [bob.client, app])
    for (const operation of ['update_event_view', 'delete_event_view'] as const)
      await refused(client, 'not_found', operation, { ...on, view_id: own }, /^event view not found/);
  await refused(app, 'invalid_request', 'create_event_view', made, /A key cannot have private views/);

  const outside = [
    eve.client,
    await keyed('account', accountGrant),
    await keyed('agent', agentGrant(ours.a)),
    await keyed('other', appGrant(ours.b.id)),
  ];
  for (const client of outside) {
    await refused(
      client,
      'not_found',
      'create_event_view',
      { ...made, is_shared: true },
      /^workspace not found/,
    );
    await refused(client, 'not_found', 'delete_event_view', { ...on, view_id: shared });
  }
  await refused(ada.client, 'not_found', 'list_event_views', { workspace_id: theirs.a.id });
  // A workspace that the caller may change does not reach views of another.
  await refused(eve.client, 'not_found', 'delete_event_view', { workspace_id: ours.b.id, view_id: shared });
  assert.equal((await ada.client.call('list_event_views', on)).views.length, 2);
});

test('views are bounded in number, in name and in bytes', async (t) => {
  const { ours, signedIn, accounts } = await start(t);
  const { client } = await signedIn('ada', 'admin');
  const on = { workspace_id: ours.a.id };
  await client.call('create_event_view', { ...on, view_name: 'One', search });
  await refused(
    client,
    'duplicate_name',
    'create_event_view',
    { ...on, view_name: 'One', search },
    /view of yours named "One"/,
  );
  const { view_id } = await client.call('create_event_view', { ...on, view_name: 'Two', search });
  await refused(client, 'duplicate_name', 'update_event_view', { ...on, view_id, view_name: 'One' });
  await client.call('update_event_view', { ...on, view_id, view_name: 'Two' });
  for (const view_name of ['', ' x', 'x ', 'x\n', 'x'.repeat(apiLimits.eventViewNameCharsMax + 1)])
    await refused(client, 'invalid_request', 'create_event_view', { ...on, view_name, search });
  const large = { filter: 'x'.repeat(apiLimits.eventViewBytesMax) };
  await refused(
    client,
    'invalid_request',
    'create_event_view',
    { ...on, view_name: 'L', search: large },
    /larger than/,
  );
  const unknown = { ...search, event: 'x' } as object;
  await refused(client, 'invalid_request', 'create_event_view', { ...on, view_name: 'L', search: unknown });

  const { accountId } = ours;
  for (let at = 0; at < apiLimits.eventViewsSharedMax; at++)
    await accounts.eventViews.create(accountId, ours.a.id, {
      userId: undefined,
      name: `view ${at}`,
      search: {},
      savedBy: '',
    });
  const more = { ...on, view_name: 'More', search, is_shared: true };
  await refused(client, 'limit_exceeded', 'create_event_view', more, /at most 200 shared views/);
  await refused(client, 'limit_exceeded', 'update_event_view', { ...on, view_id, is_shared: true });
  assert.equal((await client.call('list_event_views', on)).views.length, apiLimits.eventViewsSharedMax + 2);
});

test('saving and deleting views is in the audit log, and views of a user end with the user', async (t) => {
  const { ours, signedIn, accounts, keyed } = await start(t);
  const ada = await signedIn('ada', 'admin');
  const on = { workspace_id: ours.a.id };
  const own = await ada.client.call('create_event_view', { ...on, view_name: 'Own', search });
  const shared = await ada.client.call('create_event_view', {
    ...on,
    view_name: 'Shared',
    search,
    is_shared: true,
  });
  await ada.client.call('delete_event_view', { ...on, view_id: shared.view_id });
  const app = await keyed('app', appGrant(ours.a.id));
  const { entries } = await app.call('search_audit_log', {});
  const noted = entries.filter(({ operation }) => operation.endsWith('_event_view'));
  assert.deepEqual(noted.map(({ operation }) => operation).toSorted(), [
    'create_event_view',
    'create_event_view',
    'delete_event_view',
  ]);
  for (const { workspace_id, actor_name } of noted)
    assert.deepEqual([workspace_id, actor_name], [ours.a.id, ada.email]);
  assert.ok(noted.some(({ targets }) => targets.includes(own.view_id) && targets.includes('Own')));

  const user = (await accounts.users.findByEmail(ada.email))!;
  assert.equal((await accounts.eventViews.list(ours.a.id, user.id)).length, 1);
  await ours.user('grace', { workspaceId: '*', managedGrantName: 'admin' });
  await accounts.users.delete(ours.accountId, user.id);
  assert.deepEqual(await accounts.eventViews.list(ours.a.id, user.id), []);
});
