import { KiB, MiB } from '@weir/core';

/** Limits of what an agent reports and publishes. */
export const agentLimits = {
  /** An object that is written to find out whether a bucket that refused writes takes them again. */
  writeProbeBytesMax: MiB,

  /** The answer to a request for an agent token. */
  tokenAnswerBytesMax: 64 * KiB,

  /** The regions for which an agent holds a token. */
  heldTokenRegionsMax: 64,

  /** Clients, users and topics with invalid records that an agent remembers until it has reported them. */
  notedClientsMax: 256,
  notedTopicsMax: 256,
  notedLoginsMax: 1_000,

  /** Points in one request to a collector. A point is about 600 bytes. */
  pushedPointsMax: 2_000,

  /** What is read of a collector's answer, which may list what it rejected. */
  collectorAnswerBytesMax: 16 * KiB,

  /** Events of one agent that wait to be written, or whose outcome is unknown yet. Further ones are dropped. */
  eventQueueBytesMax: 16 * MiB,
  eventQueueCountMax: 50_000,

  /** Metrics of a cluster that become events once a minute. */
  clusterMetricEventsMax: 20_000,

  /** Instances of managed pipelines that run at a time: per core, and at least. Each has a heap of up to 256 MiB. */
  pipelinesPerCpu: 4,
  pipelinesMin: 8,

  /** Tables that an agent of a data lake writes at a time. They share one process. */
  tablesMax: 1_000,

  /** Jobs of migrations that run at a time on an agent: those that copy wait for others more than they work. */
  migrationJobsMax: 64,

  /** Syncs of schema linking and jobs of exporters that run at a time on an agent of a schema registry cluster. */
  registryJobsMax: 4,
} as const;
