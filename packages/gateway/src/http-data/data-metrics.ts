import { durationBucketsSeconds, type Metrics } from '@weir/core';
import { outcomeOf } from '@weir/http';

export const httpDataRows = {
  count: {
    name: 'http_instrumented_middleware_count',
    kind: 'counter',
    help: 'Requests for records, and to debug the agent, over HTTP that were answered, by operation, and success, client_error (4xx) or error (5xx).',
    labels: ['operation', 'outcome'],
  },
  latency: {
    name: 'http_instrumented_middleware_latency',
    kind: 'histogram',
    help: 'Seconds from the receipt of such a request over HTTP until its response could be sent.',
    labels: ['operation', 'outcome'],
    buckets: durationBucketsSeconds,
  },
  authentications: {
    name: 'agent_http_authentication_counter',
    kind: 'counter',
    help: 'Credentials of such requests by method (basic, bearer) and outcome: success, failure or busy.',
    labels: ['method', 'outcome'],
  },
} as const;

/** Counts an answered request. Operations are names of the table of routes, never text of a peer. */
export function countAnswer(metrics: Metrics, operation: string, status: number, seconds: number): void {
  const outcome = outcomeOf(status);
  metrics.series(httpDataRows.count, { operation, outcome }).add(1);
  metrics.series(httpDataRows.latency, { operation, outcome }).observe(seconds);
}
