import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { systemClock } from '@weir/core';
import { startDemo } from '../../../packages/cli/testing/running-demo.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { missingChromium } from './chromium.ts';
import { button, dialogOf, field, message, onPage } from './find.ts';
import { testPages } from './pages.ts';
import { buildConsole, openBrowser, type Stage } from './stage.ts';

const skip = missingChromium();
const bounded = { skip, timeout: 300_000 };

interface Sent {
  readonly kind: string;
  readonly alert: { readonly name: string };
  readonly findings: readonly { readonly key: string }[];
}

/** What the webhook got. */
const received: Sent[] = [];
let hook = '';
let stage: Omit<Stage, 'local'>;
if (skip === false) {
  buildConsole();
  const lifetime = lastFirst({ after });
  const server = createServer(async (request, response) => {
    const chunks = (await request.toArray()) as Buffer[];
    received.push(JSON.parse(Buffer.concat(chunks).toString()) as Sent);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  lifetime.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  // Alerts are evaluated as often as diagnostics run.
  const demo = await startDemo(['-diagnosticsInterval', '1s']);
  lifetime.after(async () => void (await demo.stop()));
  const found = (pattern: RegExp) => pattern.exec(demo.stdout())![1]!;
  stage = await openBrowser(lifetime, found(/control plane +(\S+)/), found(/sign in +(\S+)/));
}

test(
  'a person is notified of a diagnostic, tests the channel, mutes the alert and finds it in the history',
  bounded,
  async () => {
    const page = await stage.open();
    await page.goto(await stage.urlOf('/clusters/{id}/diagnostics'));
    const table = page.getByRole('grid', { name: 'Diagnostics' });
    await table.getByRole('link').first().click();
    await button(page, 'Notify me…').click();
    // Without a channel it begins with one.
    await dialogOf(page).getByRole('heading', { name: 'New channel' }).waitFor();
    await field(dialogOf(page), 'Name').fill('on call');
    await field(dialogOf(page), 'Kind').selectOption('webhook');
    await field(dialogOf(page), 'Webhook URL').fill('http://10.0.0.1/');
    await button(dialogOf(page), 'Save channel').click();
    await dialogOf(page)
      .getByText(/webhook_url: is an address that Weir may not connect to/)
      .waitFor();
    await field(dialogOf(page), 'Webhook URL').fill(hook);
    await button(dialogOf(page), 'Save channel').click();
    await dialogOf(page).getByRole('heading', { name: 'New alert' }).waitFor();
    await field(dialogOf(page), 'Name').fill('unwell');
    await button(dialogOf(page), 'Save alert').click();
    await message(page, 'Saved unwell').waitFor();

    await page.getByRole('link', { name: 'Alerts', exact: true }).click();
    await onPage(page, '1 of 1 firing').waitFor();
    await page.getByRole('grid', { name: 'History' }).getByText('Fired', { exact: true }).waitFor();
    const [first] = received;
    assert.deepEqual([first!.kind, first!.alert.name, first!.findings.length], ['fired', 'unwell', 1]);
    assert.equal(await page.getByText(hook).count(), 0, 'the URL is a secret');

    await button(page, 'Test on call').click();
    await onPage(page, 'Test: Delivered: the server answered with 200.').waitFor();
    assert.equal(received.at(-1)!.alert.name, 'Test message');

    await button(page, 'Mute unwell').click();
    await field(dialogOf(page), 'Reason').fill('deploy');
    await button(dialogOf(page), 'Mute').click();
    await onPage(page, 'Firing, muted').waitFor();
    await onPage(page, /^Muted until .*: deploy$/).waitFor();
    await button(page, 'Unmute unwell').click();
    await onPage(page, 'Firing').waitFor();

    // Turned off, it is resolved where it was sent.
    await button(page, 'Change unwell').click();
    await dialogOf(page).getByLabel('Enabled', { exact: true }).uncheck();
    await button(dialogOf(page), 'Save alert').click();
    await onPage(page, 'Disabled').waitFor();
    await page.getByRole('grid', { name: 'History' }).getByText('Resolved', { exact: true }).waitFor();
    await page.context().close();
  },
);

test('a person is notified of what a search for events finds', bounded, async () => {
  const page = await stage.open();
  await page.goto(await stage.urlOf('/clusters/{id}/events?types=diagnostics_logs'));
  await button(page, 'Views').click();
  await page.getByRole('menuitem', { name: 'Notify me…' }).click();
  await field(dialogOf(page), 'Name').fill('changes of diagnostics');
  await button(dialogOf(page), 'Save alert').click();
  await message(page, 'Saved changes of diagnostics').waitFor();
  await page.goto(await stage.urlOf('/clusters/{id}/alerts'));
  await onPage(page, /^More than 0 events of changes of diagnostics in 5 minutes/).waitFor();
  const history = page.getByRole('grid', { name: 'History' });
  await history
    .getByText(/of "changes of diagnostics" in the last 5 minutes, the limit is 0$/)
    .first()
    .waitFor();
  const isSent = () => received.some(({ alert }) => alert.name === 'changes of diagnostics');
  while (!isSent()) await new Promise<void>((resolve) => systemClock.after(100, resolve));
  await page.context().close();
});

testPages(
  () => stage as Stage,
  [{ path: '/clusters/{id}/alerts', shows: ['Channels', 'on call', 'History'] }],
);
