import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, field, message, onPage } from './find.ts';
import { asDenied } from './kafka.ts';
import { assertFitsPhone } from './phone.ts';
import { accessibilityProblems, openStage, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 240_000 };

let stage: Stage;
let clusterId: string;
if (skip === false) {
  stage = await openStage({ after });
  clusterId = await stage.clusterId();
}

/** Calls an operation as the person who is signed in. */
async function call<Answer>(page: Page, name: string, input: object): Promise<Answer> {
  const { status, text } = await page.evaluate(
    async ([path, body]) => {
      const answer = await fetch(path!, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body!,
      });
      return { status: answer.status, text: await answer.text() };
    },
    [`/api/v1/${name}`, JSON.stringify({ virtual_cluster_id: clusterId, ...input })],
  );
  assert.equal(status, 200, text);
  return JSON.parse(text) as Answer;
}

/** Lets ACLs deny a client what it asks for. */
async function causeDenials(): Promise<void> {
  await asDenied(stage.local.address('Kafka'), async (admin) => {
    for (const topic of ['orders', 'payments'])
      await admin.createTopics({ topics: [{ topic }] }).catch(() => undefined);
    await admin.describeGroups(['<img src=x onerror=alert(1)>']).catch(() => undefined);
  });
}

const rows = (page: Page) => page.getByRole('list', { name: 'Events', exact: true }).getByRole('listitem');

/** Runs the search again until it has found what clients were denied. */
async function searchUntilFound(page: Page, text: string): Promise<void> {
  for (;;) {
    await causeDenials();
    await button(page, 'Run').click();
    await button(page, 'Run').waitFor();
    if ((await rows(page).getByText(text).count()) > 0) return;
  }
}

const editor = (page: Page) => page.getByRole('textbox', { name: 'Filter', exact: true });
const param = (page: Page, name: string) => new URL(page.url()).searchParams.get(name);

test(
  'a person enables events, searches, groups, zooms, shares the link and opens it again',
  bounded,
  async () => {
    const page = await stage.open();
    await page.goto(await stage.urlOf('/clusters/{id}/events'));
    await onPage(page, 'Events are disabled').waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'without events');
    await button(page, 'Enable events').click();
    await onPage(page, 'Events are disabled').waitFor({ state: 'hidden' });
    await call(page, 'update_virtual_cluster_configuration', {
      virtual_cluster_configuration: { are_acls_enabled: true },
    });

    await button(page, 'All types').click();
    await page.getByRole('menuitemcheckbox', { name: /ACL logs/ }).click();
    await page.keyboard.press('Escape');
    await page.waitForURL(/types=acl_logs/);
    const denial = 'User:ANONYMOUS was denied CREATE on topic orders';
    await searchUntilFound(page, denial);

    // A field of an event becomes a filter and the groups of the timeline.
    await rows(page).getByText(denial).first().click();
    await button(page, '"operation"').click();
    await page.getByRole('menuitem', { name: 'Filter == CREATE', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('filter') === 'data.operation == "CREATE"');
    await button(page, '"resource_name"').click();
    await page.getByRole('menuitem', { name: /Group timeline/ }).click();
    await page.waitForURL((url) => url.searchParams.get('group_by') === 'data.resource_name');
    await page.getByRole('img', { name: /Events over time by data.resource_name, 2 series/ }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), [], 'with results');

    // Rows and text are two forms of one filter.
    await button(page, 'Builder').click();
    await button(page, 'Row').click();
    await field(page, 'Field').last().fill('data.resource_name');
    await field(page, 'Value').last().fill('orders');
    await button(page, 'Raw').click();
    const both = 'data.operation == "CREATE" and data.resource_name == "orders"';
    await editor(page).getByText(both).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.waitForURL((url) => url.searchParams.get('filter') === both);

    // Dragging over the chart is a time range.
    const chart = page.getByRole('img', { name: /, 1 series/ });
    await chart.waitFor();
    const { x, y, width, height } = (await chart.locator('.u-over').boundingBox())!;
    await page.mouse.move(x + width * 0.5, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 2, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'Zoom in', exact: true }).click();
    await page.waitForURL(/start=.*end=|end=.*start=/);
    await rows(page).getByText(denial).first().waitFor();
    const found = await rows(page).count();

    // Another person opens the link.
    const other = await stage.open({ scheme: 'dark' });
    await other.goto(page.url());
    await rows(other).getByText(denial).first().waitFor();
    assert.equal(await rows(other).count(), found);
    assert.equal(await field(other, 'Group by').inputValue(), 'data.resource_name');
    await editor(other).getByText(both).waitFor();
    assert.deepEqual(await accessibilityProblems(other), [], 'in dark');
    await assertFitsPhone(other);
    await other.context().close();

    // A mistake says where it is, and the last results stay.
    await editor(page).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('data.operation = "CREATE"');
    await page.keyboard.press('Control+Enter');
    await page
      .getByRole('alert')
      .getByText(/Invalid filter at column 16/)
      .waitFor();
    assert.equal(await rows(page).count(), found);
    await button(page, 'Builder').click();
    await message(page, /The builder cannot show this filter/).waitFor();
    await editor(page).getByText('data.operation = "CREATE"').waitFor();

    // Back to the search before, and by the keyboard to an event and those around it.
    await button(page, 'Previous search').click();
    await page.waitForURL((url) => url.searchParams.get('filter') === both);
    await rows(page).getByText(denial).first().waitFor();
    await page.getByRole('heading', { name: 'Events', exact: true }).click();
    await page.keyboard.press('j');
    if ((await rows(page).first().getByRole('button').first().getAttribute('aria-expanded')) === 'false')
      await page.keyboard.press('Enter');
    await button(page, 'Show surrounding events').first().click();
    await dialogOf(page).getByText('Events before').waitFor();
    await page.getByRole('region', { name: 'The event', exact: true }).getByText(denial).waitFor();
    assert.notEqual(param(page, 'event'), null);
    assert.deepEqual(await accessibilityProblems(page), [], 'with an event open');
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.searchParams.has('event'));
    await page.context().close();
  },
);

test(
  'a preset runs at once, a running search can be stopped, and results can be exported',
  bounded,
  async () => {
    const page = await stage.open();
    await page.goto(await stage.urlOf('/clusters/{id}/events?relative=1d'));
    await rows(page).first().waitFor();
    await button(page, 'Presets').click();
    await page.getByRole('menuitem', { name: 'ACL by Operation', exact: true }).click();
    await page.waitForURL(/group_by=data.operation/);
    assert.equal(param(page, 'types'), 'acl_logs');
    await page.getByRole('img', { name: /by data.operation/ }).waitFor();

    const downloading = page.waitForEvent('download');
    await button(page, 'Export').click();
    await page.getByRole('menuitem', { name: /as CSV/ }).click();
    assert.equal((await downloading).suggestedFilename(), 'events.csv');

    // Stop closes the connection, by which the control plane cancels the search.
    await page.route('**/api/v1/search_events', () => {});
    await button(page, 'Run').click();
    const cancelled = page.waitForEvent('requestfailed', (request) =>
      request.url().endsWith('/search_events'),
    );
    await button(page, 'Stop').click();
    await cancelled;
    await onPage(page, 'stopped; showing earlier results').waitFor();
    assert.ok((await rows(page).count()) > 0);
    await page.unroute('**/api/v1/search_events');
    await page.goto(await stage.urlOf('/clusters/{id}/acls/events?types=agent_logs&relative=1d'));
    await page.getByRole('heading', { name: 'ACL events', exact: true }).waitFor();
    await rows(page).first().waitFor();
    assert.equal(await rows(page).filter({ hasNotText: 'acl_logs' }).count(), 0);
    assert.deepEqual(await accessibilityProblems(page), [], 'events of ACLs');
    await page.context().close();
  },
);

test(
  'fields with markup, control characters, right-to-left marks and a megabyte are text',
  bounded,
  async () => {
    const page = await stage.open();
    const markup = '<img src=x onerror="document.title=1"><script>document.title=1</script>';
    const event = (id: string, data: object) => ({
      specversion: '1.0',
      id,
      source: markup,
      type: 'agent_logs',
      time: '2026-01-31T12:00:00.000Z',
      datacontenttype: 'application/json',
      data,
    });
    const events = [
      event('markup', { log_level: markup, message: markup, [markup]: markup }),
      event('marks', { message: '\u202egnp.exe\u0007', '\u2066odd': '\u200bx' }),
      event('long', {
        message: 'x'.repeat(1 << 20),
        list: Array.from({ length: 5_000 }, (_, index) => index),
      }),
    ];
    const stats = {
      events_matched: 3,
      is_exact: true,
      events_scanned: 3,
      events_pruned: 0,
      events_cached: 0,
      bytes_scanned: 1,
      bytes_read: 1,
      ms: 1,
    };
    await page.route('**/api/v1/search_events', (route) =>
      route.fulfill({ json: { events, truncated: false, next_cursor: null, stats } }),
    );
    await page.goto(await stage.urlOf('/clusters/{id}/events'));
    await rows(page).getByText('⟨U+202E⟩gnp.exe␇').waitFor();
    await button(page, 'Expand all').click();
    await onPage(page, 'Show full texts').first().waitFor();
    assert.equal(await page.locator('main img[src], main script').count(), 0);
    assert.match(await page.title(), /^Events/);
    const shown = await page.locator('main').innerText();
    assert.ok(shown.length < 50_000, `${shown.length} characters are shown`);
    for (const hidden of ['\u202e', '\u2066', '\u200b', '\u0007']) assert.ok(!shown.includes(hidden));
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.context().close();
  },
);
