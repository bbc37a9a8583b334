import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Kafka, logLevel } from 'kafkajs';
import type { Page } from 'playwright-core';
import { callOf } from './call.ts';
import { missingChromium } from './chromium.ts';
import { dialogOf } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { testPages } from './pages.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

const batches = { failing: 3, cancelled: 4, exported: 1 } as const;

/** A client id that would break a page that takes it for markup, or a filter that takes it for text. */
const clientId = `<b>shop's</b>`;

let stage: Stage;
if (skip === false) {
  stage = await openStage({ after });
  await kafkaOf(stage.local.address('Kafka'), async ({ admin }) => {
    const topics = Object.entries(batches).flatMap(([name, count]) =>
      Array.from({ length: count }, (_, index) => ({ topic: `${name}-${index}`, numPartitions: 1 })),
    );
    await admin.createTopics({ topics, waitForLeaders: true });
  });
  // Agents report connections that are open, so that this one stays.
  const producer = new Kafka({
    clientId,
    brokers: [stage.local.address('Kafka')],
    logLevel: logLevel.NOTHING,
  }).producer();
  after(() => producer.disconnect());
  await producer.connect();
  await producer.send({ topic: 'exported-0', messages: [{ value: 'x'.repeat(10_000) }] });
}

testPages(
  () => stage,
  [
    {
      path: '/clusters/{id}/clients',
      shows: ['Client ids', clientId, 'unknown software', 'User:ANONYMOUS', /no software name/],
    },
    { path: '/clusters/{id}/clients?q=nothing', shows: ['No client matches the filter'] },
    {
      path: '/clusters/{id}/jobs',
      shows: ['Agents by kind of job', /files that were never committed/, '1 agent'],
    },
    { path: '/clusters/{id}/jobs?state=stopped', shows: [/No job/] },
    { path: '/clusters/{id}/agents', shows: ['1 agent connected', 'Started'] },
    {
      path: '/clusters/{id}/agents/{agent}',
      shows: ['CPU, last hour', 'proxy, jobs', 'Produce latency, last hour', clientId],
    },
    { path: '/clusters/{id}/agents/missing', shows: [/No agent with this id is connected/] },
    { path: '/clusters/{id}/storage', shows: ['Cost per month', 'Not merged', 'exported-0'] },
    {
      path: '/clusters/{id}/storage?price_list=gcs&prices=put=0.5',
      shows: [/Google Cloud Storage/, '$0.5 / 1,000'],
    },
  ],
);

test('a client leads to its events and its agent', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/clients'));
  await page.getByRole('gridcell', { name: clientId, exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'unknown software', exact: true });
  const events = sheet.getByRole('link', { name: `Events of ${clientId}`, exact: true });
  assert.deepEqual(await accessibilityProblems(page), []);
  const { searchParams } = new URL((await events.getAttribute('href'))!, stage.url);
  assert.equal(searchParams.get('types'), 'acl_logs');
  assert.match(searchParams.get('filter')!, /^data\.client_id == /);
  assert.equal(await page.locator('main b').count(), 0, 'a client id is text');
  const shared = page.url();
  await page.goto(shared);
  await sheet.waitFor();
  await sheet.getByRole('link', { name: /^[0-9a-f]{8}-/ }).click();
  await page.getByRole('heading', { name: /^Agent at / }).waitFor();
  await page.getByRole('link', { name: 'All clients', exact: true }).click();
  await page.getByRole('gridcell', { name: clientId, exact: true }).waitFor();
  await page.getByRole('button', { name: 'All agents', exact: true }).waitFor();
  await page.context().close();
});

test('prices that a person types are in the link and in the bill', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/storage'));
  const put = page.getByRole('textbox', {
    name: 'Dollars for 1,000 PUT requests, parts of uploads included',
  });
  await put.fill('not a price');
  await put.press('Enter');
  assert.equal(await put.inputValue(), '0.005', 'what is no price is not taken');
  await put.fill('0.5');
  await put.press('Enter');
  await page.getByRole('gridcell', { name: '$0.5 / 1,000', exact: true }).waitFor();
  await page.waitForURL(/prices=put/);
  await page.getByRole('combobox', { name: 'Price list', exact: true }).selectOption('azure');
  await page.waitForURL(/price_list=azure/);
  await page.getByRole('button', { name: 'List prices', exact: true }).click();
  await page.getByRole('gridcell', { name: '$0.00625 / 1,000', exact: true }).first().waitFor();
  await page.context().close();
});

/** Selects all topics of a filter, and opens the dialog that deletes them. */
async function askToDelete(page: Page, filter: string, count: number): Promise<void> {
  await page.goto(await stage.urlOf(`/clusters/{id}/topics?q=${filter}-`));
  for (let index = 0; index < count; index++)
    await page.getByRole('checkbox', { name: `Select ${filter}-${index}`, exact: true }).click();
  await page.getByRole('button', { name: `Delete ${count} topics`, exact: true }).click();
  await dialogOf(page)
    .getByLabel(`Type delete ${count} topics to confirm`, { exact: true })
    .fill(`delete ${count} topics`);
}

async function confirmDeletion(page: Page, count: number): Promise<void> {
  await dialogOf(page)
    .getByRole('button', { name: `Delete ${count} topics`, exact: true })
    .click();
}

test('a deletion of several that fails midway says what it did and undoes that', bounded, async () => {
  const page = await stage.open();
  const call = await callOf(stage);
  await askToDelete(page, 'failing', 3);
  // Another person is faster.
  await call('delete_topic', { topic_name: 'failing-1' });
  await confirmDeletion(page, 3);
  const tray = page.getByRole('region', { name: 'Tasks', exact: true });
  await tray.getByText('Deleted 2 of 3 topics, 1 failed', { exact: true }).waitFor();
  await tray.getByText('Deleted (2)', { exact: true }).waitFor();
  await tray.getByText('Failed (1)', { exact: true }).waitFor();
  await tray
    .getByRole('listitem')
    .filter({ hasText: /^failing-0$/ })
    .waitFor();
  await tray
    .getByRole('listitem')
    .filter({ hasText: /^failing-1: / })
    .waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.evaluate(`document.documentElement.classList.add('dark')`);
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByText('No topic matches the filter', { exact: true }).waitFor();

  await tray.getByRole('button', { name: 'Undo', exact: true }).click();
  await tray.getByText('Restored 2 topics', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'failing-0', exact: true }).waitFor();
  await page.getByRole('link', { name: 'failing-2', exact: true }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'failing-1', exact: true }).count(), 0);
  await tray.getByRole('button', { name: 'Clear', exact: true }).click();
  await tray.waitFor({ state: 'detached' });
  await page.context().close();
});

test('a task goes on while other pages are opened, and is cancelled', bounded, async () => {
  const page = await stage.open();
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const mayDelete = Promise.withResolvers<void>();
  let calls = 0;
  // The second deletion is held until the page was left and the task cancelled.
  await page.route('**/api/v1/delete_topic', async (route) => {
    const call = calls++;
    asked[call]?.resolve();
    if (call === 1) await mayDelete.promise;
    await route.continue();
  });
  await askToDelete(page, 'cancelled', 4);
  await confirmDeletion(page, 4);
  await asked[1]!.promise;
  const tray = page.getByRole('region', { name: 'Tasks', exact: true });
  await tray.getByText('1 of 4', { exact: true }).waitFor();
  const bar = tray.getByRole('progressbar', { name: 'Delete 4 topics', exact: true });
  assert.deepEqual(
    [await bar.getAttribute('aria-valuenow'), await bar.getAttribute('aria-valuemax')],
    ['1', '4'],
  );

  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await page.getByText('1 agent connected', { exact: true }).waitFor();
  await tray.getByText('1 task running', { exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await tray.getByRole('button', { name: 'Collapse tasks', exact: true }).click();
  await bar.waitFor({ state: 'detached' });
  await tray.getByRole('button', { name: 'Show tasks', exact: true }).click();

  await tray.getByRole('button', { name: 'Cancel: Delete 4 topics', exact: true }).click();
  await tray.getByText('1 of 4, stopping after the current step', { exact: true }).waitFor();
  mayDelete.resolve();
  await tray.getByText('Cancelled: Deleted 2 of 4 topics, 2 not tried', { exact: true }).waitFor();
  assert.equal(calls, 2, 'nothing is deleted after it was cancelled');

  await page.getByRole('link', { name: 'Topics', exact: true }).click();
  await page.getByRole('link', { name: 'cancelled-2', exact: true }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'cancelled-0', exact: true }).count(), 0);
  await tray.getByRole('button', { name: 'Continue', exact: true }).click();
  await tray.getByText('Deleted 2 topics', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'cancelled-2', exact: true }).waitFor({ state: 'detached' });
  await page.context().close();
});

test('a task that failed is tried again', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/topics'));
  await page.getByRole('link', { name: 'exported-0', exact: true }).waitFor();
  let isAway = true;
  await page.route('**/api/v1/list_topics', async (route) => {
    const isExport = !(route.request().postData() ?? route.request().url()).includes('limit');
    if (isExport && isAway)
      await route.fulfill({ status: 503, json: { code: 'unavailable', message: 'away' } });
    else await route.continue();
  });
  const exportAll = async () => {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'All topics as JSON', exact: true }).click();
  };
  await exportAll();
  const tray = page.getByRole('region', { name: 'Tasks', exact: true });
  await tray.getByText(/^Failed: /).waitFor();
  isAway = false;
  const saved = page.waitForEvent('download');
  await tray.getByRole('button', { name: 'Retry', exact: true }).click();
  assert.equal((await saved).suggestedFilename(), 'topics.json');
  await tray.getByText(/^Saved \d+ topics? as topics\.json$/).waitFor();
  await page.context().close();
});
