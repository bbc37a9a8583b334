import { durationBucketsSeconds, type Metrics, type Series } from '@weir/core';
import { outcomeOf } from '@weir/http';
import type { AuthenticationMethod, AuthenticationOutcome } from '@weir/security';

export const registryRows = {
  connections: {
    name: 'agent_schema_registry_inflight_connections',
    kind: 'gauge',
    help: 'Connections to the schema registry that are open.',
    labels: [],
  },
  bytesIn: {
    name: 'agent_schema_registry_request_bytes_counter',
    kind: 'counter',
    help: 'Bytes of request bodies to the schema registry.',
    labels: ['schema_registry_operation'],
  },
  bytesOut: {
    name: 'agent_schema_registry_response_bytes_counter',
    kind: 'counter',
    help: 'Bytes of response bodies of the schema registry.',
    labels: ['schema_registry_operation', 'outcome'],
  },
  latency: {
    name: 'agent_schema_registry_request_latency',
    kind: 'histogram',
    help: 'Seconds from the receipt of a request to the schema registry until its response could be sent.',
    labels: ['schema_registry_operation', 'outcome'],
    buckets: durationBucketsSeconds,
  },
  outcome: {
    name: 'agent_schema_registry_request_outcome',
    kind: 'counter',
    help: 'Requests to the schema registry that were answered: success, client_error (4xx) or error (5xx).',
    labels: ['schema_registry_operation', 'outcome'],
  },
  authentications: {
    name: 'agent_schema_registry_authentication_counter',
    kind: 'counter',
    help: 'Credentials of requests to the schema registry by method (basic, bearer, mtls) and outcome: success, failure or busy.',
    labels: ['method', 'outcome'],
  },
  versions: {
    name: 'schema_versions_count',
    kind: 'gauge',
    help: 'Versions of schemas in the schema registry, including those that are marked as deleted, as of the last request.',
    labels: [],
  },
} as const;

interface AnswerSeries {
  readonly latency: Series;
  readonly count: Series;
  readonly bytesOut: Series;
}

/** The series of the registry's listener. Operations are names of the route table, never text of a peer. */
export class RegistryMetrics {
  readonly connections: Series;
  /** As of the last request. */
  readonly versions: Series;
  /** Those of the process. */
  readonly metrics: Metrics;
  readonly #answers = new Map<string, AnswerSeries>();
  readonly #bytesIn = new Map<string, Series>();

  constructor(metrics: Metrics) {
    this.metrics = metrics;
    this.connections = metrics.series(registryRows.connections, {});
    this.versions = metrics.series(registryRows.versions, {});
  }

  authenticated(method: AuthenticationMethod, outcome: AuthenticationOutcome): void {
    this.metrics.series(registryRows.authentications, { method, outcome }).add(1);
  }

  received(operation: string, bytes: number): void {
    let series = this.#bytesIn.get(operation);
    if (series === undefined) {
      series = this.metrics.series(registryRows.bytesIn, { schema_registry_operation: operation });
      this.#bytesIn.set(operation, series);
    }
    series.add(bytes);
  }

  answered(operation: string, status: number, seconds: number, bytes: number): void {
    const outcome = outcomeOf(status);
    const key = `${operation} ${outcome}`;
    let series = this.#answers.get(key);
    if (series === undefined) {
      const labels = { schema_registry_operation: operation, outcome };
      series = {
        latency: this.metrics.series(registryRows.latency, labels),
        count: this.metrics.series(registryRows.outcome, labels),
        bytesOut: this.metrics.series(registryRows.bytesOut, labels),
      };
      this.#answers.set(key, series);
    }
    series.latency.observe(seconds);
    series.count.add(1);
    series.bytesOut.add(bytes);
  }
}
