import { after, test } from 'node:test';
import { callOf } from './call.ts';
import { missingChromium } from './chromium.ts';
import { replaceText } from './editor.ts';
import { button, onPage } from './find.ts';
import { openStage } from './stage.ts';

const skip = missingChromium();

const order = { type: 'record', name: 'Order', fields: [{ name: 'id', type: 'long' }] };
const textOf = (field: object) => JSON.stringify({ ...order, fields: [...order.fields, field] }, null, 2);

test('a person breaks a schema, sees why, fixes it and sees the diff', {
  skip,
  timeout: 180_000,
}, async () => {
  const stage = await openStage({ after });
  const call = await callOf(stage);
  await call('register_schema', { subject: 'orders-value', schema: JSON.stringify(order) });

  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}'));
  await page.getByRole('link', { name: 'Schema registry', exact: true }).first().click();
  await page.getByRole('link', { name: 'orders-value', exact: true }).click();
  await onPage(page, '1 version').waitFor();
  await page.getByRole('link', { name: 'New version', exact: true }).click();
  await onPage(page, 'The subject already has this schema').waitFor();

  const editor = page.getByRole('textbox', { name: 'Schema', exact: true });
  const register = button(page, 'Register new version');

  // A text that is no JSON says where.
  await replaceText(editor, textOf({ name: 'paid', type: 'boolean' }).slice(0, -3));
  await onPage(page, 'Invalid schema').waitFor();

  // A field without a default cannot be read from old records.
  await replaceText(editor, textOf({ name: 'paid', type: 'boolean' }));
  await onPage(page, 'Not compatible with version 1').waitFor();
  const problems = page.getByRole('list', { name: 'Problems', exact: true });
  await problems.getByText(/paid/).first().waitFor();
  await problems
    .getByRole('button', { name: /^\d+:\d+$/ })
    .first()
    .click();
  await page.locator('.cm-lintRange-error').first().waitFor();
  if (!(await register.isDisabled())) throw new Error('an incompatible schema can be registered');

  await replaceText(editor, textOf({ name: 'paid', type: 'boolean', default: false }));
  await onPage(page, 'Compatible').waitFor();
  await register.click();

  await page.waitForURL(/\/compare\?/);
  await onPage(page, '2 versions').waitFor();
  await page
    .locator('.cm-insertedLine, .cm-changedLine')
    .getByText(/"paid"/)
    .first()
    .waitFor();
});
