import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { callOf } from './call.ts';
import { missingChromium } from './chromium.ts';
import { button, configRow, dialogOf, undoOf } from './find.ts';
import { type PageCase, testPages } from './pages.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

let stage: Stage;
if (skip === false) stage = await openStage({ after });

const pages: readonly PageCase[] = [
  { path: '/clusters?show=create', shows: ['Kafka'] },
  { path: '/clusters?show=deleted', shows: ['Kafka'] },
  {
    path: '/clusters/{id}/settings',
    shows: ['Danger zone', 'Rename', 'Bucket set by the agents'],
  },
  { path: '/clusters/{id}/settings/configs', shows: ['num.partitions', /^\d+ set on this cluster$/] },
  { path: '/clusters/{id}/settings/configs?show=all', shows: ['log.preallocate'] },
  { path: '/clusters/{id}/settings/events', shows: ['Agent logs', 'ACL logs'] },
  { path: '/clusters/{id}/settings/client-metrics', shows: ['No subscriptions'] },
];

testPages(() => stage, pages);

const row = (page: Page, name: string) =>
  page.locator('dl > div', { has: page.getByText(name, { exact: true }) });

test('a cluster is renamed, tagged and moved to another tier', bounded, async () => {
  const page = await stage.open();
  const call = await callOf(stage);
  const dialog = dialogOf(page);
  await page.goto(await stage.urlOf('/clusters/{id}/settings'));
  await button(page, 'Rename').click();
  await dialog.getByLabel('New name').fill('no-hyphens');
  await dialog.getByText('is not 3 to 128 letters, digits and underscores', { exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await dialog.getByLabel('New name').fill('shop_eu');
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await row(page, 'Name').getByText('vcn_shop_eu', { exact: true }).waitFor();

  await button(page, 'Edit tags').click();
  await dialog.getByLabel('Name of tag 1').fill('team');
  await dialog.getByLabel('Value of tag 1').fill('<b>shop</b>');
  await button(page, 'Add tag').click();
  await dialog.getByLabel('Name of tag 2').fill('team');
  await dialog.getByText('Tag 2 has the same name as another tag', { exact: true }).waitFor();
  assert.ok(await button(page, 'Save tags').isDisabled());
  assert.deepEqual(await accessibilityProblems(page), []);
  await dialog.getByLabel('Name of tag 2').fill('stage');
  await button(page, 'Save tags').click();
  await dialog.waitFor({ state: 'detached' });
  await row(page, 'Tags').getByText('<b>shop</b>', { exact: true }).waitFor();
  assert.deepEqual((await call('describe_virtual_cluster_tags', {})).tags, {
    team: '<b>shop</b>',
    stage: '',
  });

  await button(page, 'Change tier').click();
  await dialog.getByLabel('Tier').selectOption('enterprise');
  await button(page, 'Change tier').click();
  await row(page, 'Tier').getByText('enterprise', { exact: true }).waitFor();
  await page.context().close();
});

test('a wrong value is told in one line, and only what changed is sent', bounded, async () => {
  const page = await stage.open();
  const dialog = dialogOf(page);
  await page.goto(await stage.urlOf('/clusters/{id}/settings/configs'));
  await button(page, 'Edit num.partitions').click();
  const field = dialog.getByLabel('num.partitions');
  await field.fill('many');
  await dialog.getByText(/^must be a whole number from 1 to/).waitFor();
  assert.equal(await field.inputValue(), 'many', 'what was typed stays');
  assert.ok(await button(page, 'Save').isDisabled());
  assert.deepEqual(await accessibilityProblems(page), []);
  await field.fill('6');
  await button(page, 'Save').click();
  await dialog.waitFor({ state: 'detached' });
  await button(page, 'Edit group.min.session.timeout.ms').click();
  await dialog.getByLabel('group.min.session.timeout.ms').fill('7000');
  await button(page, 'Save').click();
  await dialog.waitFor({ state: 'detached' });
  await button(page, 'Review 2 changes').click();
  await dialog.getByText('The change is valid', { exact: true }).waitFor();
  assert.equal(await dialog.getByRole('list', { name: 'Changes' }).getByRole('listitem').count(), 2);
  assert.deepEqual(await accessibilityProblems(page), []);
  const [request] = await Promise.all([
    page.waitForRequest(/update_virtual_cluster_configuration/),
    button(page, 'Apply').click(),
  ]);
  assert.deepEqual(request.postDataJSON().virtual_cluster_configuration, {
    broker_configs: { 'num.partitions': '6', 'group.min.session.timeout.ms': '7000' },
  });
  await configRow(page, 'num.partitions').getByText('set on this cluster', { exact: true }).waitFor();
  await button(page, 'Reset num.partitions to default').click();
  await button(page, 'Review 1 change').click();
  await dialog.getByText('+ 1 (default)', { exact: true }).waitFor();
  await button(page, 'Apply').click();
  await configRow(page, 'num.partitions').getByText('default', { exact: true }).waitFor();
  await page.context().close();
});

test('events are enabled, and a type is kept for another time', bounded, async () => {
  const page = await stage.open();
  const call = await callOf(stage);
  const dialog = dialogOf(page);
  await page.goto(await stage.urlOf('/clusters/{id}/settings/events'));
  await button(page, 'Enable events').click();
  await row(page, 'Events').getByText('recorded', { exact: true }).waitFor();
  const time = page.getByLabel('Retention of Agent logs', { exact: true });
  await time.fill('soon');
  await page.getByText('must be a whole number of days, 1 or more', { exact: true }).waitFor();
  assert.equal(await time.inputValue(), 'soon');
  assert.ok(await page.getByRole('button', { name: /^Review/ }).isDisabled());
  await time.fill('36');
  await page.getByLabel('Unit of the retention of Agent logs').selectOption('hours');
  await page.getByRole('checkbox', { name: 'ACL logs', exact: true }).uncheck();
  await button(page, 'Review 2 changes').click();
  assert.deepEqual(await accessibilityProblems(page), []);
  await button(page, 'Apply').click();
  await dialog.waitFor({ state: 'detached' });
  const { enabled, event_types } = await call('get_events_state', {});
  const types = event_types as Record<string, { enabled: boolean; retention_period_nanos: number }>;
  assert.equal(enabled, true);
  assert.equal(types.agent_logs!.retention_period_nanos, 36 * 3_600_000_000_000);
  assert.equal(types.acl_logs!.enabled, false);
  await button(page, 'Disable events').click();
  await row(page, 'Events').getByText('not recorded', { exact: true }).waitFor();
  await page.context().close();
});

test('a subscription to client metrics is made, changed, deleted and brought back', bounded, async () => {
  const page = await stage.open();
  const dialog = dialogOf(page);
  await page.goto(await stage.urlOf('/clusters/{id}/settings/client-metrics'));
  await button(page, 'Create subscription').click();
  await dialog.getByLabel('Name').fill('latencies');
  await dialog.getByLabel('Clients').fill('nothing');
  await button(page, 'Save subscription').click();
  await dialog.getByRole('alert').waitFor();
  assert.equal(await dialog.getByLabel('Clients').inputValue(), 'nothing', 'what was typed stays');
  await dialog.getByLabel('Clients').fill('client_id=shop-.*');
  await button(page, 'Save subscription').click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('gridcell', { name: 'client_id=shop-.*', exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await button(page, 'Delete latencies').click();
  await page.getByText('No subscriptions', { exact: true }).waitFor();
  await undoOf(page, 'Deleted latencies').click();
  await page.getByRole('gridcell', { name: 'client_id=shop-.*', exact: true }).waitFor();
  await page.context().close();
});

test('a cluster is created, protected, deleted by its name, and restored', bounded, async () => {
  const page = await stage.open();
  const dialog = dialogOf(page);
  const main = page.locator('main');
  await page.goto(`${stage.url}/clusters`);
  await button(page, 'Create cluster').click();
  await dialog.getByLabel('Name').fill('a b');
  await dialog.getByText('is not 3 to 128 letters, digits and underscores', { exact: true }).waitFor();
  await dialog.getByLabel('Name').fill('billing');
  assert.deepEqual(await accessibilityProblems(page), []);
  await button(page, 'Create cluster').click();
  await dialog.getByText(/-defaultVirtualClusterID vci_/).waitFor();
  await dialog.getByRole('region', { name: 'weir CLI' }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await dialog.getByRole('link', { name: 'Open billing', exact: true }).click();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Settings' }).click();

  await button(page, 'Turn protection on').click();
  await main
    .getByText('The cluster is protected: turn off deletion protection first.', { exact: true })
    .waitFor();
  assert.ok(await button(page, 'Delete cluster').isDisabled());
  await button(page, 'Turn protection off').click();
  await button(page, 'Delete cluster').click();
  await dialog.getByText(/^You can restore it, with all of that, until 20/).waitFor();
  await dialog.getByLabel('Type billing to confirm').fill('billings');
  assert.ok(await button(page, 'Delete billing').isDisabled(), 'another name');
  await dialog.getByLabel('Type billing to confirm').fill('billing');
  assert.deepEqual(await accessibilityProblems(page), []);
  await button(page, 'Delete billing').click();
  await page.waitForURL(/\/clusters$/);
  await main.getByText('2 clusters', { exact: true }).waitFor();
  await undoOf(page, 'Deleted billing').click();
  await main.getByRole('link', { name: 'billing', exact: true }).waitFor();

  await button(page, 'Actions for billing').click();
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
  await dialog.getByLabel('Type billing to confirm').fill('billing');
  await button(page, 'Delete billing').click();
  await main.getByText('2 clusters', { exact: true }).waitFor();
  await (await callOf(stage))('create_virtual_cluster', {
    virtual_cluster_id: undefined,
    virtual_cluster_name: 'billing',
  });
  await button(page, 'Recently deleted').click();
  await button(page, 'Restore billing').click();
  await dialog.getByLabel('New name').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await dialog.getByLabel('New name').fill('billing_2');
  await button(page, 'Restore with this name').click();
  await dialog.getByText('No deleted clusters', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await main.getByRole('link', { name: 'billing_2', exact: true }).waitFor();
  await page.context().close();
});

test('a clone is refused in one line where the control plane knows no bucket', bounded, async () => {
  const page = await stage.open();
  const dialog = dialogOf(page);
  const clusterId = await stage.clusterId();
  await page.goto(`${stage.url}/clusters`);
  const card = page.locator('main li', { has: page.getByText(clusterId, { exact: true }) });
  await card.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Clone', exact: true }).click();
  await dialog.getByLabel('Clone name').fill('copy_of_it');
  await button(page, 'Clone cluster').click();
  await dialog.getByRole('alert').waitFor();
  assert.equal(await dialog.getByLabel('Clone name').inputValue(), 'copy_of_it');
  await page.context().close();
});

test('a member who may only read sees the settings and which right is missing', bounded, async () => {
  const call = await callOf(stage);
  const none = { virtual_cluster_id: undefined };
  const { workspaces } = await call('list_workspaces', none);
  const [workspace] = workspaces as { id: string; name: string }[];
  const { user_role_id } = await call('create_user_role', {
    ...none,
    user_role_name: 'Readers',
    access_grants: [{ workspace_id: workspace!.id, managed_grant_name: 'read_only', resource_id: '*' }],
  });
  const { invitations } = await call('users/create_invitations', {
    ...none,
    invitations: [{ email: 'grace@example.com', user_role_id }],
  });
  const [{ invitation_url: url }] = invitations as [{ invitation_url: string }];
  await call('create_virtual_cluster_credentials', { credentials_name: 'kept' });
  const page = await stage.open({ isSignedIn: false });
  await page.goto(`${stage.url}/join${new URL(url).hash}`);
  await page.getByLabel('Your name').fill('Grace');
  await page.getByLabel('Password').fill('correct horse battery');
  await button(page, 'Join').click();
  await page.waitForURL(/\/clusters$/);
  await page.getByText('To create one you need the admin role in a workspace', { exact: false }).waitFor();
  assert.ok(await button(page, 'Create cluster').isDisabled());
  const missing = new RegExp(`Needs the admin role in workspace ${workspace!.name}`);
  for (const [path, acts] of [
    ['', ['Rename', 'Edit tags', 'Change tier', 'Change bucket', 'Change', 'Delete cluster']],
    ['/events', ['Enable events']],
    ['/client-metrics', ['Create subscription']],
  ] as const) {
    await page.goto(await stage.urlOf(`/clusters/{id}/settings${path}`));
    await page.locator('main').getByText(missing).waitFor();
    for (const act of acts) assert.ok(await button(page, act).isDisabled(), act);
    assert.deepEqual(await accessibilityProblems(page), []);
  }
  await page.goto(await stage.urlOf('/clusters/{id}/settings/configs'));
  await button(page, 'Edit num.partitions').waitFor();
  assert.ok(await button(page, 'Edit num.partitions').isDisabled());
  for (const [path, act] of [
    ['topics', 'Create topic'],
    ['acls', 'Create ACL'],
    ['credentials', 'Create credential'],
    ['credentials', 'Delete ccn_kept'],
    ['workload-identities', 'Create federation'],
    ['pipelines', 'Create pipeline'],
  ] as const) {
    await page.goto(await stage.urlOf(`/clusters/{id}/${path}`));
    await page
      .getByTitle(missing)
      .filter({ has: button(page, act) })
      .first()
      .waitFor();
    assert.ok(await button(page, act).first().isDisabled(), act);
  }
  await page.goto(`${stage.url}/keys`);
  await page.getByText('Keys are not visible to you', { exact: true }).waitFor();
  await page.goto(`${stage.url}/audit-log`);
  await page.getByText('The audit log is not visible to you', { exact: true }).waitFor();
  await page.context().close();
});
