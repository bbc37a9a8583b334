import { coreLimits, KiB, MiB } from '@weir/core';

/** Limits of leaders: of what waits, and of what agents report and query. */
export const metadataLimits = {
  /** Topics whose throughput the partition auto-scaler measures. */
  scaledTopicsMax: 10_000,

  /** Commands and queries that wait for the journal of one cluster. Beyond the limit the cluster is unavailable. */
  waitingCallsMax: 20_000,

  /** Entries that wait for the journal of one cluster, in bytes. */
  waitingEntryBytesMax: 64 * MiB,

  /** Changes queued for one follower of a cluster. Beyond the limit it restarts from a snapshot. */
  followerChangesMax: 64 * KiB,

  /**
   * Size of the connected clients in the reports of all agents, as JSON: a leader stores the last report of each agent,
   * up to this in total.
   */
  clusterSoftwareCharsMax: 2 * MiB,

  /**
   * Reports of one agent that a leader stores, and their total size as JSON for all agents of a cluster; beyond it new
   * reports are dropped.
   */
  agentReportsRetainedMax: 6,
  clusterReportCharsMax: 8 * MiB,

  /** Users of one cluster whose last login a leader holds; about 100 bytes each. */
  lastLoginsMax: 10_000,

  /** Agents of one cluster listed as lost. */
  lostAgentsMax: 100,

  /** Event queries of one cluster that wait until an agent polls; they wait only briefly. */
  queriesWaitingMax: 64,

  /** Size of a query as JSON: mostly a filter of arbitrary text. */
  queryRequestBytesMax: 256 * KiB,

  /**
   * Size of an agent's answer to one query, and total size of unfinished answers that the control plane holds per
   * cluster.
   */
  queryAnswerBytesMax: 10 * MiB,
  queryAnswersHeldBytesMax: 64 * MiB,

  /** Duration of one poll of an agent for a query. */
  queryWaitMsMax: 50_000,

  /** Jobs of a cluster, each run by one agent at a time. */
  jobLeasesMax: 64,

  /** Background jobs of one cluster that wait or run, without those that last. */
  openJobsMax: 256,

  /** Instances of all pipelines of one cluster that wait or run. */
  openInstancesMax: 128,

  /** Tables of one cluster that are written, are maintained, whose kept records are replayed or files deleted. */
  openTableIngestionsMax: coreLimits.tablesPerClusterMax,
  openTableMaintenancesMax: 16,
  openTableReplaysMax: 4,
  openTableRemovalsMax: 4,

  /** Jobs of each kind of the migrations of one cluster that wait or run. */
  openMigrationJobsMax: 128,

  /** Topics of one cluster whose migration a leader knows from reports, and their partitions; 16 bytes each. */
  migrationTopicsMax: 50_000,
  migrationPartitionsMax: 400_000,

  /** Exporters of the schema registry of one cluster that wait or run. */
  openExportersMax: 8,

  /** Merges of files of one cluster that wait or run. A task has two megabytes at most. */
  openCompactionsMax: 8,

  /** Compactions of keys that are open at a time. */
  openKeyCompactionsMax: 4,

  /** Sequences of files of one cluster that are open, and those that one call names. About 150 bytes each. */
  fileSequencesMax: 10_000,
  fileSequencesPerCallMax: 100,

  /** Files that one job deletes: one request to S3. */
  deletedFilesPerJobMax: 1_000,

  /**
   * An object that the cluster does not know is left alone for this long after its last change: it may be a file whose
   * commit is under way.
   */
  orphanAgeMsMin: 6 * 3_600_000,

  /** Scopes whose last failures and ends a leader remembers; about 500 bytes each. */
  jobScopesMax: 5_000,

  /** Jobs that were done and are listed. */
  recentJobsMax: 100,

  /** Duration of one claim of an agent for jobs, the jobs that it gets, and the kinds that it names. */
  jobWaitMsMax: 30_000,
  jobsPerClaimMax: 64,
  heldJobsPerClaimMax: coreLimits.tablesPerClusterMax,
  jobKindsPerClaimMax: 64,

  /** Size of what agents report about a job: where another agent can continue, and one line for users. */
  jobCheckpointBytesMax: 4 * KiB,
  jobMessageCharsMax: 1_000,

  /**
   * Control-plane events that wait for an agent to write them; the oldest are dropped on overflow. One answer contains
   * only a part.
   */
  controlPlaneEventsMax: 1_000,
  controlPlaneEventCharsMax: 2 * MiB,
  controlPlaneEventsPerCallMax: 200,

  /**
   * Metric series that a leader keeps of one cluster, and a process of all its clusters; beyond it, new ones have to
   * wait until others end. A series has up to 7.5 KiB after a day, and 2 KiB after an hour.
   */
  clusterSeriesMax: 1_000,
  processSeriesMax: 20_000,

  /** Groups with the largest lag that have series, topics of each, and the busiest topics that have series. */
  sampledGroupsMax: 100,
  sampledTopicsPerGroupMax: 5,
  sampledTopicsMax: 100,

  /** Pipelines that have series, those that were planned first. */
  sampledPipelinesMax: 50,

  /** Tables of a data lake cluster that have series, those with the largest lag. */
  sampledTablesMax: 100,

  /** Committed offsets that one sample reads, some milliseconds of work; further groups have their turn later. */
  sampledOffsetsMax: 20_000,
} as const;
