import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { callOf } from './call.ts';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, field, undoOf } from './find.ts';
import { testPages } from './pages.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

let stage: Stage;
if (skip === false) stage = await openStage({ after });

testPages(() => stage, [{ path: '/clusters/{id}/quotas', shows: ['No quotas'] }]);

test('quotas are created, found for a client, changed, deleted and brought back', bounded, async () => {
  const page = await stage.open();
  const call = await callOf(stage);
  const dialog = dialogOf(page);
  const quotas = async () => (await call('list_client_quotas', {})).client_quotas;
  await page.goto(await stage.urlOf('/clusters/{id}/quotas'));
  await button(page, 'Create quota').click();
  assert.ok(await button(dialog, 'Review').isDisabled());
  await field(dialog, 'User').fill('<b>shop</b>');
  await field(dialog, 'Produce rate').fill('fast');
  await dialog.getByText('must be bytes per second above 0, such as 10 MiB/s', { exact: true }).waitFor();
  await field(dialog, 'Produce rate').fill('10 MiB/s');
  assert.deepEqual(await accessibilityProblems(page), []);
  await button(dialog, 'Review').click();
  await dialog.getByText('+ 10 MiB/s', { exact: true }).waitFor();
  await button(dialog, 'Apply').click();
  await dialog.waitFor({ state: 'detached' });
  const entity = [{ type: 'user', name: '<b>shop</b>' }];
  assert.deepEqual(await quotas(), [{ entity, quotas: { producer_byte_rate: 10_485_760 } }]);

  await field(page, 'User of the client').fill('<b>shop</b>');
  await button(page, 'Show quotas').click();
  const applying = page.getByRole('list', { name: 'Quotas that apply' }).getByRole('listitem');
  await applying.filter({ hasText: 'Produce rate: 10 MiB/s by the quota of user <b>shop</b>' }).waitFor();

  await button(page, 'Change quotas of user <b>shop</b>').click();
  await field(dialog, 'Produce rate').fill('');
  await field(dialog, 'Request time').fill('50 %');
  await button(dialog, 'Review').click();
  await button(dialog, 'Apply').click();
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await quotas(), [{ entity, quotas: { request_percentage: 50 } }]);

  await button(page, 'Delete quotas of user <b>shop</b>').click();
  await button(dialog, 'Apply').click();
  await page.getByText('No quotas', { exact: true }).waitFor();
  await undoOf(page, 'Deleted the quotas of user <b>shop</b>').click();
  await page.getByRole('gridcell', { name: '50 %', exact: true }).waitFor();
  assert.deepEqual(await quotas(), [{ entity, quotas: { request_percentage: 50 } }]);
  await page.context().close();
});
