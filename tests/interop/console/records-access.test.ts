import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startDemo } from '../../../packages/cli/testing/running-demo.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { callOf } from './call.ts';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, field, onPage } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { accessibilityProblems, buildConsole, openBrowser, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

let stage: Stage;
let call: Awaited<ReturnType<typeof callOf>>;
if (skip === false) {
  stage = await openStage({ after });
  call = await callOf(stage);
  await kafkaOf(stage.local.address('Kafka'), async ({ admin, producer }) => {
    await admin.createTopics({
      topics: ['orders', 'people'].map((topic) => ({ topic, numPartitions: 1 })),
      waitForLeaders: true,
    });
    const ann = JSON.stringify({ name: 'Ann', email: 'ann@example.com' });
    await producer.send({ topic: 'people', messages: [{ value: ann }] });
    await producer.send({ topic: 'orders', messages: [{ value: 'first' }, { value: 'second' }] });
  });
  await call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: {
      are_acls_enabled: true,
      broker_configs: { 'service.record.masks': 'people:email' },
    },
  });
}

const messages = '/clusters/{id}/topics/orders/messages';
const row = (page: Page, place: string) =>
  page.getByRole('row').filter({ has: page.getByText(place, { exact: true }) });

async function post(page: Page, name: string, input: object): Promise<Record<string, unknown>> {
  const answer = await page.request.post(`${stage.url}/api/v1/${name}`, {
    data: input,
    headers: { origin: stage.url },
  });
  assert.ok(answer.ok(), `${name}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

/** A page of another person, who has one of the roles that every account begins with. */
async function openAs(roleName: string): Promise<Page> {
  const admin = await stage.open();
  await admin.goto(stage.url);
  const { user_roles } = await post(admin, 'list_user_roles', {});
  const role = (user_roles as { id: string; name: string }[]).find(({ name }) => name === roleName)!;
  const email = `${roleName.replaceAll(/\W/g, '')}@example.com`;
  const { invitations } = await post(admin, 'users/create_invitations', {
    invitations: [{ email, user_role_id: role.id }],
  });
  await admin.context().close();
  const [{ invitation_url: link }] = invitations as [{ invitation_url: string }];
  const page = await stage.open({ isSignedIn: false });
  await post(page, 'users/accept_invitation', {
    token: link.slice(link.indexOf('#') + 1),
    name: roleName,
    password: 'correct horse battery',
  });
  return page;
}

test(
  'an administrator reads without a password, makes a login to produce, and the audit log has it',
  bounded,
  async () => {
    const page = await stage.open();
    await page.goto(await stage.urlOf(messages));
    await row(page, '0:1').waitFor();

    await button(page, 'Produce').click();
    const dialog = dialogOf(page);
    await field(dialog, 'Value').fill('third');
    await button(dialog, 'Produce').click();
    await dialog.getByText('Produce with a Kafka login', { exact: true }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await button(dialog, 'Create login').click();
    await field(page, 'Name').fill('by_hand');
    await page.getByRole('checkbox', { name: /^Superuser/ }).check();
    await button(page, 'Create credential').click();
    await button(page, 'Done').click();
    await button(dialog, 'Produce').click();
    await dialog.getByRole('link', { name: '0:2', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await row(page, '0:2').waitFor();
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.doesNotMatch(stored, /ccun_|by_hand/, 'a login is in memory only');

    await page.goto(`${stage.url}/audit-log?operation=read_records`);
    await page.getByRole('row').getByText('read_records', { exact: true }).first().click();
    await dialogOf(page)
      .getByText(/^\d+ of \d+ scanned; partition 0: 0–\d$/)
      .waitFor();
    await page.context().close();
  },
);

test(
  'a member with the role Records reader reads without masked fields, and produces nothing',
  bounded,
  async () => {
    const people = await stage.urlOf('/clusters/{id}/topics/people/messages');
    const admin = await stage.open();
    await admin.goto(`${people}?contains=ANN@example`);
    await row(admin, '0:0').getByText('ann@example.com').waitFor();
    await admin.context().close();
    const page = await openAs('Records reader');
    await page.goto(people);
    await row(page, '0:0').getByText('{"name":"Ann","email":"•••"}').click();
    await onPage(page, /masked for you$/).waitFor();
    await button(page, 'Hex').click();
    await onPage(page, 'Value: masked for you').waitFor();
    await page.goto(`${people}?contains=ANN@example`);
    await onPage(page, /^None of the 1 scanned records match/).waitFor();
    assert.doesNotMatch(await page.content(), /ann@example\.com/);

    await page.goto(await stage.urlOf(messages));
    await row(page, '0:0').waitFor();
    assert.equal(await button(page, 'Produce').isDisabled(), true);
    assert.equal(await onPage(page, 'Read with a Kafka login').count(), 0);
    await page.context().close();
  },
);

test('a member without the role sees why in one line, and reads with a Kafka login', bounded, async () => {
  const made = await call('create_virtual_cluster_credentials', {
    credentials_name: 'ccn_reader',
    is_cluster_superuser: true,
  });
  const page = await openAs('Read-only');
  await page.goto(await stage.urlOf(messages));
  await onPage(
    page,
    /^Needs the role Records reader in workspace Default; ask an account administrator, or use a Kafka login\.$/,
  ).waitFor();
  assert.equal(await button(page, 'Create login').isDisabled(), true);
  assert.deepEqual(await accessibilityProblems(page), []);
  await field(page, 'User name').fill(String(made.username));
  await field(page, 'Password').fill('wrong');
  await button(page, 'Use login').click();
  await onPage(page, /password of the Kafka credential is wrong/).waitFor();
  assert.equal(await field(page, 'User name').inputValue(), made.username);
  await field(page, 'Password').fill(String(made.password));
  await button(page, 'Use login').click();
  await row(page, '0:0').waitFor();
  assert.ok(!page.url().includes(String(made.password)));
  await button(page, `as ${made.username} · forget`).click();
  await onPage(page, 'Read with a Kafka login').waitFor();
  await page.context().close();
});

test('in a demo, whose ACLs are on, messages are there without a password', {
  ...bounded,
  timeout: 300_000,
}, async (t) => {
  buildConsole();
  const lifetime = lastFirst(t);
  const demo = await startDemo([]);
  lifetime.after(async () => void (await demo.stop()));
  const url = /control plane +(\S+)/.exec(demo.stdout())![1]!;
  const signInUrl = /sign in +(\S+)/.exec(demo.stdout())![1]!;
  const { open, urlOf } = await openBrowser(lifetime, url, signInUrl);
  const page = await open();
  await page.goto(await urlOf(messages));
  await page.locator('[data-row="0"]').waitFor();
  assert.equal(await onPage(page, 'Read with a Kafka login').count(), 0);
  await page.context().close();
});
