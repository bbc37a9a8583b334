import { type MetricReading, release } from '@weir/core';

/** Who pushes, told with every metric. */
export interface PushedIdentity {
  readonly clusterId: string;
  readonly agentId: string;
  readonly agentGroup: string;
}

export type Tags = Readonly<Record<string, string>>;

export function identityTags({ clusterId, agentId, agentGroup }: PushedIdentity): Tags {
  return {
    virtual_cluster_id: clusterId,
    agent_id: agentId,
    agent_version: release,
    agent_group: agentGroup,
  };
}

/** How a metric is called where it is pushed to: `service.<name>`, or as in a scrape. */
export type PushedName = (name: string) => string;

export function pushedName(isNormalized: boolean): PushedName {
  return isNormalized ? (name) => `service.${name}` : (name) => `service_${name}`;
}

/** What somebody who takes metrics is given at each interval. */
export interface MetricsSink {
  readonly kind: 'otlp' | 'dogstatsd';
  /** Sends what there is. It rejects when not all of it could be sent, with a message that holds no secret. */
  push(readings: readonly MetricReading[], stop: AbortSignal): Promise<void>;
  close(): void;
}
