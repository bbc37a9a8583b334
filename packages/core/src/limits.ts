import { KiB, MiB } from './bytes.ts';

/**
 * Limits that are shared by packages which do not import each other. All other limits are in `limits.ts` of the package
 * that owns them.
 */
export const coreLimits = {
  /**
   * Smaller slices are copied into one buffer with their neighbours, because one `writev` entry costs more than the
   * copy.
   */
  copiedSliceBytesMax: 4 * KiB,

  /** Partitions of one topic: the highest limit of any published tier for a whole cluster. */
  partitionsPerTopicMax: 200_000,

  /** Partitions of all topics of a cluster. Each costs its leader about 200 bytes, and 450 more once it has data. */
  partitionsPerClusterMax: 200_000,

  /** A group id, a member id or a member's name. Apache Kafka allows 32,767, which no client uses. */
  groupNameCharsMax: 1024,

  /** Groups that a leader coordinates, without those that only have offsets. */
  groupsMax: 100_000,

  /**
   * Members of one group, including those with an id that have not joined yet: the highest value of
   * `group.max.size`.
   */
  groupMembersMax: 10_000,

  /** A config value that is a free-form list. */
  configTextCharsMax: 16 * KiB,

  /** Client metrics subscriptions. Every agent has all of them in memory. */
  clientMetricsMax: 1000,

  /**
   * ACLs of a cluster, and their total size. Every agent has all of them in memory; a snapshot for agents stores each
   * as a column, together with credentials and quotas at most `rpcColumnsMax`.
   */
  aclsMax: 50_000,
  aclBytesMax: 64 * MiB,

  /** The resource name in an ACL. Longer transactional ids can be matched by a prefix. */
  aclResourceNameCharsMax: 1024,

  /** The host in an ACL: an address with room for its zone, or a host name. */
  aclHostCharsMax: 256,

  /**
   * ACLs or filters that an agent sends in one call, by number and by characters; JSON may encode one character as six.
   */
  aclsPerCallMax: 1000,
  aclCharsPerCallMax: 512 * KiB,

  /** Users of a cluster with credentials. */
  credentialsMax: 20_000,

  /** The name of a user, or the client id or address of a quota. */
  principalNameCharsMax: 1024,

  /** Agents of one cluster. The list is sent to each of them, so its cost is quadratic. */
  agentsPerClusterMax: 2_000,

  /**
   * The report in an agent's heartbeat, as JSON; usually some hundred characters. The lists in it have limits of their
   * own, and names are truncated.
   */
  agentReportCharsMax: 96 * KiB,
  reportedNameCharsMax: 128,
  reportedClientsMax: 20,
  reportedBucketsMax: 8,
  reportedDenialsMax: 8,
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

  /** One event as written. Larger ones are dropped. */
  eventBytesMax: 1 * MiB,

  /** The result of one event query: rows, events around one, and the total size as JSON. */
  eventRowsMax: 100,
  eventNeighboursMax: 20,
  eventAnswerBytesMax: 8 * MiB,

  /** Series of a timeline, and the field values that are counted before the series are chosen. */
  eventSeriesMax: 50,
  eventGroupsMax: 5000,

  /** The fields of events: sampled events, listed fields, counted distinct values of a field, and listed values. */
  eventFieldSampleMax: 2000,
  eventFieldsMax: 500,
  eventFieldDistinctMax: 1000,
  eventFieldValuesMax: 10,
} as const;
