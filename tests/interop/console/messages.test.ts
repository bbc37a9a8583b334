import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { missingChromium } from './chromium.ts';
import { replaceText } from './editor.ts';
import { button, dialogOf, field, onPage } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { type PageCase, testPages } from './pages.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

/** What a page must show as text and never run. */
const script = '<img src=x onerror="window.injected=1"><script>window.injected=1</script>';
const hidden = 'a\u0000b\u202ec\u200fd';

let stage: Stage;
if (skip === false) {
  stage = await openStage({ after });
  await kafkaOf(stage.local.address('Kafka'), async ({ admin, producer }) => {
    await admin.createTopics({
      topics: [
        { topic: 'orders', numPartitions: 3 },
        { topic: 'odd', numPartitions: 1 },
        { topic: 'silent', numPartitions: 1 },
      ],
      waitForLeaders: true,
    });
    await producer.send({
      topic: 'orders',
      messages: Array.from({ length: 300 }, (_, nth) => ({
        key: `customer-${nth % 7}`,
        value: JSON.stringify({ order: nth, total: nth * 10, id: 'big' }),
        partition: nth % 3,
      })),
    });
    await producer.send({
      topic: 'odd',
      messages: [
        { key: script, value: script, headers: { [script]: script, [hidden]: hidden } },
        { key: hidden, value: hidden },
        { key: 'tombstone', value: null },
        { key: '', value: '' },
        { key: null, value: Buffer.from([0xff, 0xfe, 0x00, 0x80]) },
        { key: 'long', value: `${'x'.repeat(700_000)}END` },
        { key: 'exact', value: `{"digits":12345678901234567890,"html":${JSON.stringify(script)}}` },
      ],
    });
  });
}

const pages: readonly PageCase[] = [
  { path: '/clusters/{id}/topics/orders/messages', shows: [/scanned \d+ · matched/, /customer-/] },
  { path: '/clusters/{id}/topics/orders/messages?partition=1&offset=7', shows: ['1:7', 'Copy link', 'Tree'] },
  { path: '/clusters/{id}/topics/odd/messages', shows: ['tombstone', /<img src=x/] },
  { path: '/clusters/{id}/topics/silent/messages', shows: ['No records'] },
  { path: '/clusters/{id}/topics/silent/messages?partition=0&offset=9', shows: ['No record at 0:9'] },
];

testPages(() => stage, pages);

const row = (page: Page, place: string) =>
  page.getByRole('row').filter({ has: page.getByText(place, { exact: true }) });
const panel = (page: Page) => page.getByRole('region', { name: 'Record', exact: true });
async function assertNothingRan(page: Page): Promise<void> {
  assert.equal(await page.evaluate('window.injected'), undefined);
  // Editors have images without a source beside their placeholders.
  assert.equal(await page.locator('main img:not(.cm-widgetBuffer), main script').count(), 0);
}

test('a person filters, pages, opens a record, shares it and produces one', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/topics/orders/messages'));
  await onPage(page, /scanned \d+ · matched/).waitFor();

  await replaceText(field(page, 'Filter'), 'value.total >');
  await button(page, 'Read').click();
  await onPage(page, /line 1, column/).waitFor();
  assert.equal(await field(page, 'Filter').innerText(), 'value.total >', 'what was typed stays');
  await replaceText(field(page, 'Filter'), 'value.total >= 2980');
  await button(page, 'Read').click();
  await onPage(page, /^scanned 300 · matched 2\b/).waitFor();
  await replaceText(field(page, 'Filter'), '');
  await field(page, 'Contains').fill('CUSTOMER-3');
  await field(page, 'Limit').fill('5');
  await button(page, 'Read').click();
  await page.waitForURL(/contains=CUSTOMER-3/);
  await page.locator('[data-row="4"]').waitFor();
  await page.locator('[data-row="5"]').waitFor({ state: 'detached' });
  const first = page.locator('[data-row="0"]');
  const place = await first.getByRole('gridcell').nth(1).innerText();
  assert.match(place, /^\d+:\d+$/);
  await button(page, 'Older').click();
  await page.waitForURL(/cursor=/);
  await first.filter({ hasNotText: place }).waitFor();
  await page.goBack();
  await first.filter({ hasText: place }).waitFor();

  await page.goto(await stage.urlOf('/clusters/{id}/topics/orders/messages?partition=2&offset=4'));
  await panel(page).getByText('order:').waitFor();
  await panel(page).getByRole('button', { name: 'Hex', exact: true }).click();
  await panel(page)
    .getByText(/^00000000 {2}7b 22 6f/)
    .waitFor();
  await panel(page).getByRole('button', { name: 'Copy as', exact: true }).click();
  await panel(page)
    .getByText(/kcat -b .* -t orders -p 2 -o 4 -c 1/)
    .waitFor();
  await panel(page)
    .getByText(/weir cli fetch .* -partition 2 -offset 4/)
    .waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('separator', { name: 'Width of the record', exact: true }).press('ArrowLeft');
  await button(page, 'Close record').click();
  await panel(page).waitFor({ state: 'detached' });

  await button(page, 'Produce').click();
  const dialog = dialogOf(page);
  await field(dialog, 'Format of the value').selectOption('json');
  await field(dialog, 'Value').fill('{"broken"');
  await button(dialog, 'Add header').click();
  await field(dialog, 'Name of header 1').fill('source');
  await field(dialog, 'Value of header 1').fill(script);
  await button(dialog, 'Produce').click();
  await dialog.getByText(/The value cannot be written as JSON/).waitFor();
  assert.equal(await field(dialog, 'Value').inputValue(), '{"broken"');
  assert.deepEqual(await accessibilityProblems(page), []);
  await field(dialog, 'Value').fill('{"made":"here"}');
  await field(dialog, 'Partition').fill('1');
  await button(dialog, 'Produce').click();
  await dialog.getByRole('link', { name: '1:100', exact: true }).click();
  await panel(page).getByText('made:').waitFor();
  await panel(page).getByRole('button', { name: 'Headers 1', exact: true }).click();
  await panel(page).getByText('source').waitFor();
  await assertNothingRan(page);
  await page.context().close();
});

test(
  'a person chooses columns and decoders, completes a filter and downloads what is found',
  bounded,
  async () => {
    const page = await stage.open();
    await page.goto(await stage.urlOf('/clusters/{id}/topics/orders/messages'));
    await onPage(page, /scanned \d+ · matched/).waitFor();
    await button(page, 'Columns').click();
    const sheet = dialogOf(page);
    await button(sheet, 'value.total').click();
    for (let step = 0; step < 5; step++) await button(sheet, 'Move value.total up').click();
    await button(sheet, 'Remove Value').click();
    await field(sheet, 'Another field').fill('<b>');
    await button(sheet, 'Add field').click();
    await sheet.getByText('Enter a field of the key, value or headers').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await button(sheet, 'Done').click();
    const titles = () => page.getByRole('columnheader').allInnerTexts();
    assert.deepEqual(await titles(), ['value.total', 'Time', 'Partition:offset', 'Key', 'Size']);
    await page.reload();
    await page.getByRole('gridcell', { name: '2990', exact: true }).waitFor();
    assert.deepEqual(
      await titles(),
      ['value.total', 'Time', 'Partition:offset', 'Key', 'Size'],
      'remembered',
    );

    const filter = field(page, 'Filter');
    await filter.focus();
    await page.keyboard.type('value.to');
    await page.getByRole('option', { name: 'value.total' }).click();
    await page.keyboard.type(' >= 2980');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await onPage(page, /· matched 2\b/).waitFor();
    assert.equal(await filter.innerText(), 'value.total >= 2980');

    const saved = async (entry: RegExp) => {
      await button(page, 'Download').click();
      const download = page.waitForEvent('download');
      await page.getByRole('menuitem', { name: entry }).click();
      return await readFile(await (await download).path(), 'utf8');
    };
    const lines = (await saved(/^2 shown records as JSON lines$/)).trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { value: object }).value),
      [299, 298].map((order) => ({ order, total: order * 10, id: 'big' })),
    );
    const csv = await saved(/^Up to 10,000 found as CSV$/);
    assert.match(csv, /^partition,offset,timestamp,key,value,headers,value\.total\r\n/);
    assert.match(csv, /,2990\r\n.*,2980\r\n$/);

    await page.goto(await stage.urlOf('/clusters/{id}/topics/odd/messages?start=oldest'));
    await field(page, 'Decode values').selectOption('hex');
    await button(page, 'Read').click();
    await page.waitForURL(/valueAs=hex/);
    await row(page, '0:4').getByText('fffe0080').waitFor();
    await row(page, '0:4').click();
    await panel(page).getByText('hex · 4 B').waitFor();
    await field(page, 'Decode values').selectOption('json');
    await button(page, 'Read').click();
    await row(page, '0:4').getByText('//4AgA==').waitFor();
    await row(page, '0:4').click();
    await panel(page).getByText('It cannot be decoded').waitFor();
    await assertNothingRan(page);
    await page.context().close();
  },
);

test(
  'records with markup, hidden characters, no value, no text and much text are shown safely',
  bounded,
  async () => {
    const page = await stage.open();
    await page.goto(await stage.urlOf('/clusters/{id}/topics/odd/messages?start=oldest'));
    await row(page, '0:1').getByText('a␀b⟨U+202E⟩c⟨U+200F⟩d').first().waitFor();
    await row(page, '0:2').getByText('null', { exact: true }).waitFor();
    await row(page, '0:3').getByText('empty').first().waitFor();
    await row(page, '0:4').getByText('//4AgA==').waitFor();
    await row(page, '0:0').click();
    await panel(page).getByText(script).waitFor();
    await panel(page)
      .getByRole('button', { name: /^Headers/ })
      .click();
    await panel(page).getByText(script).first().waitFor();
    await panel(page).getByText('a␀b⟨U+202E⟩c⟨U+200F⟩d').first().waitFor();
    await panel(page).getByRole('button', { name: 'Key', exact: true }).click();
    await panel(page).getByText(script).waitFor();
    await assertNothingRan(page);
    await row(page, '0:6').click();
    await panel(page).getByText('12345678901234567890').waitFor();
    await row(page, '0:5').click();
    await panel(page).getByText('truncated').waitFor();
    await panel(page)
      .getByRole('button', { name: /Load full value/ })
      .click();
    await panel(page)
      .getByRole('button', { name: /Show all 700,003 characters/ })
      .click();
    await panel(page).getByText(/xEND$/).waitFor();
    await row(page, '0:2').click();
    await panel(page)
      .getByText(/tombstone/)
      .waitFor();
    await assertNothingRan(page);
    await page.context().close();
  },
);

test('new records arrive while the page is live', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/topics/silent/messages'));
  await onPage(page, 'No records').waitFor();
  await button(page, 'Live').click();
  await page.waitForURL(/live=true/);
  await kafkaOf(stage.local.address('Kafka'), async ({ producer }) => {
    await producer.send({ topic: 'silent', messages: [{ key: 'k', value: 'it arrives' }] });
  });
  await page.getByRole('row').getByText('it arrives').waitFor();
  await page.context().close();
});
