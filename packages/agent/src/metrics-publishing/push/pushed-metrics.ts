import { type MetricReading, release, scrapedName } from '@weir/core';

/** Identity of the pushing process, added to every metric. */
export interface PushedIdentity {
  /** Present if the process belongs to one cluster; metrics of other processes carry their cluster as a label. */
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

/**
 * Adds the identity to the labels of a series. Labels of the series win: one process may publish the version of another
 * agent.
 */
export function taggedWith(labels: Tags, identity: Tags): Tags {
  return { ...labels, ...identity, ...labels };
}

/** Maps a metric name to its name at the sink: `service.<name>`, or as in a scrape. */
export type PushedName = (name: string) => string;

export function pushedName(isNormalized: boolean): PushedName {
  return (name) => {
    const scraped = scrapedName(name);
    return isNormalized ? scraped.replace(/^service_/, 'service.') : scraped;
  };
}

/**
 * The readings of one interval, in parts: a process with many clusters does not hold the metrics of all of them at
 * once.
 */
export type ReadingsInParts = Iterable<readonly MetricReading[]> | AsyncIterable<readonly MetricReading[]>;

/** A target of metrics pushes. */
export interface MetricsSink {
  readonly kind: 'otlp' | 'dogstatsd';
  /** Sends all readings. Rejects if not all could be sent, with a message that contains no secret. */
  push(parts: ReadingsInParts, stop: AbortSignal): Promise<void>;
  close(): void;
}
