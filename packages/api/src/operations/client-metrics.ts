import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { integer, list, text, word } from '../fields.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

const subscriptionName = () =>
  word(/^[a-zA-Z0-9._-]{1,249}$/, 249, 'is not 1 to 249 letters, digits, dots, underscores and hyphens');

const interval = 'How often clients push, in milliseconds.';
const metrics = 'Comma-separated prefixes of metric names, or `*` for all.';
const match =
  'Comma-separated `selector=pattern` pairs that a client must all match. Empty matches every client.';

const subscription = z
  .object({
    name: text(249).describe('The subscription.'),
    interval_ms: z.int().optional().describe(interval),
    metrics: text(coreLimits.configTextCharsMax).optional().describe(metrics),
    match: text(coreLimits.configTextCharsMax).optional().describe(match),
  })
  .meta({ id: 'ClientMetricsSubscription', description: 'Which metrics clients push, and how often.' });

const subscriptionGiven = z
  .strictObject({
    name: subscriptionName().describe('The subscription.'),
    interval_ms: integer(100, 3_600_000).optional().describe(interval),
    metrics: text(coreLimits.configTextCharsMax).optional().describe(metrics),
    match: text(coreLimits.configTextCharsMax).optional().describe(match),
  })
  .refine(
    (given) => given.interval_ms !== undefined || given.metrics !== undefined || given.match !== undefined,
    { error: 'one of interval_ms, metrics and match is required' },
  );

const exampleSubscription = { name: 'latencies', interval_ms: 60_000, metrics: 'org.apache.kafka.producer.' };

export const clientMetricsOperations = [
  defineClusterOperation({
    name: 'list_client_metrics_subscriptions',
    title: 'List subscriptions to client metrics',
    summary: 'List the client metrics subscriptions of a virtual cluster.',
    output: z.object({
      subscriptions: list(subscription, coreLimits.clientMetricsMax).describe('The subscriptions by name.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      output: { subscriptions: [exampleSubscription] },
    },
  }),
  defineClusterOperation({
    name: 'describe_client_metrics_subscription',
    title: 'Describe a subscription to client metrics',
    summary: 'Describe a client metrics subscription.',
    input: clusterInput({
      name: subscriptionName().describe('The subscription.'),
    }),
    output: z.object({ client_metrics_subscription: subscription.describe('The subscription.') }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { name: 'latencies' },
      output: { client_metrics_subscription: exampleSubscription },
    },
  }),
  defineClusterOperation({
    name: 'update_client_metrics_subscriptions',
    title: 'Set subscriptions to client metrics',
    summary: 'Create or replace client metrics subscriptions, all of them or none.',
    description:
      'A subscription is replaced as a whole: omitted fields get their defaults. Each name may occur once.',
    input: clusterInput({
      client_metrics_subscriptions: list(subscriptionGiven, coreLimits.clientMetricsMax, 1)
        .refine((given) => new Set(given.map(({ name }) => name)).size === given.length, {
          error: 'has a name twice',
        })
        .describe('The subscriptions.'),
    }),
    errors: ['limit_exceeded', 'unsupported_cluster_type'],
    example: {
      input: { client_metrics_subscriptions: [exampleSubscription] },
    },
  }),
  defineClusterOperation({
    name: 'delete_client_metrics_subscriptions',
    title: 'Delete subscriptions to client metrics',
    summary: 'Delete client metrics subscriptions, all of them or none.',
    input: clusterInput({
      client_metrics_subscription_names: list(subscriptionName(), coreLimits.clientMetricsMax, 1).describe(
        'The subscriptions.',
      ),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { client_metrics_subscription_names: ['latencies'] },
    },
  }),
] as const;
