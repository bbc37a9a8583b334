import type { RouteDefinition } from './route-definition.ts';

/** Definitions of probes and metrics. */

const plainText = ['text/plain; charset=utf-8'] as const;

export const statusDefinition = {
  id: 'status',
  method: 'GET',
  path: '/v1/status',
  summary:
    'Liveness: `OK` from the end of the start until the agent ends, also while it stops or its bucket is away.',
  access: 'open',
  answer: { types: plainText, description: 'The agent is alive.' },
  errors: { 503: 'The agent is starting. The response is text.' },
  example: { target: '/v1/status', answer: 'OK' },
} as const satisfies RouteDefinition;

export const readyDefinition = {
  id: 'ready',
  method: 'GET',
  path: '/v1/ready',
  summary: 'Readiness: whether clients should be sent to the agent.',
  access: 'open',
  answer: {
    types: plainText,
    description:
      'The agent can serve. The response is `OK`, or `OK: control plane unavailable` while it serves what it knows.',
  },
  errors: {
    503: 'The agent cannot serve. The response is `not ready: ` and the reason: `starting`, `stopping`, `disk full` or `store unavailable`. Details are in the log.',
  },
  example: { target: '/v1/ready', answer: 'OK' },
} as const satisfies RouteDefinition;

export const metricsDefinition = {
  id: 'metrics',
  method: 'GET',
  path: '/metrics',
  summary: "The agent's metrics for Prometheus, if `-enablePrometheusMetrics` is on.",
  access: 'open',
  answer: {
    types: ['text/plain; version=0.0.4; charset=utf-8'],
    description: 'One line for each series.',
  },
  example: { target: '/metrics' },
} as const satisfies RouteDefinition;
