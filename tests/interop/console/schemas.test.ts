import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { callOf } from './call.ts';
import { missingChromium } from './chromium.ts';
import { button, field, message, onPage } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { testPages } from './pages.ts';
import { openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

const longName = `${'a.subject.with.a.long.name-'.repeat(8)}value`;
const orderOf = (...fields: readonly object[]) =>
  JSON.stringify({ type: 'record', name: 'Order', fields: [{ name: 'id', type: 'long' }, ...fields] });

let stage: Stage;
if (skip === false) {
  stage = await openStage({ after });
  await kafkaOf(stage.local.address('Kafka'), async ({ admin }) => {
    await admin.createTopics({ topics: [{ topic: 'orders', numPartitions: 1 }], waitForLeaders: true });
  });
  const call = await callOf(stage);
  const note = { name: 'note', type: 'string', default: '' };
  await call('register_schema', { subject: 'orders-value', schema: orderOf() });
  await call('register_schema', { subject: 'orders-value', schema: orderOf(note) });
  await call('register_schema', { subject: longName, schema: orderOf() });
  await call('register_schema', {
    subject: 'invoices-value',
    schema: '{"type":"record","name":"Invoice","fields":[{"name":"order","type":"Order"}]}',
    references: [{ name: 'Order', subject: 'orders-value', version: 2 }],
  });
  await call('register_schema', {
    subject: 'clicks-value',
    schema_type: 'PROTOBUF',
    schema: 'syntax = "proto3";\n// A click.\nmessage Click { int64 at = 1; }\n',
  });
  await call('register_schema', { subject: 'gone-value', schema: orderOf() });
  await call('delete_subject', { subject: 'gone-value' });
}

testPages(
  () => stage,
  [
    { path: '/clusters/{id}/subjects', shows: ['orders-value', longName, '4 subjects', 'Protobuf'] },
    { path: '/clusters/{id}/subjects?deleted=true&q=gone', shows: ['gone-value', '1 of 5 subjects'] },
    {
      path: '/clusters/{id}/subjects/orders-value',
      shows: ['2 versions', 'topic orders', 'invoices-value', /"namespace"|"name"/],
    },
    { path: '/clusters/{id}/subjects/clicks-value', shows: ['1 version', /message Click/] },
    { path: '/clusters/{id}/subjects/gone-value', shows: ['deleted', 'Restore subject', /"record"/] },
    { path: '/clusters/{id}/subjects/missing', shows: ['Subject not found', 'missing'] },
    { path: '/clusters/{id}/subjects/orders-value/compare', shows: [/"note"/] },
    { path: '/clusters/{id}/subjects/clicks-value/compare', shows: ['Only one version'] },
    {
      path: '/clusters/{id}/subjects/invoices-value/edit',
      shows: ['The subject already has this schema', 'References'],
    },
    { path: '/clusters/{id}/subjects/orders-value/config', shows: ['Compatibility level'] },
    { path: '/clusters/{id}/registry-config', shows: ['Whole registry'] },
    { path: '/clusters/{id}/new-subject', shows: ['Enter a subject and a schema.'] },
  ],
);

const click = (page: Page, name: string) => button(page, name).click();

test('a subject is made, gets rules of its own, is deleted, returns and goes for good', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/subjects'));
  await click(page, 'Create subject');
  await field(page, 'Type').selectOption('JSON');
  const name = 'payments "<img src=x onerror=alert(1)>" \u202evalue';
  await field(page, 'Subject').fill(name);
  await onPage(page, 'Valid schema; it will be version 1').waitFor();
  await click(page, 'Register schema');
  await page
    .getByRole('heading', { name: /payments "<img src=x onerror=alert\(1\)>" ⟨U\+202E⟩value/ })
    .first()
    .waitFor();
  assert.equal(await page.locator('img').count(), 0);

  await page.getByRole('link', { name: 'Config', exact: true }).click();
  await field(page, 'Compatibility level').selectOption('FULL');
  await click(page, 'Save');
  await message(page, 'Changed the config').waitFor();
  await onPage(page, 'FULL').first().waitFor();

  await click(page, 'More actions');
  await page.getByRole('menuitem', { name: 'Delete subject …', exact: true }).click();
  await click(page, 'Delete subject');
  await click(page, 'Restore subject');
  await message(page, /Restored .*: version 2, with the same ids/).waitFor();
  await onPage(page, '1 version').waitFor();

  await click(page, 'More actions');
  await page.getByRole('menuitem', { name: 'Delete subject …', exact: true }).click();
  await click(page, 'Delete subject');
  await button(page, 'Restore subject').waitFor();
  await click(page, 'More actions');
  await page.getByRole('menuitem', { name: 'Delete permanently …', exact: true }).click();
  const remove = button(page, 'Delete permanently');
  assert.equal(await remove.isDisabled(), true);
  await page.getByLabel(/to confirm$/).fill(name);
  await remove.click();
  await onPage(page, /^4 subjects/).waitFor();
  await page.context().close();
});
