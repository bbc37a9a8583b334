import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, field, message, onPage } from './find.ts';
import { type PageCase, testPages } from './pages.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

let stage: Stage;
if (skip === false) stage = await openStage({ after });

const pages: readonly PageCase[] = [
  { path: '/keys', shows: ['API keys', /akn_playground/, 'Create key'] },
  { path: '/mcp', shows: ['Generate configuration', 'Workspaces to read', /\/api\/v1\/mcp/] },
  { path: '/team', shows: ['Invite member', 'playground@localhost.localdomain', 'Admin'] },
  { path: '/team/roles', shows: ['administers all workspaces', 'Create role'] },
  { path: '/team/sso', shows: ['Set up single sign-on', 'Issuer'] },
  { path: '/audit-log', shows: ['Audit log', /Every change, refused call/] },
  { path: '/workspaces', shows: ['Workspaces', 'administer', 'Create workspace'] },
  { path: '/account', shows: ['Your rights', 'Sessions', 'this session'] },
];

testPages(() => stage, pages);

test('a key is made, shown once, works, and is deleted', bounded, async () => {
  const page = await stage.open();
  await page.goto(`${stage.url}/keys`);
  await button(page, 'Create key').click();
  const dialog = dialogOf(page);
  await field(dialog, 'Name').fill('not a name');
  await button(page, 'Create key').click();
  await dialog
    .getByRole('alert')
    .getByText(/letters, digits and underscores/)
    .waitFor();
  assert.equal(await field(dialog, 'Name').inputValue(), 'not a name', 'what was typed stays');
  await field(dialog, 'Name').fill('reader');
  await field(dialog, 'Access').selectOption('app_r');
  await button(page, 'Create key').click();
  await dialog.getByText('Copy it now: it is not shown again.').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  const secret = /aks_[0-9a-f]{64}/.exec(await dialog.innerText())![0];
  const answer = await fetch(`${stage.url}/api/v1/get_context`, { headers: { 'service-api-key': secret } });
  const { actor } = (await answer.json()) as { actor: { name: string } };
  assert.equal(actor.name, 'akn_reader');
  await button(page, 'Done').click();
  await onPage(page, 'Application, read only · Default').waitFor();
  assert.ok(!(await page.content()).includes(secret), 'the secret is gone with the dialog');
  await page.reload();
  await button(page, 'Delete akn_reader').click();
  await dialog.getByText(/Last used .* Programs that use it are refused/).waitFor();
  await field(dialog, 'Type akn_reader to confirm').fill('akn_reader');
  await button(dialog, 'Delete akn_reader').click();
  await message(page, 'Deleted akn_reader').waitFor();
  await page.context().close();
});

test('a workspace is made, chosen, renamed and deleted', bounded, async () => {
  const page = await stage.open();
  await page.goto(`${stage.url}/workspaces`);
  await button(page, 'Create workspace').click();
  const dialog = dialogOf(page);
  await field(dialog, 'Name').fill('a!');
  await button(page, 'Create workspace').click();
  await dialog.getByRole('alert').waitFor();
  await field(dialog, 'Name').fill('Reports');
  await button(page, 'Create workspace').click();
  await page.getByTitle('Show the clusters of Reports', { exact: true }).click();
  await onPage(page, 'No clusters yet').waitFor();
  await page.reload();
  await onPage(page, 'No clusters yet').waitFor();
  await button(page, 'Workspace: Reports').click();
  await page.getByRole('menuitem', { name: 'All workspaces', exact: true }).click();
  await page
    .locator('main')
    .getByText(/^\d clusters?$/)
    .waitFor();
  await page.goto(`${stage.url}/workspaces`);
  await button(page, 'Rename Reports').click();
  await field(dialog, 'New name').fill('Analytics');
  await button(page, 'Rename').click();
  await button(page, 'Delete Analytics').click();
  const confirm = button(dialog, 'Delete Analytics');
  assert.ok(await confirm.isDisabled(), 'not before the name is typed');
  await field(dialog, 'Type Analytics to confirm').fill('Analytics');
  await confirm.click();
  await message(page, 'Deleted Analytics').waitFor();
  await page.context().close();
});

test('shortcuts go to pages, and the palette knows every operation', bounded, async () => {
  const page = await stage.open();
  await page.goto(`${stage.url}/workspaces`);
  await page
    .getByTitle(/Show the clusters of/)
    .first()
    .waitFor();
  await page.keyboard.press('?');
  await dialogOf(page).getByText('Search pages, objects and operations').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.keyboard.press('Escape');
  await dialogOf(page).waitFor({ state: 'detached' });
  await page.keyboard.press('g');
  await page.keyboard.press('k');
  await page.waitForURL(/\/keys$/);
  await page.keyboard.press('Control+k');
  const input = page.getByPlaceholder(/Pages, clusters/);
  await input.fill('delete_topic');
  await page.getByRole('option', { name: /Delete a topic Open a cluster first/ }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await input.fill('list_api_keys');
  await page.getByRole('option', { name: /List keys/ }).waitFor();
  await input.fill('list_recently_deleted');
  await page.getByRole('option', { name: /List deleted virtual clusters/ }).click();
  await page.waitForURL(/\/clusters$/);
  await page.goto(await stage.urlOf('/clusters/{id}/settings'));
  await onPage(page, 'Danger zone').waitFor();
  await page.keyboard.press('Control+k');
  await input.fill('describe_quotas');
  await page.getByRole('option', { name: /Describe limits and their use/ }).click();
  await dialogOf(page)
    .getByText(/curl -s .*describe_quotas/)
    .waitFor();
  await page.context().close();
});

test('a person is invited, roles are made and given, and the audit log has it', bounded, async () => {
  const page = await stage.open();
  const dialog = dialogOf(page);
  await page.goto(`${stage.url}/team/roles`);
  await button(page, 'Create role').click();
  await field(dialog, 'Name').fill('x');
  await button(page, 'Create role').click();
  await dialog.getByRole('alert').waitFor();
  await field(dialog, 'Name').fill('Shop readers');
  await field(dialog, 'In Default').selectOption('read_only');
  await button(page, 'Create role').click();
  await onPage(page, 'reads Default').waitFor();
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await button(page, 'Invite member').click();
  await field(dialog, 'E-mail').fill('not an address');
  await button(page, 'Invite').click();
  await dialog.getByRole('alert').waitFor();
  await field(dialog, 'E-mail').fill('grace@example.com');
  await field(dialog, 'Role').selectOption({ label: 'Shop readers' });
  await button(page, 'Invite').click();
  await dialog.getByText(/\/join#/).waitFor();
  await button(page, 'Done').click();
  await onPage(page, 'Pending invitations').waitFor();
  await button(page, 'Withdraw').click();
  await message(page, 'Withdrew the invitation of grace@example.com').waitFor();
  await page.goto(`${stage.url}/audit-log?operation=create_user_role`);
  await page.getByRole('gridcell', { name: 'create_user_role', exact: true }).first().click();
  await dialog.getByText('playground@localhost.localdomain').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.context().close();
});

test('a configuration for MCP is generated, tested, and used by a client', bounded, async () => {
  const page = await stage.open();
  await page.goto(`${stage.url}/mcp`);
  await field(page, 'Default').uncheck();
  await button(page, 'Generate').click();
  await onPage(page, /^Choose at least one workspace/).waitFor();
  const keyNames: string[] = [];
  for (const form of ['single_key', 'per_workspace']) {
    await field(page, 'Default').check();
    await field(page, 'Headers').selectOption(form);
    // A further configuration replaces the key of the one before, whose secret cannot be shown again.
    if (keyNames.length > 0)
      await onPage(page, new RegExp(`^Replace ${keyNames[0]}, `)).waitFor({ state: 'attached' });
    const [answer] = await Promise.all([
      page.waitForResponse(/create_mcp_configuration/),
      button(page, 'Generate').click(),
    ]);
    assert.equal(answer.status(), 200);
    const [key] = ((await answer.json()) as { api_keys: { name: string }[] }).api_keys;
    keyNames.push(key!.name);
    await onPage(page, new RegExp(`Created the key ${key!.name}\\b`)).waitFor();
    const shown = await page
      .getByRole('region', { name: 'Clients that use the field url (most)', exact: true })
      .locator('code')
      .innerText();
    await button(page, 'Test connection').click();
    await onPage(page, /Connected: .* has \d+ tools/).waitFor();
    const { mcpServers } = JSON.parse(shown) as {
      mcpServers: { weir: { url: string; headers: Record<string, string> } };
    };
    const client = new Client({ name: 'console-test', version: '1' });
    const { url, headers } = mcpServers.weir;
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'list_topics'));
    const asked = { name: 'search_audit_log', arguments: { relative: '1h' } };
    assert.match(JSON.stringify(await client.callTool(asked)), /forbidden: The audit log/);
    await client.close();
  }
  assert.deepEqual(await accessibilityProblems(page), []);
  await field(page, 'Key').selectOption('Add a new key');
  await page.getByRole('checkbox', { name: 'Audit log' }).check();
  await Promise.all([page.waitForResponse(/create_mcp_configuration/), button(page, 'Generate').click()]);
  await page.goto(`${stage.url}/keys`);
  await onPage(page, /^akn_mcp_console_\w+_3_/).waitFor();
  await onPage(page, /^Application, reads the audit log · Default/).waitFor();
  assert.equal(await onPage(page, new RegExp(`^${keyNames[0]}$`)).count(), 0, 'replaced');
  assert.equal(await onPage(page, keyNames[1]!).count(), 1, 'kept');
  await page.context().close();
});
