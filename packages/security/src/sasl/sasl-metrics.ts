import type { MetricRow, Metrics, Series } from '@weir/core';

type AuthenticationOutcome = 'success' | 'renewed' | 'failure';

export const authenticationsRow: MetricRow<'mechanism' | 'outcome'> = {
  name: 'agent_kafka_authentication_counter',
  kind: 'counter',
  help: 'Logins of Kafka clients by SASL, and what came of them; renewed are those of clients that had logged in before.',
  labels: ['mechanism', 'outcome'],
};

export const expiredRow: MetricRow<never> = {
  name: 'agent_kafka_authentication_expired_counter',
  kind: 'counter',
  help: 'Kafka connections that were closed because their clients did not log in again in time.',
  labels: [],
};

export const unauthenticatedRow: MetricRow<never> = {
  name: 'agent_kafka_unauthenticated_request_counter',
  kind: 'counter',
  help: 'Requests of Kafka clients that had to log in first, and lost their connection.',
  labels: [],
};

export const waitingRow: MetricRow<never> = {
  name: 'agent_kafka_authentication_waiting',
  kind: 'gauge',
  help: 'Passwords that wait to be checked.',
  labels: [],
};

export interface SaslMetrics {
  /** `mechanism` is a known name, never a string from a peer, which bounds the number of series. */
  authentications(mechanism: string, outcome: AuthenticationOutcome): Series;
  readonly expired: Series;
  readonly unauthenticated: Series;
  readonly waiting: Series;
}

export function saslMetrics(metrics: Metrics): SaslMetrics {
  return {
    authentications: (mechanism, outcome) => metrics.series(authenticationsRow, { mechanism, outcome }),
    expired: metrics.series(expiredRow, {}),
    unauthenticated: metrics.series(unauthenticatedRow, {}),
    waiting: metrics.series(waitingRow, {}),
  };
}
