import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { missingChromium } from './chromium.ts';
import { kafkaOf } from './kafka.ts';
import { type PageCase, testPages } from './pages.ts';
import { openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };
const recordCount = 3_000;

let stage: Stage;
let clusterId: string;
if (skip === false) {
  stage = await openStage({ after });
  await kafkaOf(stage.local.address('Kafka'), async ({ admin, producer, consumer }) => {
    await admin.createTopics({ topics: [{ topic: 'orders', numPartitions: 2 }], waitForLeaders: true });
    const messages = Array.from({ length: recordCount }, (_, index) => ({ value: `order ${index}` }));
    await producer.send({ topic: 'orders', messages: [{ value: 'first', partition: 0 }] });
    await consumer('billing', 'orders');
    await producer.send({ topic: 'orders', messages });
    await admin.setOffsets({
      groupId: 'billing',
      topic: 'orders',
      partitions: [0, 1].map((partition) => ({ partition, offset: '0' })),
    });
  });
  clusterId = await stage.clusterId();
}

const pages: readonly PageCase[] = [
  {
    path: '/clusters/{id}',
    shows: ['Produce p99', 'Groups that fall behind', 'Bytes per second, last hour'],
  },
  { path: '/clusters/{id}/consumer-groups', shows: ['billing', 'Last hour'] },
  { path: '/clusters/{id}/consumer-groups/billing', shows: ['Reset offsets', 'Lag by topic, last hour'] },
];

testPages(() => stage, pages);

test('a person finds the group that falls behind and resets it', bounded, async () => {
  const page = await stage.open();
  await page.goto(`${stage.url}/clusters/${clusterId}`);
  // The leader samples every ten seconds.
  await page.getByText('1 group is falling behind.').waitFor({ timeout: 60_000 });
  await page.getByRole('link', { name: 'billing' }).click();
  await page.getByText(/3,001 records behind/).waitFor();
  await page.getByRole('button', { name: 'Reset offsets' }).click();
  await page.getByText('An offset, of every partition').click();
  await page.getByLabel('Offset', { exact: true }).fill('minus one');
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('Type a whole number from 0.').waitFor();
  await page.getByText('The end: skip what it has not read').click();
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByText('3,001 records are skipped, 0 are read again.').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Reset 2 partitions').waitFor();
  await page.getByText(/· 0 records behind/).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  const confirm = page.getByRole('button', { name: 'Delete billing' });
  assert.equal(await confirm.isDisabled(), true);
  await page.getByLabel('Type billing to confirm').fill('billing');
  await confirm.click();
  await page.getByText('No consumer groups yet').waitFor();
  await page.context().close();
});
