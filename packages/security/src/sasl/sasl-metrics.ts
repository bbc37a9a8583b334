import type { MetricRow, Metrics, Series } from '@weir/core';

type AuthenticationOutcome = 'success' | 'renewed' | 'failure';

export const authenticationsRow: MetricRow<'mechanism' | 'outcome'> = {
  name: 'agent_kafka_authentication_counter',
  kind: 'counter',
  help: 'SASL logins of Kafka clients, by outcome; renewed counts re-authentications.',
  labels: ['mechanism', 'outcome'],
};

export const expiredRow: MetricRow<never> = {
  name: 'agent_kafka_authentication_expired_counter',
  kind: 'counter',
  help: 'Kafka connections closed because the client did not re-authenticate in time.',
  labels: [],
};

export const unauthenticatedRow: MetricRow<never> = {
  name: 'agent_kafka_unauthenticated_request_counter',
  kind: 'counter',
  help: 'Kafka connections closed because of a request before authentication.',
  labels: [],
};

export const waitingRow: MetricRow<never> = {
  name: 'agent_kafka_authentication_waiting',
  kind: 'gauge',
  help: 'Queued password checks.',
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
