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
  { path: '/clusters', shows: ['1 cluster', 'Kafka', 'Topics'] },
  { path: '/clusters/{id}', shows: ['1 agent', 'Failing diagnostics', 'Connect', /kcat -b/] },
  { path: '/clusters/{id}/topics', shows: ['orders', longName, '2 topics'] },
  { path: '/clusters/{id}/topics?q=ord', shows: ['orders', '1 of 2 topics'] },
  { path: '/clusters/{id}/topics/orders', shows: ['3 partitions', 'Latest record'] },
  { path: `/clusters/{id}/topics/${longName}`, shows: [longName] },
  { path: '/clusters/{id}/topics/missing', shows: ['Failed to describe the topic missing', 'Retry'] },
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

test('names with markup are text', bounded, async () => {
  const page = await stage.open();
  const name = '<img src=x onerror=alert(1)>';
  await page.goto(`${stage.url}/clusters/${clusterId}/consumer-groups/${encodeURIComponent(name)}`);
  await page
    .getByRole('heading', { name })
    .or(page.getByText(/Failed to describe/))
    .first()
    .waitFor();
  assert.equal(await page.locator('img').count(), 0);
  await page.context().close();
});
