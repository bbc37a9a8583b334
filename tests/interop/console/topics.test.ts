import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { missingChromium } from './chromium.ts';
import { kafkaOf } from './kafka.ts';
import { testPages } from './pages.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

let stage: Stage;
if (skip === false) {
  stage = await openStage({ after });
  await kafkaOf(stage.local.address('Kafka'), async ({ admin, producer, consumer }) => {
    await admin.createTopics({ topics: [{ topic: 'orders', numPartitions: 3 }], waitForLeaders: true });
    const messages = Array.from({ length: 5 }, (_, index) => ({ value: `record ${index}`, partition: 0 }));
    await producer.send({ topic: 'orders', messages });
    await consumer('<b>shop</b>', 'orders');
  });
}

testPages(
  () => stage,
  [
    { path: '/clusters/{id}/topics/orders/configs', shows: ['retention.ms', '0 set on this topic'] },
    { path: '/clusters/{id}/topics/orders/consumers', shows: ['<b>shop</b>', 'Largest lag'] },
  ],
);

test('a person makes a topic, changes it, deletes it and restores it', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/topics'));
  await page.getByRole('button', { name: 'New topic' }).click();
  const sheet = page.getByRole('dialog');
  await sheet.getByLabel('Name').fill('not a name');
  await sheet.getByText('is not 1 to 249 letters').waitFor();
  await sheet.getByLabel('Name').fill('orders');
  await sheet.getByRole('button', { name: 'Create topic' }).click();
  await sheet.getByText('Failed to create the topic').waitFor();
  assert.equal(await sheet.getByLabel('Name').inputValue(), 'orders', 'what was typed stays');
  await sheet.getByLabel('Name').fill('walk');
  await sheet.getByLabel('Add a config').selectOption('retention.ms');
  await sheet.getByRole('textbox', { name: 'retention.ms' }).fill('soon');
  await sheet.getByText('must be a whole number from -1').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await sheet.getByRole('textbox', { name: 'retention.ms' }).fill('3600000');
  await sheet.getByRole('button', { name: 'Create topic' }).click();
  await page.getByRole('heading', { name: 'walk' }).waitFor();
  await page.getByText('1 h retention').waitFor();

  await page.getByRole('button', { name: 'Add partitions' }).click();
  await page.getByLabel('Partitions in all').fill('4');
  await page.getByRole('dialog').getByRole('button', { name: 'Add partitions' }).click();
  await page.getByText('4 partitions', { exact: false }).first().waitFor();

  await page.getByRole('link', { name: 'Configs' }).click();
  await page.getByText('1 set on this topic').waitFor();
  await page.getByRole('gridcell', { name: 'retention.ms', exact: true }).click();
  await page.getByRole('textbox', { name: 'retention.ms' }).fill('7200000');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  await page.getByText('The cluster accepts it').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('2 h retention').waitFor();

  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const confirm = page.getByRole('dialog');
  await confirm.getByText('It can be restored with its records until').waitFor();
  assert.equal(await confirm.getByRole('button', { name: 'Delete walk' }).isDisabled(), true);
  await confirm.getByLabel('Type walk to confirm').fill('walk');
  await confirm.getByRole('button', { name: 'Delete walk' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Restored walk').waitFor();
  await page.getByRole('link', { name: 'walk', exact: true }).waitFor();
  await page.context().close();
});

test('records are deleted up to an offset, and the list is exported', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/topics/orders'));
  await page.getByText('5 records').waitFor();
  await page.getByRole('button', { name: 'Delete records' }).click();
  const confirm = page.getByRole('dialog');
  await confirm.getByLabel('First offset that stays').fill('2');
  await confirm.getByLabel('Type orders to confirm').fill('orders');
  await confirm.getByRole('button', { name: 'Delete records' }).click();
  await page.getByText('Partition 0 of orders begins at 2').waitFor();
  await page.getByText('3 records').waitFor();

  await page.goto(await stage.urlOf('/clusters/{id}/topics'));
  await page.getByRole('button', { name: 'Export' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: /CSV/ }).click();
  const text = await readFile(await (await saved).path(), 'utf8');
  assert.match(text, /^name,id,partitions,.*\r\n/);
  assert.match(text, /^orders,/m);
  await page.context().close();
});

test('configs and names with markup are text', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/topics/orders/consumers'));
  await page.getByText('<b>shop</b>').waitFor();
  await page.goto(
    await stage.urlOf(`/clusters/{id}/topics/${encodeURIComponent('<img src=x onerror=alert(1)>')}`),
  );
  await page.getByText(/Failed to describe the topic <img/).waitFor();
  assert.equal(await page.locator('main img, main b').count(), 0);
  await page.context().close();
});
