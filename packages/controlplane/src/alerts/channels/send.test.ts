import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AllowedHosts } from '@weir/cluster/outbound';
import { systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { TestCa } from '@weir/security/testing';
import { startMailReceiver } from '../../../testing/mail-receiver.ts';
import { until } from '../../../testing/until.ts';
import { startWebhookReceiver } from '../../../testing/webhook-receiver.ts';
import type { AlertMessage, SmtpSecurity } from '../../accounts/alerts/alert-types.ts';
import { controlPlaneLimits } from '../../limits.ts';
import { DeliveryFailed } from './outcome.ts';
import { type SenderOptions, sendByChannel } from './send.ts';

const message: AlertMessage = {
  kind: 'fired',
  alertId: 'ali_1',
  alertName: 'Denied <!channel> & @here\r\nBcc: eve@example.com',
  clusterId: 'vci_1',
  clusterName: 'vcn_shöp',
  atMs: Date.UTC(2026, 0, 31, 12),
  severity: 'critical',
  summary: '2 diagnostics fail: <https://evil.example|click>',
  findings: [
    { key: 'a', title: 'A', message: '<b>a</b>', severity: 'critical' },
    { key: 'b', title: 'B', message: '.\r\n.', severity: 'low' },
  ],
  findingCount: 3,
  resolved: ['C'],
  incidentKey: 'ali_1.1',
  link: 'https://weir.example/clusters/vci_1/alerts',
};

const local: SenderOptions = { hosts: new AllowedHosts(['loopback']), clock: systemClock };
const stop = new AbortController().signal;
const sending = { message, messageId: 'ali_1.0', stop };

/** The message of a failure, with `!` before it if it is final. */
async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof DeliveryFailed, String(error));
    return `${error.isPermanent ? '!' : ''}${error.message}`;
  }
  throw new Error('it was taken');
}

test('Slack gets a text in which nothing calls people or links elsewhere', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const channel = { kind: 'slack', settings: { target: '' } } as const;
  const secrets = { webhookUrl: `${receiver.url}/services/T/B` };
  assert.equal(await sendByChannel({ ...sending, channel, secrets }, local), 200);
  const [{ path, json, headers }] = receiver.received as [(typeof receiver.received)[number]];
  assert.deepEqual([path, headers['content-type']], ['/services/T/B', 'application/json']);
  const whole = JSON.stringify(json);
  assert.match(whole, /\[Firing\] Denied &lt;!channel&gt; &amp; @\u200bhere/);
  assert.match(whole, /#cf222e/);
  // One link, our own.
  assert.deepEqual(whole.match(/<[^>]*>/g), [
    '<https://weir.example/clusters/vci_1/alerts|Open in the console>',
  ]);
  assert.match(whole, /and 1 more/);
  assert.match(whole, /no longer: C/);
});

test('PagerDuty gets one incident, which is resolved by the same key', async (t) => {
  const receiver = await startWebhookReceiver(t);
  receiver.status = 202;
  const channel = {
    kind: 'pagerduty',
    settings: { target: '', endpointUrl: `${receiver.url}/v2/enqueue` },
  } as const;
  const secrets = { routingKey: 'R123' };
  for (const kind of ['fired', 'repeated', 'resolved'] as const)
    await sendByChannel({ ...sending, message: { ...message, kind }, channel, secrets }, local);
  const events = receiver.received.map(({ json }) => json);
  assert.deepEqual(
    events.map(({ event_action, dedup_key, routing_key }) => [event_action, dedup_key, routing_key]),
    [
      ['trigger', 'ali_1.1', 'R123'],
      ['trigger', 'ali_1.1', 'R123'],
      ['resolve', 'ali_1.1', 'R123'],
    ],
  );
  const { payload } = events[0] as { payload: Record<string, unknown> };
  assert.deepEqual(
    [payload.severity, payload.source, payload.timestamp],
    ['critical', 'vcn_shöp', '2026-01-31T12:00:00.000Z'],
  );
});

test('a webhook gets all of it, with its header and an id that is the same for every attempt', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const channel = { kind: 'webhook', settings: { target: '' } } as const;
  const secrets = { webhookUrl: receiver.url, authorization: 'Bearer t' };
  await sendByChannel({ ...sending, channel, secrets }, local);
  const [{ json, headers }] = receiver.received as [(typeof receiver.received)[number]];
  assert.deepEqual([headers.authorization, headers['idempotency-key']], ['Bearer t', 'ali_1.0']);
  assert.deepEqual(
    [json.kind, json.alert, json.findings],
    ['fired', { id: 'ali_1', name: message.alertName }, message.findings],
  );
});

test('what a server answers decides whether it is tried again, and a redirect is not followed', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const channel = { kind: 'webhook', settings: { target: '' } } as const;
  const send = (webhookUrl = receiver.url, options = local) =>
    failureOf(sendByChannel({ ...sending, channel, secrets: { webhookUrl } }, options));
  // biome-ignore format: a table
  const cases: [status: number, failure: RegExp][] = [
    [302, /^!The server answered with status 302, a redirect, which is not followed/],
    [404, /^!The server answered with status 404\.$/],
    [429, /^The server answered with status 429\.$/],
    [503, /^The server answered with status 503\.$/],
  ];
  for (const [status, failure] of cases) {
    receiver.status = status;
    assert.match(await send(), failure);
  }
  assert.equal(receiver.received.length, cases.length);

  const shared = { ...local, hosts: new AllowedHosts(['public']) };
  assert.match(await send(receiver.url, shared), /^!the host 127\.0\.0\.1 is an address that/);
  assert.match(await send('http://169.254.169.254/latest'), /^!the host 169\.254\.169\.254 is an address/);
  assert.match(await send('http://localhost:1/', shared), /^!the host localhost is an address/);
  assert.equal(receiver.received.length, cases.length, 'nothing was sent');
  assert.match(await send('http://127.0.0.1:1/'), /^The server could not be reached: ECONNREFUSED\.$/);
});

test('a server that does not answer is left after a while', async (t) => {
  const receiver = await startWebhookReceiver(t);
  receiver.status = undefined;
  const clock = new HandClock();
  const channel = { kind: 'slack', settings: { target: '' } } as const;
  const sent = failureOf(
    sendByChannel({ ...sending, channel, secrets: { webhookUrl: receiver.url } }, { ...local, clock }),
  );
  await until(() => receiver.received.length > 0);
  clock.advance(controlPlaneLimits.alertDeliveryMsMax);
  assert.equal(await sent, 'There was no answer within 10 s.');
});

const addresses = { from: 'weir@example.com', to: ['ops@example.com', 'dev@example.com'] };

async function mail(
  t: TestContext,
  security: SmtpSecurity,
  options: Parameters<typeof startMailReceiver>[1] & { readonly username?: string } = {},
) {
  const ca = await TestCa.create();
  const { certificate: cert, privateKey: key } = await ca.issue({ ips: ['127.0.0.1'] });
  const isFromBeginning = security === 'tls';
  const receiver = await startMailReceiver(t, {
    ...(security === 'none' ? {} : { tls: { key, cert, isFromBeginning } }),
    ...options,
  });
  const { port } = receiver;
  const smtp = { host: '127.0.0.1', port, security, ...addresses, username: options.username };
  const send = (trusted: string | undefined = ca.certificate) =>
    sendByChannel(
      {
        ...sending,
        channel: { kind: 'email', settings: { target: '', smtp } },
        secrets: { smtpPassword: 'pässword' },
      },
      { ...local, ca: trusted },
    );
  return { ...receiver, send };
}

test('an e-mail is handed to a mail server, with and without TLS and a password', async (t) => {
  // biome-ignore format: a table
  const cases: [security: SmtpSecurity, ways: string, username: string | undefined][] = [
    ['none',     'PLAIN', undefined],
    ['starttls', 'PLAIN', 'weir'],
    ['tls',      'LOGIN', 'weir'],
  ];
  for (const [security, ways, username] of cases) {
    const { send, received } = await mail(t, security, { ways, ...(username && { username }) });
    assert.equal(await send(), 250, security);
    const [{ from, to, text, login, isSecure }] = received as [(typeof received)[number]];
    assert.deepEqual([from, to], ['<weir@example.com>', ['<ops@example.com>', '<dev@example.com>']]);
    assert.deepEqual([login, isSecure], [username && 'weir:pässword', security !== 'none']);
    const [head = '', body = ''] = text.split('\r\n\r\n');
    assert.doesNotMatch(head, /^Bcc:/m, 'a name begins no header');
    const subject = [...head.matchAll(/=\?utf-8\?B\?([^?]*)\?=/g)].map(([, word]) => word!);
    assert.equal(
      Buffer.concat(subject.map((word) => Buffer.from(word, 'base64'))).toString(),
      '[Firing] Denied <!channel> & @here Bcc: eve@example.com on vcn_shöp',
    );
    for (const line of head.split('\r\n')) assert.ok(line.length <= 78, line);
    const shown = Buffer.from(body, 'base64').toString();
    assert.match(shown, /2 diagnostics fail/);
    assert.match(shown, /https:\/\/weir\.example\/clusters\/vci_1\/alerts\r\n$/);
  }
});

test('a mail server that refuses, or that is none, is an error of one line', async (t) => {
  // biome-ignore format: a table
  const cases: [answers: Record<string, string>, failure: RegExp][] = [
    [{ MAIL: '451 later' },                     /^The mail server answered the sender with code 451\.$/],
    [{ RCPT: '550 unknown' },                   /^!The mail server answered a recipient with code 550\.$/],
    [{ message: '552 too large' },              /^!The mail server answered the message with code 552\.$/],
    [{ greeting: 'HTTP/1.1 400 Bad Request' },  /^!The server does not answer as a mail server does\.$/],
    [{ EHLO: '250-x\r\n'.repeat(200) },         /^!The server does not answer as a mail server does\.$/],
    [{ greeting: 'x'.repeat(100_000) },         /^The mail server (sent too long a line|ended the connection)\.$/],
  ];
  for (const [answers, failure] of cases) {
    const { send, received } = await mail(t, 'none', { answers });
    assert.match(await failureOf(send()), failure);
    assert.equal(received.length, 'message' in answers ? 1 : 0);
  }
});

test('a password goes to a server with a certificate that counts only', async (t) => {
  for (const security of ['tls', 'starttls'] as const) {
    const { send, received } = await mail(t, security, { username: 'weir' });
    const other = await TestCa.create('CN=Other');
    assert.match(
      await failureOf(send(other.certificate)),
      /^The mail server could not be reached: [A-Z_]+\.$/,
    );
    assert.equal(received.length, 0);
  }
  const { port } = await startMailReceiver(t);
  const smtp = { host: '127.0.0.1', port, security: 'starttls' as const, ...addresses, username: 'weir' };
  const channel = { kind: 'email', settings: { target: '', smtp } } as const;
  assert.equal(
    await failureOf(sendByChannel({ ...sending, channel, secrets: { smtpPassword: 'x' } }, local)),
    '!The mail server offers no STARTTLS.',
  );
});
