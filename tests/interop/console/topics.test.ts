import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { callOf } from './call.ts';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, field, message, onPage, undoOf } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { testPages } from './pages.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

let stage: Stage;
if (skip === false) {
  stage = await openStage({ after });
  // Events are records of internal topics.
  await (await callOf(stage))('update_events_state', { enabled: true });
  await kafkaOf(stage.local.address('Kafka'), async ({ admin, producer, consumer }) => {
    await admin.createTopics({ topics: [{ topic: 'orders', numPartitions: 3 }], waitForLeaders: true });
    const messages = Array.from({ length: 5 }, (_, index) => ({ value: `record ${index}`, partition: 0 }));
    await producer.send({ topic: 'orders', messages });
    await admin.createTopics({ topics: [{ topic: 'steps', numPartitions: 1 }], waitForLeaders: true });
    // A batch each: clones end between batches.
    for (const value of ['first', 'second', 'third'])
      await producer.send({ topic: 'steps', messages: [{ value }] });
    await consumer('<b>shop</b>', 'orders');
  });
}

testPages(
  () => stage,
  [
    { path: '/clusters/{id}/topics?internal=true', shows: ['orders', 'Cleanup', '__service_'] },
    { path: '/clusters/{id}/topics/steps', shows: ['3 records ·', 'Size, last hour', 'Add partitions'] },
    { path: '/clusters/{id}/topics/orders/configs', shows: ['retention.ms', '0 set on this topic'] },
    { path: '/clusters/{id}/topics/orders/consumers', shows: ['<b>shop</b>', 'Largest lag'] },
  ],
);

test('a person makes a topic, changes it, deletes it and restores it', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/topics'));
  await button(page, 'Create topic').click();
  const sheet = dialogOf(page);
  await field(sheet, 'Name').fill('not a name');
  await sheet.getByText('is not 1 to 249 letters').waitFor();
  await field(sheet, 'Name').fill('orders');
  await button(sheet, 'Create topic').click();
  await sheet.getByText('Failed to create the topic').waitFor();
  assert.equal(await field(sheet, 'Name').inputValue(), 'orders', 'what was typed stays');
  await field(sheet, 'Name').fill('walk');
  await field(sheet, 'Add config').selectOption('retention.ms');
  await sheet.getByRole('textbox', { name: 'retention.ms', exact: true }).fill('soon');
  await sheet.getByText('must be a whole number from -1').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await sheet.getByRole('textbox', { name: 'retention.ms', exact: true }).fill('3600000');
  await button(sheet, 'Create topic').click();
  await page.getByRole('heading', { name: 'walk', exact: true }).waitFor();
  await onPage(page, /\b1 h retention/).waitFor();

  await button(page, 'Add partitions').click();
  await field(page, 'Total partitions').fill('4');
  await dialogOf(page).getByRole('button', { name: 'Add partitions', exact: true }).click();
  await onPage(page, /^4 partitions/).waitFor();

  await page.getByRole('link', { name: 'Configs', exact: true }).click();
  await onPage(page, /\b1 set on this topic/).waitFor();
  await button(page, 'Edit retention.ms').click();
  await page.getByRole('textbox', { name: 'retention.ms', exact: true }).fill('2h');
  await button(page, 'Save').click();
  await button(page, 'Review 1 change').click();
  await dialogOf(page).getByText('The change is valid', { exact: true }).waitFor();
  await button(page, 'Apply').click();
  await onPage(page, /\b2 h retention/).waitFor();

  await button(page, 'Delete').click();
  const confirm = dialogOf(page);
  await confirm.getByText('You can restore it with its records until').waitFor();
  assert.equal(await button(confirm, 'Delete walk').isDisabled(), true);
  await field(confirm, 'Type walk to confirm').fill('walk');
  await button(confirm, 'Delete walk').click();
  await undoOf(page, 'Deleted walk').click();
  await message(page, 'Restored walk').waitFor();
  await page.getByRole('link', { name: 'walk', exact: true }).waitFor();
  await page.context().close();
});

test(
  'the pages of topics show records, sizes, cleanup, charts, and internal topics on demand',
  bounded,
  async () => {
    const page = await stage.open();
    await page.goto(await stage.urlOf('/clusters/{id}/topics'));
    const row = (name: string | RegExp) => page.getByRole('row').filter({ hasText: name });
    assert.match((await row('orders').innerText()).replaceAll(/\s+/g, ' '), /^orders 3 5 .*B delete 1 d /);
    assert.equal(await row('__service_').count(), 0);
    await field(page, 'Internal topics').check();
    await row('__service_').first().waitFor();
    await page.waitForURL(/internal=true/);
    assert.equal(await row('__service_').first().getByRole('checkbox').isDisabled(), true);
    await page
      .getByRole('link', { name: /^__service_/ })
      .first()
      .click();
    await page.getByRole('heading', { name: /^__service_/, level: 1 }).waitFor();
    assert.equal(await button(page, 'Clone').count(), 0, 'the service alone changes it');

    await page.goto(await stage.urlOf('/clusters/{id}/topics/steps'));
    await onPage(page, /^1 partition · 3 records · .* · cleanup by deletion, 1 d retention/).waitFor();
    // The leader samples every ten seconds, and rates need two samples.
    await kafkaOf(stage.local.address('Kafka'), async ({ admin, producer }) => {
      await admin.createTopics({ topics: [{ topic: 'busy', numPartitions: 2 }], waitForLeaders: true });
      await page.goto(await stage.urlOf('/clusters/{id}/topics/busy'));
      const drawn = Promise.all(
        [
          'Bytes written per second, last hour',
          'Records written per second, last hour',
          'Size, last hour',
        ].map((name) => page.getByRole('img', { name, exact: true }).waitFor()),
      );
      let isDrawn = false;
      const ended = drawn.finally(() => {
        isDrawn = true;
      });
      while (!isDrawn) {
        await producer.send({ topic: 'busy', messages: [{ value: 'more' }] });
        await page.waitForTimeout(500);
      }
      await ended;
    });
    await button(page, '6 h').click();
    await page.getByRole('heading', { name: 'Size, last 6 hours', exact: true }).waitFor();
    await page.context().close();
  },
);

test('a topic is cloned up to an offset or a time, and the clone is a click away', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/topics/steps'));
  await button(page, 'Clone').click();
  const sheet = dialogOf(page);
  assert.equal(await field(sheet, 'Name').inputValue(), 'steps-clone');
  await field(sheet, 'Up to').selectOption('offset');
  await field(sheet, 'Offset').fill('all');
  await sheet.getByText('Enter a whole number, 0 or more.').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await field(sheet, 'Offset').fill('2');
  await button(sheet, 'Clone topic').click();
  await message(page, 'Created steps-clone with 2 records').waitFor();
  await sheet.waitFor({ state: 'detached' });

  await button(page, 'Clone').click();
  await field(sheet, 'Name').fill('steps-before');
  await field(sheet, 'Up to').selectOption('time');
  await field(sheet, 'Time').fill('2000-01-01T00:00:00');
  await button(sheet, 'Clone topic').click();
  await message(page, 'Created steps-before with 0 records').waitFor();
  await button(page, 'Open clone').first().click();
  await page.getByRole('heading', { name: /^steps-(clone|before)$/ }).waitFor();
  await page.context().close();
});

test('records are deleted up to an offset, and the list is exported', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/topics/orders'));
  await onPage(page, /^5 records/).waitFor();
  await button(page, 'Delete records').click();
  const confirm = dialogOf(page);
  await field(confirm, 'First offset to keep').fill('2');
  await field(confirm, 'Type orders to confirm').fill('orders');
  await button(confirm, 'Delete records').click();
  await message(page, 'Deleted records of orders partition 0 before offset 2').waitFor();
  await onPage(page, /^3 records/).waitFor();

  await page.goto(await stage.urlOf('/clusters/{id}/topics'));
  await button(page, 'Export').click();
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
  await onPage(page, '<b>shop</b>').waitFor();
  await page.goto(
    await stage.urlOf(`/clusters/{id}/topics/${encodeURIComponent('<img src=x onerror=alert(1)>')}`),
  );
  await onPage(page, /Failed to describe the topic <img/).waitFor();
  assert.equal(await page.locator('main img, main b').count(), 0);
  await page.context().close();
});
