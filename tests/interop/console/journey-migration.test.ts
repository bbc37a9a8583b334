import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startLocal, type WeirProcess } from '../brokers/weir-process.ts';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, field, message, onPage } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { deployMigration, untilCopiedAgain } from './migration.ts';
import { assertFitsPhone } from './phone.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
/** The page stays as narrow as a phone after it was looked at on one. */
const desk = { width: 1440, height: 900 };
const long = { skip, timeout: 240_000 };

let stage: Stage;
let source: WeirProcess;
if (skip === false) {
  stage = await openStage({ after });
  source = await startLocal({ after });
}

test('topics are moved from another cluster, on the pages of the migration', long, async () => {
  const broker = source.address('Kafka');
  await kafkaOf(broker, async ({ admin, producer, consumer }) => {
    const topics = ['orders', 'bills'].map((topic) => ({ topic, numPartitions: 1 }));
    await admin.createTopics({ topics, waitForLeaders: true });
    await producer.send({ topic: 'orders', messages: [{ value: 'first' }, { value: 'second' }] });
    await consumer('billing', 'orders');
  });
  const page = await stage.open();
  const click = (name: string) => button(page, name).click();
  const tab = (name: string) => page.getByRole('link', { name, exact: true }).last().click();
  await deployMigration(stage, page, broker);

  await tab('Preflight');
  await click('Run preflight');
  await onPage(page, 'The migration can start').waitFor();
  await page
    .getByRole('grid', { name: 'Topics', exact: true })
    .getByText('orders', { exact: true })
    .first()
    .waitFor();
  await page.getByRole('grid', { name: 'Groups', exact: true }).getByText('billing').first().waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);

  await tab('Topics');
  await onPage(page, 'No topics yet').waitFor();
  await click('Start');
  const topics = page.getByRole('grid', { name: 'Topics of the migration', exact: true });
  await topics.getByRole('row', { name: /bills.*replicating/ }).waitFor();
  await onPage(page, 'The copies have all that the source has.').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await assertFitsPhone(page);
  await page.setViewportSize(desk);
  await topics.getByText('orders', { exact: true }).click();
  await page
    .getByRole('grid', { name: 'Partitions', exact: true })
    .getByText('2', { exact: true })
    .first()
    .waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);

  // A copy that is deleted is made again.
  const isCopiedAgain = await untilCopiedAgain(stage, 'orders');
  await click('Copy again');
  await field(page, 'Type orders to confirm').fill('orders');
  await click('Delete the copy of orders');
  await message(page, 'Deleted the copy of orders').waitFor();
  // The page may still show the copy from before for some seconds.
  await isCopiedAgain();
  await page.reload();
  await topics.getByRole('row', { name: /orders.*replicating/ }).waitFor();

  await tab('Cut-over');
  assert.equal(await button(page, 'Cut over').isDisabled(), true);
  await click('Start forwarding');
  await button(dialogOf(page), 'Start forwarding').click();
  await message(page, 'Agents forward writes now').waitFor();
  const steps = page.getByRole('list', { name: 'Steps', exact: true });
  await steps.getByRole('listitem').nth(1).getByText('2', { exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await assertFitsPhone(page);
  await page.setViewportSize(desk);

  // What cannot be deleted says why.
  await click('Delete');
  await field(page, 'Type move to confirm').fill('move');
  await click('Delete pipeline');
  await dialogOf(page)
    .getByText(/still manages 2 topics, first bills/)
    .waitFor();
  await page.keyboard.press('Escape');

  await click('Cut over');
  await button(dialogOf(page), 'Cut over').click();
  await message(page, 'The cut-over is initiated').waitFor();
  await onPage(page, 'All 2 topics that can be copied are migrated.').waitFor();
  // Clients write here now, behind what was copied.
  await kafkaOf(stage.local.address('Kafka'), async ({ producer }) => {
    const [written] = await producer.send({ topic: 'orders', messages: [{ value: 'third' }] });
    assert.equal(written!.baseOffset, '2');
  });
  await page.context().close();
});
