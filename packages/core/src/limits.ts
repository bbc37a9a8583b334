import { KiB, MiB } from './bytes.ts';

/**
 * Limits that packages share which do not import each other. Each other limit is in `limits.ts` of the package that
 * owns it.
 */
export const coreLimits = {
  /** Slices below this are copied next to their neighbours, because one `writev` entry costs more than the copy. */
  copiedSliceBytesMax: 4 * KiB,

  /** Partitions of one topic, the most that any published tier of the interface has in a whole cluster. */
  partitionsPerTopicMax: 200_000,

  /**
   * Partitions of all topics of a cluster. Each costs its leader about 200 bytes, and 450 more as soon as it has
   * data.
   */
  partitionsPerClusterMax: 200_000,

  /** Tables of a data lake cluster. Each is a job of an agent, and about a kilobyte of its leader. */
  tablesPerClusterMax: 2_000,

  /** A group id, a member id or a member's name. Apache Kafka takes 32,767, which no client uses. */
  groupNameCharsMax: 1024,

  /** Groups that a leader coordinates, without those that only have offsets. */
  groupsMax: 100_000,

  /**
   * Members of one group, including those with an id that have not joined yet: the highest value of
   * `group.max.size`.
   */
  groupMembersMax: 10_000,

  /** The value of a config that is a free list. */
  configTextCharsMax: 16 * KiB,

  /** Entities with quotas. Every agent holds all of them. */
  clientQuotasMax: 20_000,

  /** Subscriptions to metrics of clients. Every agent knows all of them. */
  clientMetricsMax: 1000,

  /**
   * ACLs of a cluster, and what they take together. Every agent knows all of them; a snapshot for agents holds each
   * as a column, with credentials and quotas at most `rpcColumnsMax`.
   */
  aclsMax: 50_000,
  aclBytesMax: 64 * MiB,

  /** The name in an ACL. Longer ones of transactional ids are meant by a prefix. */
  aclResourceNameCharsMax: 1024,

  /** The host in an ACL: an address with room for its zone, or a host name. */
  aclHostCharsMax: 256,

  /**
   * ACLs or filters that an agent puts into one call, by number and by characters; JSON may write one character as
   * six.
   */
  aclsPerCallMax: 1000,
  aclCharsPerCallMax: 512 * KiB,

  /** Users of a cluster that have credentials. */
  credentialsMax: 20_000,

  /** How long the old password of a credential may be accepted after a rotation: 30 days. */
  passwordOverlapSecondsMax: 30 * 86_400,

  /** The name of a user, or a client id or address that a quota is for. */
  principalNameCharsMax: 1024,

  /** Agents of one cluster. The list is sent to each of them, so that it costs their square. */
  agentsPerClusterMax: 2_000,

  /**
   * What an agent reports with a heartbeat, as JSON; usually some hundred characters. The lists in it have limits of
   * their own, and so have names, which are cut off.
   */
  agentReportCharsMax: 96 * KiB,
  reportedNameCharsMax: 128,

  /** Characters of what an agent reports to be wrong. The rest is in its log. */
  reportedProblemCharsMax: 400,
  reportedClientsMax: 20,
  reportedBucketsMax: 8,
  reportedDenialsMax: 8,
  reportedInvalidRecordsMax: 20,
  reportedMetricsMax: 20,
  reportedLoginsMax: 50,
  reportedExpiriesMax: 8,
  reportedDamagedFilesMax: 8,
  reportedDamagedPartitionsMax: 8,

  /**
   * The filter of a search for events: its text, nested parentheses, conditions, keys of a field, values of a list,
   * and a pattern of `like`. Every event of a day may be matched against all of it.
   */
  filterCharsMax: 32 * KiB,
  filterDepthMax: 32,
  filterConditionsMax: 256,
  filterPathKeysMax: 16,
  filterListValuesMax: 1000,
  filterPatternCharsMax: 1024,

  /** Problems of one filter that are reported. */
  filterProblemsMax: 20,

  /** One event as it is written. Larger ones are dropped. */
  eventBytesMax: 1 * MiB,

  /**
   * References to named secrets in one configuration, and the value of a secret. A text with references grows by the
   * values; a chain of certificates with its key has a few KiB.
   */
  secretReferencesMax: 64,
  secretBytesMax: 16 * KiB,

  /** What one query for events gives back: rows, events around one, and all of them together as JSON. */
  eventRowsMax: 100,
  eventNeighboursMax: 20,
  eventAnswerBytesMax: 8 * MiB,

  /** Series of a timeline, and the values of a field that are counted before the series are chosen. */
  eventSeriesMax: 50,
  eventGroupsMax: 5000,

  /**
   * The fields of events: events that are sampled, fields listed, distinct values of a field counted, and values
   * listed.
   */
  eventFieldSampleMax: 2000,
  eventFieldsMax: 500,
  eventFieldDistinctMax: 1000,
  eventFieldValuesMax: 10,

  /** What an answer about a table has at most: schemas, snapshots, files, kept records and headers of one of these. */
  tableSchemasShownMax: 100,
  tableSnapshotsShownMax: 100,
  tableFilesShownMax: 10_000,
  tableFailuresShownMax: 1_000,
  tableFailureHeadersMax: 50,

  /** The text of one SQL query over tables, and the rows of its result. */
  tableSqlBytesMax: 64 * KiB,
  tableSqlRowsMax: 10_000,
} as const;
