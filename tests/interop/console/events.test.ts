import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import { Kafka, logLevel } from 'kafkajs';
import type { Page } from 'playwright-core';
import { callOf } from './call.ts';
import { missingChromium } from './chromium.ts';
import { dialogOf } from './find.ts';
import { asDenied } from './kafka.ts';
import { assertFitsPhone } from './phone.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 240_000 };

let stage: Stage;
let call: Awaited<ReturnType<typeof callOf>>;

if (skip === false) {
  stage = await openStage({ after });
  call = await callOf(stage);
  await call('update_events_state', { enabled: true });
  await call('update_virtual_cluster_configuration', {
    virtual_cluster_configuration: { are_acls_enabled: true },
  });
}

/** Lets ACLs deny a client to create topics, which are as many events. */
async function deny(...topics: readonly string[]): Promise<void> {
  await asDenied(stage.local.address('Kafka'), async (admin) => {
    for (const topic of topics) await assert.rejects(admin.createTopics({ topics: [{ topic }] }));
  });
}

const rows = (page: Page) => page.getByRole('list', { name: 'Events' }).getByRole('listitem');
const rowOf = (page: Page, topic: string) =>
  rows(page).filter({ hasText: `User:ANONYMOUS was denied CREATE on topic ${topic}` });

/** Events are on their way for a moment; a search has to find those of these topics. */
async function denyAndFind(...topics: readonly string[]): Promise<void> {
  await deny(...topics);
  const wanted = topics.map((topic) => JSON.stringify(topic)).join(', ');
  for (;;) {
    const { events } = await call('search_events', {
      event_types: ['acl_logs'],
      filter: `data.resource_name in [${wanted}]`,
      time_range: { relative: '1h' },
    });
    if ((events as unknown[]).length >= topics.length) return;
  }
}

const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);
const aclEvents = '/clusters/{id}/events?types=acl_logs&filter=data.operation+%3D%3D+%22CREATE%22';

test('live events appear by themselves, wait while a person reads, pause, and stop', bounded, async () => {
  await denyAndFind('before-live');
  const page = await stage.open();
  await page.goto(await stage.urlOf(aclEvents));
  await rowOf(page, 'before-live').waitFor();
  await page.getByRole('button', { name: 'Live', exact: true }).click();
  await page.waitForURL(/live=on/);
  await page.getByText('Live · 0 new', { exact: true }).waitFor();

  await deny('first-live');
  await rowOf(page, 'first-live').waitFor();
  await rowOf(page, 'before-live').waitFor();
  assert.equal(param(page, 'types'), 'acl_logs');
  assert.deepEqual(await accessibilityProblems(page), [], 'live');

  // A row that is open stays where it is; new events are counted.
  await rowOf(page, 'first-live').getByRole('button').first().click();
  await deny('second-live');
  const held = page.getByRole('button', { name: '1 new event', exact: true });
  await held.waitFor();
  assert.equal(await rowOf(page, 'second-live').count(), 0);
  await held.click();
  await rowOf(page, 'second-live').waitFor();
  await page.getByRole('button', { name: 'Collapse', exact: true }).click();

  // Paused, nothing is asked for; afterwards what was missed appears.
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.waitForURL(/live=paused/);
  await denyAndFind('third-live');
  assert.equal(await rowOf(page, 'third-live').count(), 0);
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await rowOf(page, 'third-live').waitFor();

  // Another filter is another tail, and its link begins live.
  const other = await stage.open({ scheme: 'dark' });
  await other.goto(page.url());
  await other.getByText('Live · 0 new', { exact: true }).waitFor();
  await rowOf(other, 'third-live').waitFor();
  await deny('fourth-live');
  await rowOf(other, 'fourth-live').waitFor();
  assert.deepEqual(await accessibilityProblems(other), [], 'live in dark');
  await other.context().close();

  // A time that is over has no new events.
  await page.getByRole('button', { name: /^Last hour/ }).click();
  await page.getByRole('button', { name: 'Yesterday', exact: true }).click();
  await page.getByText(/Live needs a time range that includes now; the chosen range ended at/).waitFor();
  await page.waitForURL((url) => !url.searchParams.has('live'));
  await page.goto(await stage.urlOf(`${aclEvents}&preset=yesterday&live=on`));
  await page
    .getByRole('alert')
    .getByText(/the chosen range ended at/)
    .waitFor();
  await page.context().close();
});

/** Calls an operation that is about no cluster, as the person of a page. */
async function post(page: Page, name: string, input: object): Promise<Record<string, unknown>> {
  const answer = await page.request.post(`${stage.url}/api/v1/${name}`, {
    data: input,
    headers: { origin: stage.url },
  });
  assert.ok(answer.ok(), `${name}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

/** A page of another person, who may only read. */
async function openAsReader(admin: Page): Promise<Page> {
  const { user_role_id } = await post(admin, 'create_user_role', {
    user_role_name: 'Readers of events',
    access_grants: [{ workspace_id: '*', managed_grant_name: 'read_only' }],
  });
  const { invitations } = await post(admin, 'users/create_invitations', {
    invitations: [{ email: 'reader@example.com', user_role_id }],
  });
  const [{ invitation_url: link }] = invitations as [{ invitation_url: string }];
  const page = await stage.open({ isSignedIn: false });
  await post(page, 'users/accept_invitation', {
    token: link.slice(link.indexOf('#') + 1),
    name: 'Reader',
    password: 'correct horse battery',
  });
  return page;
}

test('a view is saved, opened, changed, shared with another person and deleted', bounded, async () => {
  const page = await stage.open();
  const dialog = dialogOf(page);
  const item = (of: Page, name: string | RegExp) => of.getByRole('menuitem', { name });
  const menu = (of: Page, name: string | RegExp) => of.getByRole('button', { name });
  await page.goto(await stage.urlOf(`${aclEvents}&group_by=data.resource_name&chart=lines&relative=4h`));
  await menu(page, 'Views').click();
  await item(page, 'Save view…').click();
  await dialog.getByLabel('Name').fill('Denied creations');
  assert.deepEqual(await accessibilityProblems(page), [], 'saving');
  await dialog.getByRole('button', { name: 'Save view', exact: true }).click();
  await page.waitForURL(/view=evi_/);

  // After a reload elsewhere the server has it, and it brings back the whole search.
  await page.goto(await stage.urlOf('/clusters/{id}/events'));
  await menu(page, 'Views').click();
  await item(page, /Denied creations/).click();
  await page.waitForURL(/view=evi_/);
  assert.equal(param(page, 'types'), 'acl_logs');
  assert.equal(param(page, 'filter'), 'data.operation == "CREATE"');
  assert.equal(param(page, 'group_by'), 'data.resource_name');
  assert.equal(param(page, 'chart'), 'lines');
  assert.equal(param(page, 'relative'), '4h');

  // It belongs to its user until it is shared.
  const reader = await openAsReader(page);
  await reader.goto(await stage.urlOf('/clusters/{id}/events'));
  await menu(reader, 'Views').click();
  await item(reader, 'No views yet').waitFor();
  await reader.keyboard.press('Escape');

  // What is changed is saved when the person says so.
  await page.getByRole('button', { name: 'Bars', exact: true }).click();
  await menu(page, 'Denied creations changed').click();
  await item(page, 'Update Denied creations').click();
  await menu(page, /^Denied creations$/).waitFor();
  await menu(page, 'Denied creations').click();
  await item(page, 'Rename or share…').click();
  await dialog.getByLabel('Name').fill('Who creates');
  await dialog.getByRole('checkbox', { name: /Share with everyone/ }).check();
  await dialog.getByRole('button', { name: 'Change view', exact: true }).click();
  await menu(page, 'Who creates').waitFor();

  // The other person opens it, cannot change it, and can save an own one.
  await reader.reload();
  await menu(reader, 'Views').click();
  await item(reader, /Who creates/).click();
  await reader.waitForURL(/view=evi_/);
  assert.equal(param(reader, 'chart'), null);
  await menu(reader, 'Who creates').click();
  assert.equal(await item(reader, 'Delete view…').getAttribute('aria-disabled'), 'true');
  await item(reader, 'Save view…').click();
  const readers = dialogOf(reader);
  assert.ok(await readers.getByRole('checkbox', { name: /Share with everyone/ }).isDisabled());
  await readers.getByLabel('Name').fill('Mine');
  await readers.getByRole('button', { name: 'Save view', exact: true }).click();
  await menu(reader, 'Mine').waitFor();
  await reader.context().close();

  await menu(page, 'Who creates').click();
  await item(page, 'Delete view…').click();
  await dialog.getByRole('button', { name: 'Delete view', exact: true }).click();
  await page.waitForURL((url) => !url.searchParams.has('view'));
  await menu(page, 'Views').click();
  await item(page, 'No views yet').waitFor();
  await page.context().close();
});

/** Lets ACLs deny a client to see groups. */
async function denyGroups(groups: readonly string[]): Promise<void> {
  await asDenied(stage.local.address('Kafka'), async (admin) => {
    for (const group of groups) await admin.describeGroups([group]).catch(() => undefined);
  });
}

/** The times of the events of a filter, as soon as there are so many and a moment has passed since. */
async function timesOf(filter: string, count: number, quietMs: number): Promise<readonly number[]> {
  for (;;) {
    const { events } = await call('search_events', {
      event_types: ['acl_logs'],
      filter,
      time_range: { relative: '10m' },
    });
    const timesMs = (events as { time: string }[]).map(({ time }) => Date.parse(time));
    if (timesMs.length >= count && systemClock.nowMs() > Math.max(...timesMs) + quietMs) return timesMs;
  }
}

test(
  'a part of the timeline that is selected is compared with the baseline, or zoomed into',
  bounded,
  async () => {
    const names = (prefix: string) => Array.from({ length: 8 }, (_, at) => `${prefix}-${at}`);
    await deny(...names('compared'));
    const isOurs = 'data.resource_name like "compared%"';
    const before = await timesOf(`${isOurs} and data.operation == "CREATE"`, 8, 5_000);
    await denyGroups(names('compared'));
    const later = await timesOf(`${isOurs} and data.resource_type == "GROUP"`, 6, 1_000);
    const [startMs, endMs] = [Math.min(...before) - 10_000, Math.max(...later) + 10_000];
    const time = new URLSearchParams({
      start: new Date(startMs).toISOString(),
      end: new Date(endMs).toISOString(),
      filter: isOurs,
      types: 'acl_logs',
    });
    const page = await stage.open();
    await page.goto(await stage.urlOf(`/clusters/{id}/events?${time}`));
    const chart = page.getByRole('img', { name: /^Events over time/ });
    await chart.waitFor();
    const { x, y, width, height } = (await chart.locator('.u-over').boundingBox())!;
    const drag = async () => {
      const middleMs = (Math.max(...before) + Math.min(...later)) / 2;
      await page.mouse.move(x + (width * (middleMs - startMs)) / (endMs - startMs), y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + width - 2, y + height / 2, { steps: 4 });
      await page.mouse.up();
    };
    await drag();
    const selection = page.getByRole('region', { name: 'Selection', exact: true });
    await selection.getByRole('button', { name: 'Clear selection', exact: true }).click();
    await selection.waitFor({ state: 'detached' });
    await drag();
    await selection.getByRole('button', { name: 'Compare with baseline', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.has('compare'));

    const compared = page.url();
    const differences = page.getByRole('region', { name: 'Differences', exact: true });
    const row = differences.getByRole('row').filter({ hasText: 'data.resource_type' });
    await row.filter({ hasText: 'GROUP' }).getByText('only in selection', { exact: true }).waitFor();
    await row.filter({ hasText: 'TOPIC' }).getByText('not in selection', { exact: true }).waitFor();
    await page.getByText(/counted \d events? of the selection and 8 of the baseline/).waitFor();
    assert.equal(await differences.getByRole('row').filter({ hasText: 'acl_logs' }).count(), 0);
    assert.deepEqual(await accessibilityProblems(page), [], 'in light');
    await page.evaluate(`document.documentElement.classList.add('dark')`);
    assert.deepEqual(await accessibilityProblems(page), [], 'in dark');
    await assertFitsPhone(page);
    await page.setViewportSize({ width: 1440, height: 900 });

    // The same by the keyboard alone.
    await page.keyboard.press('x');
    await page.waitForURL((url) => !url.searchParams.has('compare'));
    await page.keyboard.press('t');
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+ArrowLeft');
    await selection.waitFor();
    await page.keyboard.press('Escape');
    await selection.waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await page.getByText(/^Select a part of the timeline first/).waitFor();
    await page.keyboard.press('End');
    await selection.waitFor();
    await page.keyboard.press('c');
    await page.waitForURL((url) => url.searchParams.has('compare'));
    await page.getByText(/counted \d+ events of the selection/).waitFor();
    await page.goto(compared);

    // The link compares the same, and a value is a filter.
    await page.reload();
    await row.getByRole('button', { name: 'GROUP', exact: true }).click();
    await page.waitForURL((url) => /resource_type == "GROUP"/.test(url.searchParams.get('filter') ?? ''));
    await page.getByRole('button', { name: 'Close comparison', exact: true }).click();
    await page.waitForURL((url) => !url.searchParams.has('compare'));
    await page.context().close();
  },
);

test('metrics are hidden until they are asked for, and a link keeps the choice', bounded, async () => {
  await denyAndFind('beside-metrics');
  for (let found = 0; found === 0; ) {
    const { events } = await call('search_events', { event_types: ['cluster_metrics'] });
    found = (events as unknown[]).length;
  }
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/events'));
  await rowOf(page, 'beside-metrics').waitFor();
  await page.getByText(/^[1-9][\d,]* of type cluster_metrics hidden$/).waitFor();
  assert.equal(await rows(page).filter({ hasText: 'cluster_metrics' }).count(), 0);
  await page.getByRole('button', { name: 'Show metrics', exact: true }).click();
  await page.waitForURL(/metrics=show/);
  await rows(page).filter({ hasText: 'cluster_metrics' }).first().waitFor();
  const other = await stage.open();
  await other.goto(page.url());
  await rows(other).filter({ hasText: 'cluster_metrics' }).first().waitFor();
  await other.context().close();
  await page.getByRole('button', { name: 'Hide metrics', exact: true }).click();
  await page.waitForURL((url) => !url.searchParams.has('metrics'));
  await page.getByText(/of type cluster_metrics hidden$/).waitFor();
  await page.context().close();
});

test('presets show who was denied or refused, and why', bounded, async () => {
  await denyAndFind('preset-denial');
  const login = new Kafka({
    brokers: [stage.local.address('Kafka')],
    sasl: { mechanism: 'plain', username: 'ccun_nobody', password: 'wrong' },
    logLevel: logLevel.NOTHING,
    retry: { retries: 0 },
  }).admin();
  await assert.rejects(login.connect());
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/events'));
  const run = async (name: string) => {
    await page.getByRole('button', { name: 'Presets', exact: true }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  await run('Denied Requests');
  const denied = rowOf(page, 'preset-denial');
  await denied.getByText('warn', { exact: true }).waitFor();
  await denied.getByText('principal User:ANONYMOUS', { exact: true }).waitFor();
  await denied.getByText('reason no ACL allows it', { exact: true }).waitFor();
  await run('Failed Logins');
  const refused = rows(page).filter({ hasText: 'user ccun_nobody' });
  while ((await refused.count()) === 0) {
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  }
  await refused.first().getByText('warn', { exact: true }).waitFor();
  await refused
    .first()
    .getByText(/^error \S/)
    .waitFor();
  assert.equal(param(page, 'columns'), 'data.user,data.error,data.peer');
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await page.getByRole('button', { name: 'Remove column data.peer', exact: true }).click();
  await page.waitForURL((url) => url.searchParams.get('columns') === 'data.user,data.error');
  await assertFitsPhone(page);
  await page.context().close();
});

test('types that are not recorded are marked, and few events are zoomed to', bounded, async () => {
  await denyAndFind('few-events');
  await call('update_events_state', { event_types: { agent_logs: { enabled: false } } });
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/events?types=acl_logs&relative=1d'));
  await page.getByRole('button', { name: 'Zoom to events', exact: true }).click();
  await page.waitForURL((url) => url.searchParams.has('start'));
  await rowOf(page, 'few-events').waitFor();
  await page.getByRole('button', { name: 'ACL logs', exact: true }).click();
  await page.getByRole('menuitemcheckbox', { name: /^Agent logs not recorded/ }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: '2 types 1 not recorded', exact: true }).waitFor();
  // Results of the search before are dimmed until the next have come.
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  assert.deepEqual(await accessibilityProblems(page), []);
  await call('update_events_state', { event_types: { agent_logs: { enabled: true } } });
  await page.context().close();
});

test('a hundred results are revealed by twenty, narrowed, expanded and copied', bounded, async () => {
  const events = Array.from({ length: 100 }, (_, at) => ({
    specversion: '1.0',
    id: `event-${at}`,
    source: 'test',
    type: 'agent_logs',
    time: new Date(Date.parse('2026-01-31T12:00:00Z') - at * 1_000).toISOString(),
    datacontenttype: 'application/json',
    data: { message: `message ${at}`, part: at % 2 === 0 ? 'even' : 'odd' },
  }));
  const stats = {
    events_matched: 250,
    is_exact: true,
    events_scanned: 250,
    events_pruned: 0,
    events_cached: 0,
    bytes_scanned: 1,
    bytes_read: 1,
    ms: 1,
  };
  const page = await stage.open();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.route('**/api/v1/search_events', (route) =>
    route.fulfill({ json: { events, truncated: true, next_cursor: 'x', stats } }),
  );
  await page.goto(await stage.urlOf('/clusters/{id}/events?chart=off'));
  await page.getByText(/^100 of 250 · scanned 250/).waitFor();
  assert.ok((await rows(page).count()) < 100);
  const more = page.getByRole('button', { name: /^Show more/ });
  while ((await rows(page).count()) < 100) await more.click({ timeout: 1_000 }).catch(() => undefined);
  await more.waitFor({ state: 'detached' });

  await page.getByRole('searchbox', { name: 'Filter these results' }).fill('MESSAGE 42');
  await page.getByText('1 of the 100 loaded events contain the text.', { exact: true }).waitFor();
  assert.equal(await rows(page).count(), 1);
  await page.getByRole('button', { name: 'Expand all', exact: true }).click();
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
  const choose = async (entry: string | RegExp) => {
    await page.getByRole('button', { name: '"part"', exact: true }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  };
  await choose('Copy name');
  await page.getByText('Copied the field name', { exact: true }).waitFor();
  assert.equal(await copied(), 'data.part');
  await choose('Copy value');
  await page.getByText('Copied the value', { exact: true }).waitFor();
  assert.equal(await copied(), 'even');
  await choose('Filter != even');
  await page.waitForURL((url) => url.searchParams.get('filter') === 'data.part != "even"');
  await page.keyboard.press('u');
  await page.waitForURL((url) => !url.searchParams.has('filter'));
  await page.getByRole('button', { name: 'Collapse', exact: true }).click();
  for (const [entry, said, found] of [
    ['Copy as curl', 'Copied the curl command', /^curl .*search_events/],
    ['Copy as MCP call', 'Copied the MCP call', /"tools\/call"/],
  ] as const) {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: entry }).click();
    await page.getByText(said, { exact: true }).waitFor();
    assert.match(await copied(), found);
  }
  await page.context().close();
});
