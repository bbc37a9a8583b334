import { durationBucketsSeconds, type Metrics, type Series } from '@weir/core';

/** Why connections end. */
export type CloseReason =
  | 'peer'
  | 'idle'
  | 'slow'
  | 'malformed'
  | 'unsupported'
  | 'refused'
  | 'failed'
  | 'memory'
  | 'limit'
  | 'quota'
  | 'proxyHeader'
  | 'handshake'
  | 'certificate'
  | 'stopped';

export const listenerRows = {
  connections: {
    name: 'agent_kafka_inflight_connections',
    kind: 'gauge',
    help: 'Open Kafka connections.',
    labels: [],
  },
  accepted: {
    name: 'agent_net_kafka_tcp_limit_listener_acquire_count',
    kind: 'counter',
    help: 'Accepted Kafka connections.',
    labels: [],
  },
  closed: {
    name: 'agent_kafka_connection_closed_counter',
    kind: 'counter',
    help: 'Closed Kafka connections, by reason.',
    labels: ['reason'],
  },
  idleClosed: {
    name: 'agent_net_kafka_tcp_idle_conn_close',
    kind: 'counter',
    help: 'Kafka connections closed as idle.',
    labels: [],
  },
  throttled: {
    name: 'agent_connection_throttle_count',
    kind: 'counter',
    help: 'Times that a Kafka connection was muted after a response with a throttle time.',
    labels: [],
  },
  requestsInFlight: {
    name: 'agent_kafka_inflight_requests',
    kind: 'gauge',
    help: 'Kafka requests in flight.',
    labels: [],
  },
  requests: {
    name: 'agent_kafka_request_count',
    kind: 'counter',
    help: 'Received Kafka requests.',
    labels: ['kafka_key'],
  },
  latency: {
    name: 'agent_kafka_request_latency',
    kind: 'histogram',
    help: 'Seconds from the receipt of a Kafka request until its response was ready.',
    labels: ['kafka_key', 'outcome'],
    buckets: durationBucketsSeconds,
  },
  outcome: {
    name: 'agent_kafka_request_outcome',
    kind: 'counter',
    help: 'Kafka requests by outcome: answered with a response, or closed their connection.',
    labels: ['kafka_key', 'outcome'],
  },
  bytesIn: {
    name: 'agent_kafka_request_bytes_counter',
    kind: 'counter',
    help: 'Bytes of Kafka requests.',
    labels: [],
  },
  surplusBytes: {
    name: 'agent_kafka_request_surplus_bytes_counter',
    kind: 'counter',
    help: 'Ignored surplus bytes after Kafka requests.',
    labels: ['kafka_key'],
  },
  bytesOut: {
    name: 'agent_kafka_response_bytes_counter',
    kind: 'counter',
    help: 'Bytes of Kafka responses.',
    labels: [],
  },
} as const;

interface ApiSeries {
  readonly requests: Series;
  readonly answered: Pick<Series, 'observe'>;
  readonly failed: Pick<Series, 'observe'>;
}

/** The series of a listener, looked up once. */
export class ListenerMetrics {
  readonly connections: Series;
  readonly accepted: Series;
  readonly idleClosed: Series;
  readonly throttled: Series;
  readonly requestsInFlight: Series;
  readonly bytesIn: Series;
  readonly bytesOut: Series;
  readonly #metrics: Metrics;
  readonly #byApi = new Map<string, ApiSeries>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.accepted = metrics.series(listenerRows.accepted, {});
    this.connections = metrics.series(listenerRows.connections, {});
    this.idleClosed = metrics.series(listenerRows.idleClosed, {});
    this.throttled = metrics.series(listenerRows.throttled, {});
    this.requestsInFlight = metrics.series(listenerRows.requestsInFlight, {});
    this.bytesIn = metrics.series(listenerRows.bytesIn, {});
    this.bytesOut = metrics.series(listenerRows.bytesOut, {});
  }

  closed(reason: CloseReason): Series {
    return this.#metrics.series(listenerRows.closed, { reason });
  }

  surplus(apiName: string): Series {
    return this.#metrics.series(listenerRows.surplusBytes, { kafka_key: apiName });
  }

  /** `apiName` must be one of our names, never text from a peer. */
  api(apiName: string): ApiSeries {
    let found = this.#byApi.get(apiName);
    if (found === undefined) {
      found = {
        requests: this.#metrics.series(listenerRows.requests, { kafka_key: apiName }),
        answered: this.#ended(apiName, 'success'),
        failed: this.#ended(apiName, 'error'),
      };
      this.#byApi.set(apiName, found);
    }
    return found;
  }

  /** One observation records the duration and counts the outcome. */
  #ended(apiName: string, outcome: 'success' | 'error'): Pick<Series, 'observe'> {
    const latency = this.#metrics.series(listenerRows.latency, { kafka_key: apiName, outcome });
    const count = this.#metrics.series(listenerRows.outcome, { kafka_key: apiName, outcome });
    return {
      observe(seconds) {
        latency.observe(seconds);
        count.add(1);
      },
    };
  }
}
