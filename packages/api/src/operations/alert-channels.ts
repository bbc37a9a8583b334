import * as z from 'zod';
import { count, emailAddress, examples, list, secret, text, time, word } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

const channelKinds = ['slack', 'pagerduty', 'webhook', 'email'] as const;
export type AlertChannelKind = (typeof channelKinds)[number];
const smtpSecurities = ['tls', 'starttls', 'none'] as const;

/** The name of an alert or of a channel. */
export const alertName = () =>
  text(apiLimits.alertNameCharsMax, 1).refine((name) => name.trim() === name, {
    error: 'begins or ends with a space',
  });

export const channelId = () => id('alertChannel').describe('The channel.');
const actorName = () => text(apiLimits.emailCharsMax);
const hostName = () => word(/^[a-zA-Z0-9._:[\]-]{1,253}$/, 253, 'is not the name or address of a host');

/** What a channel of each kind has. Fields of other kinds are refused. */
const settings = {
  webhook_url: secret(1, apiLimits.apiUrlCharsMax)
    .optional()
    .describe('`slack` and `webhook`: where messages are sent.'),
  authorization_secret: secret(1, 4096)
    .optional()
    .describe('`webhook`: the value of the header `Authorization`.'),
  routing_key: secret(1, 128).optional().describe('`pagerduty`: the integration key of Events API v2.'),
  endpoint_url: text(apiLimits.apiUrlCharsMax)
    .optional()
    .describe('`pagerduty`: another address than `https://events.pagerduty.com/v2/enqueue`.'),
  smtp_host: hostName().optional().describe('`email`: the mail server.'),
  smtp_port: z.int().min(1).max(65_535).optional().describe('`email`: its port; 465, 587 or 25 by default.'),
  smtp_security: z
    .enum(smtpSecurities)
    .optional()
    .describe('`email`: TLS from the beginning, STARTTLS (the default), or none, which takes no password.'),
  smtp_username: text(256).optional().describe('`email`: the user of the mail server, if it needs one.'),
  smtp_password: secret(1, 1024).optional().describe('`email`: the password of that user.'),
  from_address: emailAddress().optional().describe('`email`: the sender.'),
  to_addresses: list(emailAddress(), apiLimits.alertRecipientsMax, 1)
    .optional()
    .describe('`email`: the recipients.'),
};

const channel = z
  .object({
    id: channelId(),
    name: text(apiLimits.alertNameCharsMax).describe('Its name.'),
    kind: z.enum(channelKinds).describe('What it sends to.'),
    target: text(apiLimits.apiUrlCharsMax).describe('Where it sends to, without secrets.'),
    endpoint_url: text(apiLimits.apiUrlCharsMax).nullable().describe('Of `pagerduty`: its address.'),
    has_authorization: z.boolean().describe('Of `webhook`: whether a header `Authorization` is sent.'),
    smtp_host: text(253).nullable().describe('Of `email`: the mail server.'),
    smtp_port: z.int().nullable().describe('Of `email`: its port.'),
    smtp_security: z.enum(smtpSecurities).nullable().describe('Of `email`: how the connection is secured.'),
    smtp_username: text(256).nullable().describe('Of `email`: the user of the mail server.'),
    from_address: text(apiLimits.emailCharsMax).nullable().describe('Of `email`: the sender.'),
    to_addresses: list(text(apiLimits.emailCharsMax), apiLimits.alertRecipientsMax).describe(
      'Of `email`: the recipients.',
    ),
    used_by: list(text(apiLimits.alertNameCharsMax), apiLimits.alertsPerClusterMax).describe(
      'The alerts that notify it, by name.',
    ),
    failures: count().describe('How many attempts in a row failed.'),
    failing_since: time().nullable().describe('When the first of them failed, or `null`.'),
    last_error: text().nullable().describe('Why the last one failed, or `null`.'),
    last_delivered_at: time().nullable().describe('When a message was last taken, or `null`.'),
    updated_at: time().describe('When it was created or changed.'),
    updated_by: actorName().describe('Who did that: an e-mail address or the name of an API key.'),
  })
  .meta({ id: 'AlertChannel', description: 'Where alerts are sent, without secrets.' });

const exampleChannel = {
  id: examples.alertChannel,
  name: 'On call',
  kind: 'slack' as const,
  target: 'https://hooks.slack.com/…',
  endpoint_url: null,
  has_authorization: false,
  smtp_host: null,
  smtp_port: null,
  smtp_security: null,
  smtp_username: null,
  from_address: null,
  to_addresses: [],
  used_by: ['Cluster is unwell'],
  failures: 0,
  failing_since: null,
  last_error: null,
  last_delivered_at: examples.time,
  updated_at: examples.time,
  updated_by: 'ada@example.com',
};

const target = { channel_id: channelId() };
const exampleTarget = { channel_id: examples.alertChannel };
const hosts =
  'Hosts are those that the operator allows by `-allowedTargetHosts`: by default, those of the public internet.';

export const alertChannelOperations = [
  defineClusterOperation({
    name: 'list_alert_channels',
    title: 'List alert channels',
    summary: 'List where the alerts of a virtual cluster are sent.',
    output: z.object({
      channels: list(channel, apiLimits.alertChannelsPerClusterMax).describe('The channels by name.'),
    }),
    example: { output: { channels: [exampleChannel] } },
  }),
  defineClusterOperation({
    name: 'create_alert_channel',
    title: 'Create an alert channel',
    summary: 'Create a channel: a Slack-compatible webhook, PagerDuty, any webhook, or e-mail.',
    description: `URLs, keys and passwords are sealed in the database and never read back. ${hosts}`,
    input: clusterInput({
      channel_name: alertName().describe('A name that no other channel of the cluster has.'),
      kind: z.enum(channelKinds).describe('What it sends to.'),
      ...settings,
    }),
    output: z.object({ channel_id: channelId() }),
    errors: ['duplicate_name', 'limit_exceeded', 'no_sealing_keys'],
    example: {
      input: {
        channel_name: 'On call',
        kind: 'slack',
        webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX',
      },
      output: { channel_id: examples.alertChannel },
    },
  }),
  defineClusterOperation({
    name: 'update_alert_channel',
    title: 'Change an alert channel',
    summary: 'Rename a channel, or change where it sends to.',
    description: `Omitted fields keep their values. With another address, the secrets for it have to be given again. ${hosts}`,
    input: clusterInput({
      ...target,
      channel_name: alertName().optional().describe('Another name.'),
      ...settings,
    }),
    errors: ['duplicate_name', 'no_sealing_keys'],
    example: { input: { ...exampleTarget, channel_name: 'Night shift' } },
  }),
  defineClusterOperation({
    name: 'delete_alert_channel',
    title: 'Delete an alert channel',
    summary: 'Delete a channel that no alert notifies.',
    input: clusterInput(target),
    errors: ['conflict'],
    example: { input: exampleTarget },
  }),
  defineClusterOperation({
    name: 'test_alert_channel',
    title: 'Test an alert channel',
    summary: 'Send a test message by a channel, and say whether it was taken.',
    description: 'PagerDuty gets an incident that is resolved at once.',
    input: clusterInput(target),
    output: z.object({
      is_delivered: z.boolean().describe('Whether the message was taken.'),
      message: text().describe('The answer in one line: what went wrong, or that it was taken.'),
      duration_ms: count().describe('How long it took.'),
    }),
    errors: ['no_sealing_keys'],
    example: {
      input: exampleTarget,
      output: {
        is_delivered: true,
        message: 'Delivered: the server answered with status 200.',
        duration_ms: 84,
      },
    },
  }),
] as const;
