import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { missingChromium } from './chromium.ts';
import { onPage } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { type PageCase, testPages } from './pages.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

/** A name that is longer than any column. */
const longName = `${'a-topic-with-a-long-name.'.repeat(9)}end`;

let stage: Stage;
let clusterId: string;
if (skip === false) {
  stage = await openStage({ after });
  await kafkaOf(stage.local.address('Kafka'), async ({ admin, producer, consumer }) => {
    await admin.createTopics({
      topics: ['orders', longName].map((topic) => ({ topic, numPartitions: 3 })),
      waitForLeaders: true,
    });
    await producer.send({ topic: 'orders', messages: [{ key: '1', value: 'first' }] });
    await consumer('shop', 'orders');
  });
  clusterId = await stage.clusterId();
}

const pages: readonly PageCase[] = [
  { path: '/clusters', shows: ['2 clusters', 'Kafka', 'Topics', 'Data lake', 'Tables'] },
  { path: '/clusters/{id}', shows: ['1 agent', 'Failing diagnostics', 'Connect', /kcat -b/] },
  { path: '/clusters/{id}/topics', shows: ['orders', longName, '2 topics'] },
  { path: '/clusters/{id}/topics?q=ord', shows: ['orders', '1 of 2 topics'] },
  { path: '/clusters/{id}/topics/orders', shows: ['3 partitions', 'Latest record'] },
  { path: `/clusters/{id}/topics/${longName}`, shows: [longName] },
  { path: '/clusters/{id}/topics/missing', shows: ['Topic not found', 'missing', 'Deleted topics'] },
  { path: '/clusters/{id}/consumer-groups/missing', shows: ['Consumer group not found', 'missing'] },
  { path: '/clusters/{id}/diagnostics/missing', shows: ['Diagnostic not found', 'missing'] },
  { path: '/clusters/{id}/not/there?x=1', shows: ['Page not found', /\/not\/there$/, 'Topics'] },
  { path: '/not/there', shows: ['Page not found', '/not/there', 'All clusters'] },
  { path: '/clusters/vci_missing/topics', shows: ['Cluster not found', 'vci_missing', 'All clusters'] },
  { path: '/clusters/{id}/consumer-groups', shows: ['shop', 'Lag'] },
  { path: '/clusters/{id}/consumer-groups/shop', shows: [/Partitions \(/, 'orders'] },
  { path: '/clusters/{id}/diagnostics', shows: ['Diagnostics'] },
  { path: '/clusters/{id}/agents', shows: ['1 agent connected', 'proxy'] },
];

testPages(() => stage, pages);

test('a person without a session signs in and comes back', bounded, async () => {
  const page = await stage.open({ isSignedIn: false });
  await page.goto(`${stage.url}/clusters/${clusterId}/topics?q=ord`);
  await onPage(page, 'Sign in to Weir').waitFor();
  const { searchParams } = new URL(page.url());
  assert.equal(searchParams.get('return_to'), `/clusters/${clusterId}/topics?q=ord`);
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.context().close();
});

test('the palette finds a topic by the keyboard', bounded, async () => {
  const page = await stage.open();
  await page.goto(`${stage.url}/clusters/${clusterId}`);
  await onPage(page, 'Failing diagnostics').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(/Pages, clusters/).fill('orders');
  await page
    .getByRole('option', { name: /orders/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/topics\/orders$/);
  await page.context().close();
});

test('shortcuts are those of the keyboard: Ctrl here, ⌘ on a Mac', bounded, async () => {
  for (const [platform, cap] of [
    ['Linux', 'Ctrl K'],
    ['macOS', '⌘K'],
  ] as const) {
    const page = await stage.open();
    await page.addInitScript(
      `Object.defineProperty(navigator, 'userAgentData', { value: { platform: '${platform}' } })`,
    );
    await page.goto(`${stage.url}/clusters`);
    await page.locator('header kbd').getByText(cap, { exact: true }).waitFor();
    await onPage(page, '2 clusters').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').locator('kbd').getByText(cap, { exact: true }).waitFor();
    await page.context().close();
  }
});

test('a phone shows the columns that matter, and all of them when asked', bounded, async () => {
  const page = await stage.open({ width: 360 });
  await page.goto(`${stage.url}/clusters/${clusterId}/topics`);
  const table = page.getByRole('grid', { name: 'Topics' });
  await table.getByRole('columnheader', { name: 'Name' }).waitFor();
  await table.getByRole('columnheader', { name: 'Partitions' }).waitFor();
  assert.equal(await table.getByRole('columnheader', { name: 'Created' }).count(), 0);
  await onPage(page, /^Not shown: .*Created/).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('button', { name: 'Show all columns', exact: true }).click();
  await table.getByRole('columnheader', { name: 'Created' }).waitFor({ state: 'attached' });
  await page.context().close();
});

test('names with markup are text', bounded, async () => {
  const page = await stage.open();
  const name = '<img src=x onerror=alert(1)>';
  await page.goto(`${stage.url}/clusters/${clusterId}/consumer-groups/${encodeURIComponent(name)}`);
  await onPage(page, 'Consumer group not found').waitFor();
  await onPage(page, name).waitFor();
  assert.equal(await page.locator('img').count(), 0);
  await page.context().close();
});
