import type { ApiName } from '@weir/wire';
import type { Subject } from '../compatibility/departures.ts';
import type { Difference } from './differences.ts';

/**
 * Differences between answers of Apache Kafka and of Weir that are meant. Each row names the departure that explains
 * it, whose reason is in departures.ts and on docs/reference/compatibility.md. A row that no answer needed any more
 * fails the run, because it could hide a new difference.
 */
export interface AllowedDifference {
  readonly api: ApiName | 'any';
  /** The field; `[]` and below are meant by the list. */
  readonly path: string | RegExp;
  readonly apache?: string | RegExp;
  readonly weir?: string | RegExp;
  /** Elements of lists, as in `retention.ms`. */
  readonly at?: RegExp;
  /** Dialogues, by their names, if not all. */
  readonly when?: RegExp;
  readonly departure: Subject;
  /** Seen in random requests only, so that a run may do without it. */
  readonly isRare?: true;
}

export function isAllowed(
  row: AllowedDifference,
  api: string,
  dialogue: string,
  difference: Difference,
): boolean {
  return (
    (row.api === 'any' || row.api === api) &&
    fits(row.path, difference.path) &&
    (row.apache === undefined || fits(row.apache, difference.apache)) &&
    (row.weir === undefined || fits(row.weir, difference.weir)) &&
    (row.at === undefined || row.at.test(difference.at)) &&
    (row.when === undefined || row.when.test(dialogue))
  );
}

function fits(pattern: string | RegExp, text: string): boolean {
  return typeof pattern === 'string' ? pattern === text : pattern.test(text);
}

export const allowedDifferences: readonly AllowedDifference[] = [
  {
    api: 'any',
    path: /rack$/,
    apache: 'null',
    weir: 'service-fake-rack',
    departure: 'rack of brokers in Metadata',
  },
  // What only one of them has.
  {
    api: 'any',
    path: /^(?:topics|configResources)\[\]/,
    at: /\b__(?:consumer_offsets|transaction_state|share_group_state)\b/,
    departure: '`__consumer_offsets`, `__transaction_state`, `__share_group_state`',
  },
  {
    api: 'ApiVersions',
    path: 'apiKeys[]',
    at: /^8[3-7]$/,
    weir: 'absent',
    departure:
      'requests of brokers to each other that Apache Kafka offers to clients (83 to 87, share group state)',
  },

  // Topics.
  {
    api: 'CreateTopics',
    path: 'topics[].topicId',
    apache: 'an id',
    weir: 'none',
    departure: 'the id of a topic that CreateTopics only validates',
  },
  {
    api: 'CreateTopics',
    path: 'topics[].replicationFactor',
    apache: '1',
    weir: '3',
    departure: 'default replication factor',
  },
  {
    api: 'any',
    path: /configs\[\]$/,
    apache: 'absent',
    at: /\/service\.[\w.]+$/,
    departure: 'configs of topics that begin with `service.`',
  },
  {
    api: 'any',
    path: /configs\[\]\.(?:configSource|synonyms\[\].*)$/,
    at: /\/min\.insync\.replicas(?:\/|$)/,
    departure: '`min.insync.replicas` in descriptions',
  },
  {
    api: 'any',
    path: /configs\[\]\./,
    at: /\/retention\.ms(?:\/|$)/,
    departure: 'default of `retention.ms`',
  },
  {
    api: 'any',
    path: /configs\[\]\./,
    at: /\/max\.message\.bytes(?:\/|$)/,
    departure: '`max.message.bytes`',
  },
  {
    api: 'any',
    path: /configs\[\]\./,
    at: /\/message\.timestamp\.after\.max\.ms(?:\/|$)/,
    departure:
      'records whose time is too far from the present (`message.timestamp.after.max.ms`, `message.timestamp.before.max.ms`)',
  },

  {
    api: 'DescribeTopicPartitions',
    path: /^topics/,
    when: /^topics are described page after page$/,
    departure: 'cursors of DescribeTopicPartitions that no page has returned',
  },

  // Records.
  {
    api: 'Produce',
    path: /^responses/,
    when: /, bytes behind the batch$/,
    departure: 'bytes behind the batch of a partition',
  },
  {
    api: 'Fetch',
    path: /highWatermark|lastStableOffset|records/,
    when: /^what cannot be written/,
    departure: 'bytes behind the batch of a partition',
  },
  {
    api: 'Produce',
    path: /^responses/,
    at: /-recent\//,
    departure:
      'records whose time is too far from the present (`message.timestamp.after.max.ms`, `message.timestamp.before.max.ms`)',
  },
  {
    api: 'Produce',
    path: /logStartOffset$/,
    weir: '-1n',
    departure: 'the start of the log beside an error',
  },
  { api: 'Produce', path: /recordErrors/, at: /-small\//, departure: '`max.message.bytes`' },
  {
    api: 'Produce',
    path: 'responses[].partitionResponses[].logAppendTimeMs',
    apache: /^record time/,
    departure: 'the answer to a batch that was written before',
  },
  { api: 'DescribeProducers', path: /lastTimestamp|coordinatorEpoch/, departure: 'DescribeProducers' },
  {
    api: 'DescribeProducers',
    path: /errorCode/,
    apache: 'INVALID_TOPIC_EXCEPTION',
    weir: 'UNKNOWN_TOPIC_OR_PARTITION',
    departure: 'DescribeProducers',
  },
  {
    api: 'Fetch',
    path: 'responses[].partitions[].abortedTransactions',
    apache: '[]',
    weir: 'null',
    departure: 'aborted transactions beside an error',
  },
  {
    api: 'Fetch',
    path: 'responses[].partitions[].errorCode',
    apache: 'UNKNOWN_TOPIC_OR_PARTITION',
    weir: 'INVALID_TOPIC_EXCEPTION',
    departure: 'Fetch of a name that does not exist (before v13)',
  },
  {
    api: 'ListOffsets',
    path: 'topics[]',
    apache: 'absent',
    departure: 'partitions that ListOffsets names twice',
  },

  // Requests that no client sends.
  {
    api: 'ApiVersions',
    path: 'apiKeys[]',
    apache: 'absent',
    when: /of a version below zero$/,
    departure: 'ApiVersions in a version that is not served',
  },
  {
    api: 'ApiVersions',
    path: '',
    apache: 'closed',
    when: /of a version that no server has$/,
    departure: 'ApiVersions in a version that is not served',
  },
  {
    api: 'any',
    path: /errorCode$/,
    apache: 'UNKNOWN_SERVER_ERROR',
    departure:
      'requests that contradict themselves: unknown isolation levels, ids with names, names that are null or empty',
  },
  {
    api: 'Metadata',
    path: /^(?:brokers|clusterId|controllerId|topics\[\]\.name)/,
    when: /^metadata of topics/,
    departure:
      'requests that contradict themselves: unknown isolation levels, ids with names, names that are null or empty',
  },
  {
    api: 'Fetch',
    path: /highWatermark|lastStableOffset|records|logStartOffset/,
    apache: /^(?:-1n|\[\])$/,
    when: /^records are read$/,
    departure:
      'requests that contradict themselves: unknown isolation levels, ids with names, names that are null or empty',
  },
  {
    api: 'ListOffsets',
    path: /offset$|leaderEpoch$/,
    apache: /^-1n?$/,
    when: /^offsets by time$/,
    departure:
      'requests that contradict themselves: unknown isolation levels, ids with names, names that are null or empty',
  },
  {
    api: 'any',
    path: /errorMessage$/i,
    apache: 'null',
    weir: 'a text',
    departure: 'texts beside error codes',
  },

  // Rights and logins.
  { api: 'SaslHandshake', path: /^/, departure: 'a login on a listener that needs none' },
  { api: 'SaslAuthenticate', path: /^/, departure: 'a login on a listener that needs none' },
  {
    api: 'any',
    path: /^(?:errorCode)?$/,
    apache: /^(?:closed|NONE)$/,
    weir: /^(?:an answer|INVALID_REQUEST)$/,
    when: /access rule|^a (?:plain|damaged) request/,
    departure: 'rules and filters of ACLs with unknown elements',
  },
  {
    api: 'any',
    path: /^results\[\]\.errorCode$|^filterResults\[\]\.matchingAcls\[\]/,
    when: /^what is no access rule$/,
    departure: 'ACLs that match no client: a host that is no address, or a principal that is no user',
  },
  {
    api: 'AlterUserScramCredentials',
    path: 'results[].errorCode',
    apache: 'UNACCEPTABLE_CREDENTIAL',
    weir: 'RESOURCE_NOT_FOUND',
    departure: 'removing the credential of a user without a name',
  },

  // The cluster.
  { api: 'DescribeQuorum', path: /^/, departure: 'DescribeQuorum' },
  {
    api: 'DescribeLogDirs',
    path: /totalBytes|usableBytes/,
    apache: 'some bytes',
    weir: '-1n',
    departure: 'sizes of directories in DescribeLogDirs',
  },
  {
    api: 'any',
    path: 'responses[].errorCode',
    apache: 'INVALID_REQUEST',
    weir: /^(?:UNKNOWN_TOPIC_OR_PARTITION|INVALID_CONFIG|NONE)$/,
    when: /^configs of/,
    departure: 'errors of configs',
  },
  {
    api: 'IncrementalAlterConfigs',
    path: 'responses[].errorMessage',
    weir: 'null',
    at: /^4 /,
    departure: 'errors of configs',
  },
  {
    api: 'DescribeConfigs',
    path: /configs\[\]/,
    at: /\/(?:consumer|share)\.assignment\.interval\.ms(?:\/|$)/,
    departure: 'assignment intervals of `weir local`, `weir playground` and `weir demo`',
  },
  {
    api: 'DescribeConfigs',
    path: 'results[].configs[].synonyms[]',
    apache: 'absent',
    departure: 'synonyms of configs',
  },
  {
    api: 'DescribeConfigs',
    path: 'results[].configs[].value',
    apache: 'null',
    at: /\/log\.retention\.ms$/,
    departure: 'synonyms of configs',
  },
  {
    api: 'DescribeConfigs',
    path: 'results[].configs[]',
    apache: 'absent',
    at: /^4 \//,
    departure: 'DescribeConfigs of all brokers (an empty name)',
  },
  {
    api: 'DescribeConfigs',
    path: /configs\[\]\./,
    at: /\/message\.max\.bytes(?:\/|$)/,
    departure: '`max.message.bytes`',
  },
  {
    api: 'DescribeConfigs',
    path: 'results[].configs[].readOnly',
    at: /\/auto\.create\.topics\.enable$/,
    departure: 'configs of brokers that can change while they run',
  },
  {
    api: 'ApiVersions',
    path: /^(?:finalized|supported)Features/,
    departure: 'features `kraft.version` and `eligible.leader.replicas.version`, and the epoch of features',
  },

  { api: 'AlterClientQuotas', path: 'entries[]', departure: 'entities of quotas that name a type twice' },
  { api: 'UpdateFeatures', path: /^/, weir: /NONE|null/, departure: 'UpdateFeatures to the present level' },
  {
    api: 'any',
    path: 'errorCode',
    apache: 'INVALID_REQUEST',
    weir: 'UNSUPPORTED_VERSION',
    when: /voter/,
    departure: 'changes of voters (AddRaftVoter, RemoveRaftVoter)',
  },
  { api: 'DescribeCluster', path: /endpointType|clusterId/, departure: 'DescribeCluster of controllers' },
  {
    api: 'AlterPartitionReassignments',
    path: 'responses[].partitions[].errorCode',
    apache: 'INVALID_REPLICA_ASSIGNMENT',
    weir: 'POLICY_VIOLATION',
    departure: 'moving replicas (AlterPartitionReassignments)',
  },

  // Transactions.
  {
    api: 'DescribeTransactions',
    path: 'transactionStates[].transactionStartTimeMs',
    apache: 'a time',
    weir: '-1n',
    departure: 'DescribeTransactions of a transaction that ended',
  },
  {
    api: 'DescribeProducers',
    path: /producerEpoch|lastSequence/,
    when: /transaction$/,
    departure: 'DescribeProducers',
  },
  {
    api: 'TxnOffsetCommit',
    path: 'topics[].partitions[].errorCode',
    apache: 'UNKNOWN_MEMBER_ID',
    weir: 'ILLEGAL_GENERATION',
    departure: 'TxnOffsetCommit by a member of a group that only has offsets',
  },

  // Groups.
  { api: 'any', path: /errorCode$/, weir: 'INVALID_GROUP_ID', departure: 'the empty group id' },
  {
    api: 'DescribeGroups',
    path: /errorMessage|groupState/,
    at: /^$/,
    departure: 'the empty group id',
  },
  {
    api: 'OffsetFetch',
    path: 'groups[].topics[]',
    at: /^\//,
    weir: 'absent',
    departure: 'the empty group id',
  },
  {
    api: 'any',
    path: /(?:memberEpoch|groupEpoch|assignmentEpoch)$/,
    departure: 'epochs of consumer, share and streams groups',
  },
  {
    api: 'any',
    path: /groupState$|subscribedTopicRegex$/,
    apache: '',
    weir: /^(?:Dead|null)$/,
    departure: 'descriptions of groups: what is not set, groups that do not exist',
  },
  {
    api: 'any',
    path: /groupState$/,
    apache: 'NotReady',
    weir: 'Assigning',
    departure: 'what the first heartbeats of a group learn',
  },
  {
    api: 'any',
    path: /topicPartitions\[\]$/,
    apache: 'absent',
    departure: 'what the first heartbeats of a group learn',
  },
  {
    api: 'StreamsGroupDescribe',
    path: /stateChangelogTopics\[\]\.partitions$/,
    apache: '0',
    departure: 'missing internal topics of streams groups',
  },
  {
    api: 'StreamsGroupHeartbeat',
    path: 'status[]',
    weir: 'absent',
    when: /processId/,
    departure: 'heartbeats of streams groups that Apache Kafka 4.3 does not check',
  },
  {
    api: 'ShareFetch',
    path: 'responses[].partitions[].acquiredRecords[].lastOffset',
    departure: 'records that ShareFetch acquires',
  },
  {
    api: 'any',
    path: /currentLeader\.leader(?:Id|Epoch)$|acquisitionLockTimeoutMs$/,
    when: /share group$/,
    departure: 'answers of ShareFetch and ShareAcknowledge to an error',
  },
];
