import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, field, message, onPage } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { type PageCase, testPages } from './pages.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

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
    shows: ['Produce p99', 'Groups falling behind', 'Bytes per second, last hour'],
  },
  { path: '/clusters/{id}/consumer-groups', shows: ['billing', 'Last hour'] },
  { path: '/clusters/{id}/consumer-groups/billing', shows: ['Reset offsets', 'Assignor', 'Last commit'] },
];

testPages(() => stage, pages);

test('the page of a group says how it reads, and leads to the diagnostic that fails', bounded, async () => {
  const page = await stage.open();
  const failing = {
    diagnostic_id: 'consumer_group_stuck',
    name: 'consumer_group_stuck',
    type: 'groups',
    source: 'control_plane',
    severity: 'high',
    title: 'Consumer group stuck',
    successful: false,
    muted: false,
    muted_until: null,
    first_failed_at: '2026-01-31T12:00:00Z',
    updated_at: '2026-01-31T12:00:00Z',
  };
  const finding = { key: 'group:billing', message: 'Group billing is stuck.', since: '2026-01-31T12:00:00Z' };
  await page.route('**/api/v1/list_diagnostics', (route) =>
    route.fulfill({ json: { diagnostics: [{ ...failing, cause: finding.message }] } }),
  );
  await page.route('**/api/v1/get_diagnostic', (route) =>
    route.fulfill({
      json: {
        diagnostic: {
          ...failing,
          explanation: '',
          fix: '',
          groups: [finding],
          groups_left_out: 0,
          muted_by: null,
          mute_reason: null,
        },
      },
    }),
  );
  await kafkaOf(stage.local.address('Kafka'), async ({ admin, member }) => {
    await member('reading', 'orders', async () => {
      await page.goto(`${stage.url}/clusters/${clusterId}/consumer-groups/reading`);
      await onPage(page, 'classic: members join and sync').waitFor();
      await onPage(page, 'RoundRobinAssigner').waitFor();
      await page
        .getByRole('grid', { name: 'Partitions', exact: true })
        .getByText(/^console-test at \S+$/)
        .first()
        .waitFor();
      await page
        .getByRole('grid', { name: 'Members', exact: true })
        .getByText(/^orders [01], [01]$/)
        .waitFor();
      assert.equal(await onPage(page, 'Group billing is stuck.').count(), 0);
    });
    await admin.deleteGroups(['reading']);
  });
  await page.goto(`${stage.url}/clusters/${clusterId}/consumer-groups/billing`);
  await onPage(page, /^Group billing is stuck\. Since/).waitFor();
  await onPage(page, 'none without members').waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('link', { name: 'Consumer group stuck', exact: true }).click();
  await page.waitForURL(/\/diagnostics\/consumer_group_stuck/);
  await page.context().close();
});

test('a person finds the group that falls behind and resets it', bounded, async () => {
  const page = await stage.open();
  await page.goto(`${stage.url}/clusters/${clusterId}`);
  // The leader samples every ten seconds.
  await onPage(page, /1 group is falling behind\.$/).waitFor();
  await page.getByRole('link', { name: 'billing', exact: true }).click();
  await onPage(page, /3,001 records behind/).waitFor();
  await button(page, 'Reset offsets').click();
  await dialogOf(page).getByText('An offset, in every partition', { exact: true }).click();
  await field(page, 'Offset').fill('minus one');
  await button(page, 'Preview').click();
  await dialogOf(page).getByText('Enter a whole number, 0 or more.', { exact: true }).waitFor();
  await dialogOf(page).getByText('Latest: skip all unread records', { exact: true }).click();
  await button(page, 'Preview').click();
  await dialogOf(page)
    .getByText(/3,001 records skipped, 0 reprocessed\./)
    .waitFor();
  await button(page, 'Apply').click();
  await message(page, /^Reset 2 partitions/).waitFor();
  await onPage(page, /· 0 records behind/).waitFor();
  await button(page, 'Delete').click();
  const confirm = button(page, 'Delete billing');
  assert.equal(await confirm.isDisabled(), true);
  await field(page, 'Type billing to confirm').fill('billing');
  await confirm.click();
  await onPage(page, 'No consumer groups yet').waitFor();
  await page.context().close();
});
