import { type MetricReading, release } from '@weir/core';

/** Who pushes, told with every metric. */
export interface PushedIdentity {
  /** Of a process that has one; what others push says of each metric which cluster it is about. */
  readonly clusterId?: string;
  readonly agentId: string;
  readonly agentGroup: string;
}

export type Tags = Readonly<Record<string, string>>;

export function identityTags({ clusterId, agentId, agentGroup }: PushedIdentity): Tags {
  return {
    ...(clusterId === undefined ? {} : { virtual_cluster_id: clusterId }),
    agent_id: agentId,
    agent_version: release,
    agent_group: agentGroup,
  };
}

/** The labels of a series and who pushes it. What a series says itself counts: the version of an agent may be told by another one. */
export function taggedWith(labels: Tags, identity: Tags): Tags {
  return { ...labels, ...identity, ...labels };
}

/** How a metric is called where it is pushed to: `service.<name>`, or as in a scrape. */
export type PushedName = (name: string) => string;

export function pushedName(isNormalized: boolean): PushedName {
  return isNormalized ? (name) => `service.${name}` : (name) => `service_${name}`;
}

/** What is pushed at an interval, in parts: whoever has many clusters does not hold the stats of all of them at once. */
export type ReadingsInParts = Iterable<readonly MetricReading[]> | AsyncIterable<readonly MetricReading[]>;

/** What somebody who takes metrics is given at each interval. */
export interface MetricsSink {
  readonly kind: 'otlp' | 'dogstatsd';
  /** Sends what there is. It rejects when not all of it could be sent, with a message that holds no secret. */
  push(parts: ReadingsInParts, stop: AbortSignal): Promise<void>;
  close(): void;
}
