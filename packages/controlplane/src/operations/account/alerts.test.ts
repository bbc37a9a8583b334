import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createClient } from '@weir/api';
import { AllowedHosts, usualTenantAccess } from '@weir/cluster/outbound';
import { refused } from '../../../testing/accounts-contract/stage.ts';
import { startTestApi } from '../../../testing/api-server.ts';
import { appGrant, makeAccount } from '../../../testing/two-accounts.ts';
import { startWebhookReceiver } from '../../../testing/webhook-receiver.ts';

let keyCount = 0;

async function start(t: TestContext, hosts: readonly string[] = ['loopback', 'public']) {
  const api = await startTestApi(t, {
    tenantAccess: { ...usualTenantAccess, hosts: new AllowedHosts(hosts) },
  });
  const ours = await makeAccount(api.accounts, 'Ours');
  const theirs = await makeAccount(api.accounts, 'Theirs');
  const clientOf = async (account: typeof ours, grant: Parameters<typeof ours.key>[1]) =>
    createClient({
      baseUrl: api.url,
      fetch,
      headers: { 'service-api-key': await account.key(`k${keyCount++}`, grant) },
      checksAnswers: true,
    });
  return {
    ...api,
    ours,
    writer: await clientOf(ours, appGrant(ours.a.id)),
    reader: await clientOf(ours, appGrant(ours.a.id, 'app_r')),
    stranger: await clientOf(theirs, appGrant(theirs.a.id)),
    on: { virtual_cluster_id: ours.a.clusterId },
  };
}

const slack = {
  channel_name: 'on call',
  kind: 'slack',
  webhook_url: 'https://hooks.example/services/SECRET',
} as const;

test('no caller sees the secrets of a channel, and readers create no channels', async (t) => {
  const { writer, reader, stranger, on, accounts, ours } = await start(t);
  await refused(reader.call('create_alert_channel', { ...on, ...slack }), 'forbidden');
  await refused(stranger.call('create_alert_channel', { ...on, ...slack }), 'not_found');
  const { channel_id } = await writer.call('create_alert_channel', { ...on, ...slack });
  const mail = {
    smtp_host: 'smtp.example',
    smtp_username: 'weir',
    smtp_password: 'SECRET-password',
    from_address: 'weir@example.com',
    to_addresses: ['ops@example.com'],
  };
  await writer.call('create_alert_channel', { ...on, channel_name: 'mail', kind: 'email', ...mail });
  const pager = { channel_name: 'pager', kind: 'pagerduty', routing_key: 'SECRETKEY' } as const;
  await writer.call('create_alert_channel', { ...on, ...pager });
  const { channels } = await reader.call('list_alert_channels', on);
  assert.deepEqual(
    channels.map(({ name, target, smtp_port }) => [name, target, smtp_port]),
    [
      ['mail', 'ops@example.com by smtp.example:587', 587],
      ['on call', 'https://hooks.example/…', null],
      ['pager', 'PagerDuty at events.pagerduty.com', null],
    ],
  );
  await writer.call('update_alert_channel', { ...on, channel_id, channel_name: 'nights' });
  assert.deepEqual(await accounts.alertChannels.secretsOf({ id: channel_id }), {
    webhookUrl: slack.webhook_url,
  });
  const { entries } = await accounts.auditLog.search({ accountId: ours.accountId });
  const audited = JSON.stringify(entries);
  assert.doesNotMatch(JSON.stringify(channels) + audited, /SECRET/);
  assert.match(audited, /"before":"on call","after":"nights"/);
  await refused(stranger.call('list_alert_channels', on), 'not_found');
});

test('what a channel may be is said by the field that is wrong', async (t) => {
  const { writer, on } = await start(t, ['public']);
  const mail = {
    kind: 'email',
    smtp_host: 'smtp.example',
    from_address: 'a@example.com',
    to_addresses: ['b@example.com'],
  } as const;
  // biome-ignore format: a table
  const cases: [input: Record<string, unknown>, message: RegExp][] = [
    [{ kind: 'slack' },                                                       /webhook_url: is required/],
    [{ kind: 'slack', webhook_url: 'ftp://x.example' },                       /webhook_url: is not a URL/],
    [{ kind: 'slack', webhook_url: 'https://a:b@x.example' },                 /webhook_url: has a user/],
    [{ kind: 'slack', webhook_url: 'http://127.0.0.1/' },                     /webhook_url: is an address that/],
    [{ kind: 'webhook', webhook_url: 'http://169.254.169.254/latest' },       /webhook_url: is an address that/],
    [{ kind: 'webhook', webhook_url: 'http://[::ffff:10.0.0.1]/' },           /webhook_url: is an address that/],
    [{ kind: 'slack', webhook_url: 'https://x.example', routing_key: 'x' },   /routing_key: does not belong to/],
    [{ kind: 'webhook', webhook_url: 'https://x.example', authorization_secret: 'ü' }, /authorization_secret: has/],
    [{ kind: 'pagerduty' },                                                   /routing_key: is required/],
    [{ kind: 'pagerduty', routing_key: 'x', endpoint_url: 'http://localhost' }, /endpoint_url: is an address/],
    [{ ...mail, smtp_host: '10.0.0.1' },                                      /smtp_host: is an address/],
    [{ ...mail, smtp_username: 'u' },                                         /smtp_password: is required/],
    [{ ...mail, smtp_password: 'p' },                                         /smtp_username: is required/],
    [{ ...mail, smtp_username: 'u', smtp_password: 'p', smtp_security: 'none' }, /smtp_security: a password/],
    [{ ...mail, from_address: 'a>b@example.com' },                            /a>b@example.com: is not a plain/],
    [{ ...mail, to_addresses: undefined },                                    /to_addresses: is required/],
  ];
  for (const [input, message] of cases) {
    const call = writer.call('create_alert_channel', { ...on, channel_name: 'x', ...input } as never);
    await assert.rejects(call, (error: Error) => {
      assert.match(error.message, message, JSON.stringify(input));
      return true;
    });
  }
});

test('secrets do not go to another address without being given again', async (t) => {
  const { writer, on, accounts } = await start(t);
  const { channel_id } = await writer.call('create_alert_channel', {
    ...on,
    channel_name: 'hook',
    kind: 'webhook',
    webhook_url: 'https://a.example/x',
    authorization_secret: 'Bearer SECRET',
  });
  await writer.call('update_alert_channel', { ...on, channel_id, webhook_url: 'https://b.example/x' });
  assert.deepEqual(await accounts.alertChannels.secretsOf({ id: channel_id }), {
    webhookUrl: 'https://b.example/x',
  });
  const made = await writer.call('create_alert_channel', {
    ...on,
    channel_name: 'mail',
    kind: 'email',
    smtp_host: 'a.example',
    smtp_username: 'u',
    smtp_password: 'SECRET',
    from_address: 'a@example.com',
    to_addresses: ['b@example.com'],
  });
  const mail = { ...on, channel_id: made.channel_id };
  await refused(writer.call('update_alert_channel', { ...mail, smtp_host: 'b.example' }), 'invalid_request');
  await refused(writer.call('update_alert_channel', { ...mail, smtp_port: 25 }), 'invalid_request');
  await writer.call('update_alert_channel', { ...mail, to_addresses: ['c@example.com'] });
  assert.deepEqual(await accounts.alertChannels.secretsOf({ id: made.channel_id }), {
    smtpPassword: 'SECRET',
  });
});

test('a test says what became of the message', async (t) => {
  const { writer, reader, on, deps } = await start(t);
  const receiver = await startWebhookReceiver(t);
  const made = {
    ...on,
    channel_name: 'pager',
    kind: 'pagerduty',
    routing_key: 'R',
    endpoint_url: receiver.url,
  } as const;
  const target = { ...on, channel_id: (await writer.call('create_alert_channel', made)).channel_id };
  await refused(reader.call('test_alert_channel', target), 'forbidden');
  const taken = await writer.call('test_alert_channel', target);
  assert.deepEqual([taken.is_delivered, taken.message], [true, 'Delivered: the server answered with 200.']);
  assert.deepEqual(
    receiver.received.map(({ json }) => json.event_action),
    ['trigger', 'resolve'],
  );
  assert.equal(receiver.received[0]!.json.dedup_key, receiver.received[1]!.json.dedup_key);
  receiver.status = 403;
  const failed = await writer.call('test_alert_channel', target);
  assert.deepEqual([failed.is_delivered, failed.message], [false, 'The server answered with status 403.']);
  const [channel] = (await reader.call('list_alert_channels', on)).channels;
  assert.equal(channel!.last_delivered_at, new Date(deps.clock.nowMs()).toISOString());
});

test('an alert is made, listed, changed, muted and deleted', async (t) => {
  const { writer, reader, stranger, on, accounts, ours, deps } = await start(t);
  const { channel_id } = await writer.call('create_alert_channel', { ...on, ...slack });
  const { view_id } = await writer.call('create_event_view', {
    workspace_id: ours.a.id,
    view_name: 'Denials',
    is_shared: true,
    search: { types: 'acl_logs', filter: 'data.operation == "WRITE"' },
  });
  const broken = await writer.call('create_event_view', {
    workspace_id: ours.a.id,
    view_name: 'Broken',
    is_shared: true,
    search: { filter: '((' },
  });
  const made = { ...on, alert_name: 'denials', channel_ids: [channel_id] };
  const events = { view_id, more_than: 5, within_minutes: 10 };
  await refused(reader.call('create_alert', { ...made, events }), 'forbidden');
  await refused(writer.call('create_alert', made), 'invalid_request');
  await refused(writer.call('create_alert', { ...made, events, diagnostics: {} }), 'invalid_request');
  await refused(
    writer.call('create_alert', { ...made, diagnostics: { diagnostic_ids: ['none'] } }),
    'invalid_request',
  );
  await refused(
    writer.call('create_alert', { ...made, events: { ...events, view_id: broken.view_id } }),
    'filter_syntax',
  );
  const { alert_id } = await writer.call('create_alert', { ...made, events });
  const target = { ...on, alert_id };
  const one = async () => (await reader.call('list_alerts', on)).alerts[0]!;
  const listed = await one();
  assert.deepEqual(listed.events, { ...events, view_name: 'Denials' });
  assert.deepEqual([listed.state, listed.is_muted, listed.repeat_minutes], ['pending', false, 240]);
  await refused(writer.call('delete_event_view', { workspace_id: ours.a.id, view_id }), 'conflict');
  await refused(writer.call('delete_alert_channel', { ...on, channel_id }), 'conflict');

  for (const call of ['update_alert', 'delete_alert', 'mute_alert', 'unmute_alert'] as const) {
    await refused(reader.call(call, target), 'forbidden');
    await refused(stranger.call(call, target), 'not_found');
  }
  await refused(writer.call('mute_alert', { ...target, until: '2000-01-01T00:00:00Z' }), 'invalid_request');
  const until = new Date(deps.clock.nowMs() + 60_000).toISOString();
  await writer.call('mute_alert', { ...target, until, reason: 'deploy' });
  const muted = await one();
  assert.deepEqual([muted.is_muted, muted.muted_until, muted.mute_reason], [true, until, 'deploy']);
  deps.clock.advance(60_000);
  assert.equal((await one()).is_muted, false);
  await writer.call('mute_alert', target);
  await writer.call('unmute_alert', target);
  assert.equal((await one()).is_muted, false);
  await writer.call('update_alert', {
    ...target,
    diagnostics: { min_severity: 'high' },
    repeat_minutes: null,
  });
  const changed = await one();
  assert.deepEqual(
    [changed.events, changed.diagnostics, changed.repeat_minutes],
    [null, { diagnostic_ids: [], min_severity: 'high' }, null],
  );
  const { entries } = await accounts.auditLog.search({ accountId: ours.accountId });
  const update = entries.find(({ operation }) => operation === 'update_alert')!;
  assert.deepEqual(
    update.changes!.map(({ name }) => name),
    ['source', 'repeatMinutes'],
  );
  assert.deepEqual((await reader.call('list_alert_history', target)).notifications, []);
  await refused(reader.call('list_alert_history', { ...on, cursor: 'AAAA' }), 'invalid_request');
  await writer.call('delete_alert', target);
  await refused(reader.call('list_alert_history', target), 'not_found');
});
