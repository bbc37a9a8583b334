import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { callOf } from './call.ts';
import { missingChromium } from './chromium.ts';
import { dialogOf, undoOf } from './find.ts';
import { kafkaOf } from './kafka.ts';
import { testPages } from './pages.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 180_000 };

const orderOf = (...fields: readonly object[]) =>
  JSON.stringify({ type: 'record', name: 'Order', fields: [{ name: 'id', type: 'long' }, ...fields] });
const rule = (principal: string, operation: string, name: string, more: object = {}) => ({
  acl: {
    resource_type: 'TOPIC',
    resource_name: name,
    pattern_type: 'LITERAL',
    principal,
    host: '*',
    operation,
    permission_type: 'ALLOW',
    ...more,
  },
});

/** As the API describes a group that stands still. */
const stuck = {
  diagnostic_id: 'consumer_group_stuck',
  name: 'consumer_group_stuck',
  type: 'consumers',
  source: 'control_plane',
  severity: 'high',
  title: 'Consumer group stuck',
  successful: false,
  muted: false,
  muted_until: null,
  first_failed_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  explanation: 'Members do not commit.',
  fix: 'Look into their logs.',
  groups: [
    {
      key: 'group:billing',
      message:
        'Group billing is stuck in 2 of 2 partitions (orders partitions 0, 1): orders partition 0 at offset 1 for 12 minutes, lag 1 record; 1 member.',
      since: '2026-01-01T00:00:00Z',
    },
  ],
  groups_left_out: 0,
  muted_by: null,
  mute_reason: null,
};

let stage: Stage;
let call: Awaited<ReturnType<typeof callOf>>;
if (skip === false) {
  stage = await openStage({ after });
  await kafkaOf(stage.local.address('Kafka'), async ({ admin, producer }) => {
    await admin.createTopics({
      topics: [{ topic: 'orders', numPartitions: 2 }, { topic: 'plain' }],
      waitForLeaders: true,
    });
    const messages = [0, 0, 1].map((partition) => ({ value: 'an order', partition }));
    await producer.send({ topic: 'orders', messages });
    await producer.send({ topic: 'plain', messages: [{ value: 'plain' }] });
    const set = (topic: string, offsets: readonly string[]) =>
      admin.setOffsets({
        groupId: 'billing',
        topic,
        partitions: offsets.map((offset, partition) => ({ partition, offset })),
      });
    await set('orders', ['1', '0']);
    await set('plain', ['1']);
  });
  call = await callOf(stage);
  await call('register_schema', { subject: 'orders-value', schema: orderOf() });
  await call('register_schema', { subject: 'orders-shop.Refund', schema: orderOf() });
  await call('update_topic', {
    topic_name: 'orders',
    configs: { 'service.value.schema.validation': 'true' },
  });
  await call('virtual_clusters/acls/create', rule('User:alice', 'READ', 'orders'));
  await call(
    'virtual_clusters/acls/create',
    rule('User:alice', 'WRITE', 'ord', { pattern_type: 'PREFIXED', permission_type: 'DENY' }),
  );
  await call('virtual_clusters/acls/create', rule('User:bob', 'ALL', '*'));
  await call('virtual_clusters/acls/create', rule('User:carol', 'READ', 'plain'));
}

testPages(
  () => stage,
  [
    {
      path: '/clusters/{id}/topics/orders/schema',
      shows: [
        /"record"/,
        'Values are validated: agents reject invalid records.',
        'No subject orders-key',
        'orders-shop.Refund',
      ],
    },
    {
      path: '/clusters/{id}/topics/orders/access',
      shows: ['3 rules for this topic', 'User:bob', 'ACLs are off: all requests are allowed'],
    },
    {
      path: '/clusters/{id}/consumer-groups/billing?range=24h',
      shows: ['Lag by topic, last day', 'Partitions with offsets', '2 of 2'],
    },
    { path: '/clusters/{id}/topics/plain/access', shows: ['2 rules for this topic', 'User:carol'] },
  ],
);

test('from a topic to its schema, and back', bounded, async (t) => {
  const page = await stage.open();
  t.after(() => page.context().close());
  await page.goto(await stage.urlOf('/clusters/{id}/topics/plain'));
  const tabs = page.getByRole('navigation', { name: 'Sections' });
  await tabs.getByRole('link', { name: 'Schema', exact: true }).click();
  await page.getByRole('heading', { name: 'No subject plain-value', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Register schema', exact: true }).first().click();
  assert.equal(await page.getByLabel('Subject').inputValue(), 'plain-value');
  await page.getByRole('button', { name: 'Register schema', exact: true }).click();
  await page.getByRole('heading', { name: 'plain-value', exact: true }).waitFor();
  await page.getByRole('link', { name: 'topic plain', exact: true }).click();
  await page.getByRole('heading', { name: 'plain', exact: true }).waitFor();
  const link = page.getByRole('link', { name: 'plain-value', exact: true });
  await link.click();
  await page.getByRole('heading', { name: 'plain-value', exact: true }).waitFor();
});

test('who may read a topic, and why', bounded, async (t) => {
  const page = await stage.open();
  t.after(() => page.context().close());
  await page.goto(await stage.urlOf('/clusters/{id}/topics/orders/access'));
  const rows = page.getByRole('grid', { name: 'Principals', exact: true }).getByRole('row');
  const alice = rows.filter({ has: page.getByText('User:alice', { exact: true }) });
  await alice.getByRole('link', { name: 'yes', exact: true }).waitFor();
  await alice.getByRole('link', { name: 'no', exact: true }).click();
  await page.getByText('The rules would deny it, but ACLs are off.', { exact: true }).waitFor();
  assert.equal(await page.getByLabel('Principal', { exact: true }).inputValue(), 'User:alice');
  assert.equal(await page.getByLabel('Operation', { exact: true }).inputValue(), 'WRITE');
  await page.goBack();

  await page.getByRole('button', { name: 'Create ACL', exact: true }).click();
  const dialog = dialogOf(page);
  assert.equal(await dialog.getByLabel('Resource name').inputValue(), 'orders');
  await dialog.getByLabel('Principal').fill('dave');
  await dialog.getByRole('button', { name: 'Create ACL', exact: true }).click();
  await page.getByRole('heading', { name: '4 rules for this topic', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Test access', exact: true }).click();
  await page.getByRole('form', { name: 'Access tester', exact: true }).waitFor();
  assert.equal(await page.getByLabel('Resource name').inputValue(), 'orders');
  await page.getByRole('button', { name: 'Delete: User:dave may READ topic orders', exact: true }).click();
  await undoOf(page, 'Deleted: User:dave may READ topic orders').waitFor();
});

test('a group forgets a topic, and remembers it again', bounded, async (t) => {
  const page = await stage.open();
  t.after(() => page.context().close());
  await page.goto(await stage.urlOf('/clusters/{id}/consumer-groups/billing'));
  await page.getByRole('button', { name: '6 h', exact: true }).click();
  await page.getByRole('heading', { name: 'Lag by topic, last 6 hours', exact: true }).waitFor();
  assert.match(page.url(), /range=6h/);
  await page.getByRole('heading', { name: 'Topics (2)', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Delete offsets of orders', exact: true }).click();
  const dialog = dialogOf(page);
  await dialog
    .getByText(
      /This deletes the committed offsets of billing in 2 partitions of orders, with 2 records unread/,
    )
    .waitFor();
  await dialog.getByRole('button', { name: 'Delete offsets of orders', exact: true }).click();
  await page.getByRole('heading', { name: 'Topics (1)', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('heading', { name: 'Topics (2)', exact: true }).waitFor();
  const { group } = (await call('describe_consumer_group', { group: 'billing' })) as {
    group: { topics: { name: string; partitions: { committed_offset: number }[] }[] };
  };
  assert.deepEqual(
    group.topics.find(({ name }) => name === 'orders')!.partitions.map((one) => one.committed_offset),
    [1, 0],
  );
});

test('a diagnostic links what it names, charts it and says what to do', bounded, async (t) => {
  const page = await stage.open();
  t.after(() => page.context().close());
  // A group is stuck after ten minutes, which is longer than this test.
  await page.route('**/api/v1/get_diagnostic*', (route) => route.fulfill({ json: { diagnostic: stuck } }));
  const at = await stage.urlOf('/clusters/{id}/diagnostics/consumer_group_stuck');
  await page.goto(at);
  const found = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Findings' }) });
  await found.getByText('for 12 minutes', { exact: false }).waitFor();
  await page.getByRole('heading', { name: 'Lag of billing by topic, last hour', exact: true }).waitFor();
  await page.getByRole('button', { name: '24 h', exact: true }).click();
  await page.getByRole('heading', { name: 'Records per second of billing, last day', exact: true }).waitFor();
  await page.getByText('weir cli consumer-group-lag -group billing', { exact: true }).waitFor();
  await page.getByText('Never failed.', { exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), [], 'in light');
  await page.evaluate(`document.documentElement.classList.add('dark')`);
  assert.deepEqual(await accessibilityProblems(page), [], 'in dark');
  assert.equal(await found.getByRole('link', { name: 'orders', exact: true }).count(), 2);
  await found.getByRole('link', { name: 'orders', exact: true }).first().click();
  await page.getByRole('heading', { name: 'orders', exact: true }).waitFor();
  await page.goBack();
  await found.getByRole('link', { name: 'billing', exact: true }).click();
  await page.getByRole('heading', { name: 'billing', exact: true }).waitFor();
});

test('a diagnostic has a history', bounded, async (t) => {
  const page = await stage.open();
  t.after(() => page.context().close());
  await page.goto(await stage.urlOf('/clusters/{id}/diagnostics/subjects_without_compatibility'));
  const history = page.getByRole('grid', { name: 'History', exact: true });
  await page.getByRole('button', { name: 'Mute', exact: true }).click();
  await page.getByLabel('Reason').fill('on purpose');
  await dialogOf(page).getByRole('button', { name: 'Mute', exact: true }).click();
  await history.getByText('on purpose', { exact: true }).waitFor();
  await history.getByText('muted', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Unmute', exact: true }).click();
  await history.getByText('unmuted', { exact: true }).waitFor();
});

test('a deleted subject comes back with all its schemas', bounded, async (t) => {
  const page = await stage.open();
  t.after(() => page.context().close());
  const note = { name: 'note', type: 'string', default: '' };
  const first = await call('register_schema', { subject: 'lost-value', schema: orderOf() });
  const second = await call('register_schema', { subject: 'lost-value', schema: orderOf(note) });
  await call('delete_subject', { subject: 'lost-value' });
  await page.goto(await stage.urlOf('/clusters/{id}/subjects/lost-value'));
  await page.getByRole('button', { name: 'Restore subject', exact: true }).click();
  await page
    .getByText('Restored lost-value: versions 3 to 4, with the same ids', { exact: true })
    .first()
    .waitFor();
  const versions = await Promise.all(
    [3, 4].map((version) => call('describe_schema', { subject: 'lost-value', version })),
  );
  assert.deepEqual(
    versions.map(({ schema_id }) => schema_id),
    [first.schema_id, second.schema_id],
  );
});
