import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import { callOf } from './call.ts';
import { missingChromium } from './chromium.ts';
import { button, configRow, dialogOf, field, message, undoOf } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { assertFitsPhone } from './phone.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

let stage: Stage;
if (skip === false) {
  stage = await openStage({ after });
  await kafkaOf(stage.local.address('Kafka'), async ({ admin, producer }) => {
    await admin.createTopics({ topics: [{ topic: 'orders' }, { topic: 'payments' }], waitForLeaders: true });
    const timestamp = String(systemClock.nowMs() - 5 * 3_600_000);
    const messages = Array.from({ length: 5 }, (_, index) => ({ value: `record ${index}`, timestamp }));
    for (const topic of ['orders', 'payments']) await producer.send({ topic, messages });
  });
}

test('a cut of retention says what it deletes, wants the name, and is undone', bounded, async () => {
  const page = await stage.open();
  const call = await callOf(stage);
  const dialog = dialogOf(page);
  const setConfigs = async () => (await call('describe_topic', { topic_name: 'orders' })).set_configs;
  await page.goto(await stage.urlOf('/clusters/{id}/topics/orders/configs'));
  await button(page, 'Edit retention.ms').click();
  await field(dialog, 'retention.ms').fill('1h');
  await button(dialog, 'Save').click();
  await button(page, 'Review 1 change').click();
  await dialog.getByText(/^This change deletes 5 records \(\d+ B\) of orders\.$/).waitFor();
  assert.ok(await button(dialog, 'Apply').isDisabled());
  await field(dialog, 'Type orders to confirm').fill('order');
  assert.ok(await button(dialog, 'Apply').isDisabled(), 'another name');
  await field(dialog, 'Type orders to confirm').fill('orders');
  assert.deepEqual(await accessibilityProblems(page), []);
  await button(dialog, 'Apply').click();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await setConfigs(), ['retention.ms']);
  await undoOf(page, 'Changed the configs of orders').click();
  await message(page, 'Restored the configs of orders').waitFor();
  assert.deepEqual(await setConfigs(), [], 'what was not set is not set again');
  await page.context().close();
});

test(
  'the default retention of the cluster names the topics that lose records, and is undone',
  bounded,
  async () => {
    const page = await stage.open();
    const call = await callOf(stage);
    const dialog = dialogOf(page);
    await page.goto(await stage.urlOf('/clusters/{id}/settings/configs'));
    const edit = async (name: string, value: string) => {
      await button(page, `Edit ${name}`).click();
      await field(dialog, name).fill(value);
      await button(dialog, 'Save').click();
      await dialog.waitFor({ state: 'detached' });
    };
    await edit('log.retention.ms', '2 h');
    await button(page, 'Review 1 change').click();
    await dialog.getByText(/^This change deletes 10 records \(\d+ B\) of 2 topics\.$/).waitFor();
    await dialog.getByText('orders, payments', { exact: true }).waitFor();
    assert.ok(await button(dialog, 'Apply').isDisabled());
    await button(dialog, 'Cancel').click();
    await button(page, 'Discard').click();

    await edit('num.partitions', '3');
    await button(page, 'Review 1 change').click();
    await dialog.getByText('The change is valid', { exact: true }).waitFor();
    await button(dialog, 'Apply').click();
    await undoOf(page, 'Changed the configuration').click();
    await message(page, 'Restored the configuration').waitFor();
    const { definitions } = await call('list_cluster_config_definitions', {});
    const partitions = (definitions as { name: string; value: string; is_set: boolean }[]).find(
      ({ name }) => name === 'num.partitions',
    );
    assert.deepEqual([partitions!.value, partitions!.is_set], ['1', false]);
    await page.context().close();
  },
);

for (const [path, name, typed, stored] of [
  ['topics/payments/configs', 'max.message.bytes', '512 KiB', '524288'],
  ['settings/configs', 'log.cleaner.delete.retention.ms', '36h', '129600000'],
] as const)
  test(`configs of ${path} are found, grouped, edited in units, and reset`, bounded, async () => {
    const page = await stage.open();
    const dialog = dialogOf(page);
    await page.goto(await stage.urlOf(`/clusters/{id}/${path}`));
    await page.getByRole('heading', { name: 'Retention', exact: true }).waitFor();
    const toggle = page.getByRole('checkbox', { name: /^Show \d+ Kafka configs without effect here$/ });
    assert.equal(await page.getByRole('heading', { name: 'Segments and tiers' }).count(), 0);
    await toggle.check();
    await page.getByRole('heading', { name: 'Segments and tiers', exact: true }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await assertFitsPhone(page);
    await field(page, 'Filter configs').fill('no such config');
    await page.getByText('No config matches the filter', { exact: true }).waitFor();
    await field(page, 'Filter configs').fill(name);
    await button(page, `Edit ${name}`).click();
    await field(dialog, name).fill('7 fortnights');
    await dialog.getByText(/^must be a whole number .*, or an amount such as /).waitFor();
    await field(dialog, name).fill(typed);
    await dialog.getByText(`Stored as ${stored}`).waitFor();
    await button(dialog, 'Save').click();
    await configRow(page, name).getByText('changed, not applied', { exact: true }).waitFor();
    await button(page, 'Review 1 change').click();
    const [request] = await Promise.all([
      page.waitForRequest((one) => /\/update_/.test(one.url()) && !one.postData()!.includes('validate_only')),
      button(dialog, 'Apply').click(),
    ]);
    assert.ok(request.postData()!.includes(`"${name}":"${stored}"`));
    await configRow(page, name)
      .getByText(/^set on this/)
      .waitFor();
    await button(page, `Reset ${name} to default`).click();
    await configRow(page, name).getByText('reset, not applied', { exact: true }).waitFor();
    await button(page, 'Discard').click();
    await configRow(page, name)
      .getByText(/^set on this/)
      .waitFor();
    await page.context().close();
  });
