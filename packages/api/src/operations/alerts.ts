import * as z from 'zod';
import {
  count,
  examples,
  integer,
  list,
  pageInput,
  pageOutput,
  text,
  time,
  timeOfCaller,
  word,
} from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { alertName, channelId } from './alert-channels.ts';
import { severities } from './diagnostics.ts';

const alertStates = ['pending', 'ok', 'firing', 'failed'] as const;
const notificationKinds = ['fired', 'changed', 'repeated', 'resolved'] as const;
const deliveryStates = ['pending', 'delivered', 'failed'] as const;

const alertId = () => id('alert').describe('The alert.');
const diagnosticId = () => word(/^[a-z0-9_]{1,128}$/, 128, 'is not the id of a diagnostic');
const actorName = () => text(apiLimits.emailCharsMax);

const moreThan = () => count(1_000_000_000).describe('It fires while there are more events than this.');
const withinMinutes = () =>
  integer(1, apiLimits.alertWindowMinutesMax).describe('The last minutes in which events are counted.');
const diagnosticIds = () =>
  list(diagnosticId(), apiLimits.diagnosticsMax).describe('The diagnostics that count; none are all.');
const minSeverity = () => z.enum(severities).describe('Failures of a lower severity do not count.');

const events = z
  .strictObject({
    view_id: id('eventView').describe('A shared search for events; its types and its filter count.'),
    more_than: moreThan(),
    within_minutes: withinMinutes(),
  })
  .describe('It fires on events: a saved search finds more than so many in so many minutes.');
const diagnostics = z
  .strictObject({
    diagnostic_ids: diagnosticIds().default([]),
    min_severity: minSeverity().default('low'),
  })
  .describe('It fires on diagnostics: one of them fails and is not muted.');

const channelIds = () =>
  list(channelId(), apiLimits.alertChannelsPerAlertMax, 1).describe('Where it is sent.');
const repeatMinutes = () =>
  integer(apiLimits.alertRepeatMinutesMin, apiLimits.alertRepeatMinutesMax)
    .nullable()
    .describe('How often it is sent again while it fires; `null` for never.');
const notifiesResolved = 'Whether it is also sent when it no longer fires.';
const isEnabled = 'Whether it is evaluated.';

const alert = z
  .object({
    id: alertId(),
    name: text(apiLimits.alertNameCharsMax).describe('Its name.'),
    events: z
      .object({
        view_id: id('eventView').describe('The search.'),
        view_name: text(apiLimits.eventViewNameCharsMax).describe('Its name.'),
        more_than: moreThan(),
        within_minutes: withinMinutes(),
      })
      .nullable()
      .describe('The events on which it fires, or `null`.'),
    diagnostics: z
      .object({ diagnostic_ids: diagnosticIds(), min_severity: minSeverity() })
      .nullable()
      .describe('The diagnostics on which it fires, or `null`.'),
    channel_ids: list(channelId(), apiLimits.alertChannelsPerAlertMax).describe('Where it is sent.'),
    repeat_minutes: repeatMinutes(),
    notifies_resolved: z.boolean().describe(notifiesResolved),
    is_enabled: z.boolean().describe(isEnabled),
    state: z
      .enum(alertStates)
      .describe('`pending` until it was evaluated once, and `failed` if that did not succeed.'),
    summary: text().describe('What it found last, in one line.'),
    problem: text().nullable().describe('Why it could not be evaluated, or `null`.'),
    firing_since: time().nullable().describe('Since when it fires, or `null`.'),
    last_fired_at: time().nullable().describe('When it last began to fire, or `null`.'),
    last_checked_at: time().nullable().describe('When it was last evaluated, or `null`.'),
    is_muted: z.boolean().describe('Whether it is not sent for now.'),
    muted_until: time().nullable().describe('When that ends, or `null`.'),
    muted_by: actorName().nullable().describe('Who muted it, or `null`.'),
    mute_reason: text(1024).nullable().describe('Why, or `null`.'),
    updated_at: time().describe('When it was created or changed.'),
    updated_by: actorName().describe('Who did that: an e-mail address or the name of an API key.'),
  })
  .meta({ id: 'Alert', description: 'What is sent where, and how it is now.' });

const delivery = z.object({
  channel_id: channelId(),
  channel_name: text(apiLimits.alertNameCharsMax).describe('Its name at that time.'),
  state: z.enum(deliveryStates).describe('Whether the channel took it; `pending` while it is tried again.'),
  attempts: count().describe('How often it was tried.'),
  last_error: text().nullable().describe('Why the last attempt failed, or `null`.'),
  ended_at: time().nullable().describe('When it was taken or given up, or `null`.'),
});

const notification = z
  .object({
    alert_id: alertId(),
    alert_name: text(apiLimits.alertNameCharsMax).describe('The name of the alert.'),
    kind: z.enum(notificationKinds).describe('What happened.'),
    time: time().describe('When.'),
    summary: text().describe('What was found, in one line.'),
    is_muted: z.boolean().describe('Whether it was not sent because the alert was muted.'),
    deliveries: list(delivery, apiLimits.alertChannelsPerAlertMax).describe('The outcome, by channel.'),
  })
  .meta({ id: 'AlertNotification', description: 'A time at which an alert fired, changed or was resolved.' });

const exampleAlert = {
  id: examples.alert,
  name: 'Cluster is unwell',
  events: null,
  diagnostics: { diagnostic_ids: [], min_severity: 'high' as const },
  channel_ids: [examples.alertChannel],
  repeat_minutes: 240,
  notifies_resolved: true,
  is_enabled: true,
  state: 'firing' as const,
  summary: 'No agent has the jobs role',
  problem: null,
  firing_since: examples.time,
  last_fired_at: examples.time,
  last_checked_at: examples.time,
  is_muted: false,
  muted_until: null,
  muted_by: null,
  mute_reason: null,
  updated_at: examples.time,
  updated_by: 'ada@example.com',
};

const target = { alert_id: alertId() };
const exampleTarget = { alert_id: examples.alert };
const oneSource = 'one of events and diagnostics is required';

export const alertOperations = [
  defineClusterOperation({
    name: 'list_alerts',
    title: 'List alerts',
    summary: 'List the alerts of a virtual cluster, and whether they fire.',
    output: z.object({
      alerts: list(alert, apiLimits.alertsPerClusterMax).describe('The alerts by name.'),
    }),
    example: { output: { alerts: [exampleAlert] } },
  }),
  defineClusterOperation({
    name: 'create_alert',
    title: 'Create an alert',
    summary: 'Create an alert on a saved search of events, or on diagnostics.',
    description: 'It is evaluated about once a minute. Several diagnostics that fail are one message.',
    input: clusterInput({
      alert_name: alertName().describe('A name that no other alert of the cluster has.'),
      events: events.optional(),
      diagnostics: diagnostics.optional(),
      channel_ids: channelIds(),
      repeat_minutes: repeatMinutes().default(240),
      notifies_resolved: z.boolean().default(true).describe(notifiesResolved),
      is_enabled: z.boolean().default(true).describe(isEnabled),
    }).refine((given) => (given.events === undefined) !== (given.diagnostics === undefined), {
      error: oneSource,
    }),
    output: z.object({ alert_id: alertId() }),
    errors: ['duplicate_name', 'limit_exceeded', 'filter_syntax'],
    example: {
      input: {
        alert_name: 'Denied writes',
        events: { view_id: examples.eventView, more_than: 100, within_minutes: 5 },
        channel_ids: [examples.alertChannel],
      },
      output: { alert_id: examples.alert },
    },
  }),
  defineClusterOperation({
    name: 'update_alert',
    title: 'Change an alert',
    summary: 'Rename an alert, change when it fires and where it is sent, or turn it off and on.',
    description:
      'Omitted fields keep their values. An alert that is turned off while it fires is sent as resolved.',
    input: clusterInput({
      ...target,
      alert_name: alertName().optional().describe('Another name.'),
      events: events.optional(),
      diagnostics: diagnostics.optional(),
      channel_ids: channelIds().optional(),
      repeat_minutes: repeatMinutes().optional(),
      notifies_resolved: z.boolean().optional().describe(notifiesResolved),
      is_enabled: z.boolean().optional().describe(isEnabled),
    }).refine((given) => given.events === undefined || given.diagnostics === undefined, { error: oneSource }),
    errors: ['duplicate_name', 'filter_syntax'],
    example: { input: { ...exampleTarget, is_enabled: false } },
  }),
  defineClusterOperation({
    name: 'delete_alert',
    title: 'Delete an alert',
    summary: 'Delete an alert and its history.',
    input: clusterInput(target),
    example: { input: exampleTarget },
  }),
  defineClusterOperation({
    name: 'mute_alert',
    title: 'Mute an alert',
    summary: 'Mute an alert, for a while or until it is unmuted.',
    description:
      'A muted alert is still evaluated. If it fires when that ends, it is sent then, and if it was resolved meanwhile, that is.',
    input: clusterInput({
      ...target,
      until: timeOfCaller().optional().describe('When it ends. Without it, when the alert is unmuted.'),
      reason: text(1024).optional().describe('The reason, for later readers.'),
    }),
    example: { input: { ...exampleTarget, until: '2026-02-01T00:00:00Z', reason: 'Planned maintenance.' } },
  }),
  defineClusterOperation({
    name: 'unmute_alert',
    title: 'Unmute an alert',
    summary: 'Unmute an alert.',
    input: clusterInput(target),
    example: { input: exampleTarget },
  }),
  defineClusterOperation({
    name: 'list_alert_history',
    title: 'List what alerts sent',
    summary: 'List when alerts fired and were resolved, with the outcome for each channel, newest first.',
    input: clusterInput({
      alert_id: id('alert').optional().describe('Only this alert.'),
      ...pageInput(100),
    }),
    output: z.object({
      notifications: list(notification, apiLimits.apiPageRowsMax).describe('What happened.'),
      ...pageOutput,
    }),
    example: {
      output: {
        notifications: [
          {
            alert_id: examples.alert,
            alert_name: 'Cluster is unwell',
            kind: 'fired',
            time: examples.time,
            summary: 'No agent has the jobs role',
            is_muted: false,
            deliveries: [
              {
                channel_id: examples.alertChannel,
                channel_name: 'On call',
                state: 'delivered',
                attempts: 1,
                last_error: null,
                ended_at: examples.time,
              },
            ],
          },
        ],
        next_cursor: null,
      },
    },
  }),
] as const;
