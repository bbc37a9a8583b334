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
  /** Seen in random requests only, or by chance of time, so that a run may do without it. */
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

const contradiction =
  'requests that contradict themselves: unknown isolation levels, ids with names, names that are null or empty';
const tooFar =
  'records whose time is too far from the present (`message.timestamp.after.max.ms`, `message.timestamp.before.max.ms`)';
const internalTopics = '`__consumer_offsets`, `__transaction_state`, `__share_group_state`';
const firstHeartbeats = 'what the first heartbeats of a group learn';
const emptyGroupId = 'the empty group id';
const nameless = /^a group without a name$/;
const sizesOfPartitions = 'sizes of partitions in DescribeLogDirs';
const noLogin = 'a login on a listener that needs none';
const unknownAclElements = 'rules and filters of ACLs with unknown elements';
const assignmentIntervals = 'assignment intervals of `weir local`, `weir playground` and `weir demo`';
const features = 'features `kraft.version` and `eligible.leader.replicas.version`, and the epoch of features';

/** The value of a config, and where it comes from. */
const valueAndSource = /configs\[\](?:\.value|\.configSource|\.synonyms\[\](?:\.value|\.source)?)$/;

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
    path: /^(?:topics|results\[\]\.topics|configResources)\[\]$/,
    at: /\b__(?:consumer_offsets|transaction_state|share_group_state)$/,
    weir: 'absent',
    departure: internalTopics,
  },
  {
    api: 'CreateTopics',
    path: /^topics\[\]/,
    at: /^__(?:consumer_offsets|transaction_state|share_group_state)/,
    when: /^what cannot be created$/,
    departure: internalTopics,
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
    path: valueAndSource,
    at: /\/retention\.ms(?:\/|$)/,
    departure: 'default of `retention.ms`',
  },
  {
    api: 'any',
    path: valueAndSource,
    at: /\/max\.message\.bytes(?:\/|$)/,
    departure: '`max.message.bytes`',
  },
  {
    api: 'any',
    path: valueAndSource,
    at: /\/message\.timestamp\.after\.max\.ms(?:\/|$)/,
    departure: tooFar,
  },

  // Records.
  {
    api: 'Produce',
    path: /^responses\[\]\.partitionResponses\[\]\.(?:errorCode|errorMessage|baseOffset|logStartOffset)$/,
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
    path: /^responses\[\]\.partitionResponses\[\]\.(?:errorCode|errorMessage|baseOffset|recordErrors\[\])$/,
    at: /-recent\//,
    departure: tooFar,
  },
  {
    api: 'Produce',
    path: 'responses[].partitionResponses[].logStartOffset',
    weir: '-1n',
    departure: 'the start of the log beside an error',
  },
  {
    api: 'Produce',
    path: 'responses[].partitionResponses[].recordErrors[]',
    apache: 'absent',
    at: /-small\//,
    departure: '`max.message.bytes`',
  },
  {
    api: 'Produce',
    path: 'responses[].partitionResponses[].logAppendTimeMs',
    apache: /^record time/,
    departure: 'the answer to a batch that was written before',
  },
  {
    api: 'DescribeProducers',
    path: 'topics[].partitions[].activeProducers[].lastTimestamp',
    apache: /^record time/,
    weir: 'a time',
    departure: 'DescribeProducers',
  },
  {
    api: 'DescribeProducers',
    path: 'topics[].partitions[].activeProducers[].coordinatorEpoch',
    apache: '-1',
    weir: '0',
    departure: 'DescribeProducers',
  },
  {
    api: 'DescribeProducers',
    path: 'topics[].partitions[].errorCode',
    apache: 'INVALID_TOPIC_EXCEPTION',
    weir: 'UNKNOWN_TOPIC_OR_PARTITION',
    departure: 'DescribeProducers',
  },
  {
    api: 'Fetch',
    path: 'responses[].partitions[].errorCode',
    apache: 'UNKNOWN_TOPIC_OR_PARTITION',
    weir: 'INVALID_TOPIC_EXCEPTION',
    departure: 'Fetch of a name that does not exist (before v13)',
  },
  {
    api: 'Fetch',
    path: /^responses\[\]\.partitions\[\]\./,
    when: /, as replicas do$/,
    departure: 'Fetch with the epoch of the last record that was fetched',
  },
  {
    api: 'ListOffsets',
    path: 'topics[]',
    apache: 'absent',
    when: /^offsets by time$/,
    departure: 'elements that a request names twice',
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
    api: 'Metadata',
    path: /^(?:topics\[\]\.)?errorCode$/,
    apache: 'UNKNOWN_SERVER_ERROR',
    weir: /^(?:NONE|INVALID_REQUEST|INVALID_TOPIC_EXCEPTION)$/,
    departure: contradiction,
  },
  {
    api: 'Fetch',
    path: /^(?:responses\[\]\.partitions\[\]\.)?errorCode$/,
    apache: 'UNKNOWN_SERVER_ERROR',
    weir: 'NONE',
    departure: contradiction,
  },
  {
    api: 'ListOffsets',
    path: 'topics[].partitions[].errorCode',
    apache: 'UNKNOWN_SERVER_ERROR',
    weir: 'NONE',
    when: /^offsets by time$/,
    departure: contradiction,
  },
  {
    api: 'DescribeTopicPartitions',
    path: 'topics[].errorCode',
    apache: 'UNKNOWN_SERVER_ERROR',
    weir: /^(?:NONE|INVALID_TOPIC_EXCEPTION|UNKNOWN_TOPIC_OR_PARTITION)$/,
    departure: contradiction,
  },
  {
    api: 'AlterUserScramCredentials',
    path: 'results[].errorCode',
    apache: 'UNKNOWN_SERVER_ERROR',
    weir: 'UNACCEPTABLE_CREDENTIAL',
    departure: contradiction,
  },
  {
    api: 'CreateAcls',
    path: 'results[].errorCode',
    apache: 'UNKNOWN_SERVER_ERROR',
    weir: 'INVALID_REQUEST',
    departure: contradiction,
  },
  {
    api: 'IncrementalAlterConfigs',
    path: 'responses[].errorCode',
    apache: 'UNKNOWN_SERVER_ERROR',
    weir: 'INVALID_REQUEST',
    departure: contradiction,
  },
  {
    api: 'any',
    path: /errorMessage$/i,
    apache: 'null',
    weir: 'a text',
    departure: 'texts beside error codes',
  },
  {
    api: 'any',
    path: /^topics\[\]$/,
    apache: 'absent',
    weir: /"partitions":\[\]\}$/,
    departure: 'answers about topics of which no partition is named',
    isRare: true,
  },

  {
    api: 'ElectLeaders',
    path: 'replicaElectionResults[]',
    apache: /"partitionResult":\[\]\}$/,
    weir: 'absent',
    departure: 'ElectLeaders of all partitions',
  },

  // Rights and logins.
  {
    api: 'SaslHandshake',
    path: 'errorCode',
    apache: 'ILLEGAL_SASL_STATE',
    weir: /^(?:NONE|UNSUPPORTED_SASL_MECHANISM)$/,
    departure: noLogin,
  },
  {
    api: 'SaslHandshake',
    path: 'mechanisms',
    apache: '[]',
    weir: '["PLAIN","SCRAM-SHA-512"]',
    departure: noLogin,
  },
  { api: 'SaslHandshake', path: '', apache: 'an answer', weir: 'closed', departure: noLogin },
  {
    api: 'DescribeAcls',
    path: '',
    apache: 'closed',
    weir: 'an answer',
    departure: unknownAclElements,
  },
  { api: 'CreateAcls', path: '', apache: 'closed', weir: 'an answer', departure: unknownAclElements },
  { api: 'DeleteAcls', path: '', apache: 'closed', weir: 'an answer', departure: unknownAclElements },
  {
    api: 'DescribeAcls',
    path: 'errorCode',
    apache: 'NONE',
    weir: 'INVALID_REQUEST',
    departure: unknownAclElements,
  },
  {
    api: 'DeleteAcls',
    path: 'filterResults[].errorCode',
    apache: 'NONE',
    weir: 'INVALID_REQUEST',
    departure: unknownAclElements,
    isRare: true,
  },
  {
    api: 'CreateAcls',
    path: 'results[].errorCode',
    apache: 'NONE',
    weir: 'INVALID_REQUEST',
    when: /^what is no access rule$/,
    departure: 'ACLs that match no client: a host that is no address, or a principal that is no user',
  },
  {
    api: 'DeleteAcls',
    path: 'filterResults[].matchingAcls[]',
    weir: 'absent',
    when: /^what is no access rule$/,
    departure: 'ACLs that match no client: a host that is no address, or a principal that is no user',
  },

  // The cluster.
  {
    api: 'DescribeQuorum',
    path: 'nodes[]',
    apache: 'absent',
    departure: 'DescribeQuorum',
  },
  {
    api: 'DescribeQuorum',
    path: 'nodes[].listeners[].port',
    weir: 'its port',
    departure: 'DescribeQuorum',
  },
  {
    api: 'DescribeQuorum',
    path: /\.(?:logEndOffset|highWatermark)$/,
    apache: /^\d+n$/,
    weir: /^\d+n$/,
    departure: 'DescribeQuorum',
  },
  {
    api: 'DescribeQuorum',
    path: 'topics[].partitions[].leaderEpoch',
    apache: /^\d+$/,
    weir: /^\d+$/,
    departure: 'DescribeQuorum',
  },
  {
    api: 'DescribeQuorum',
    path: 'topics[].partitions[].leaderId',
    apache: '0',
    weir: '-1',
    departure: 'DescribeQuorum',
  },
  {
    api: 'DescribeLogDirs',
    path: /totalBytes|usableBytes/,
    apache: 'some bytes',
    weir: '-1n',
    departure: 'sizes of directories in DescribeLogDirs',
  },
  {
    api: 'DescribeLogDirs',
    path: 'results[].topics[].partitions[].partitionSize',
    when: /, sizes (?:after deletions|with markers)$/,
    departure: sizesOfPartitions,
  },
  {
    api: 'IncrementalAlterConfigs',
    path: 'responses[].errorCode',
    apache: 'INVALID_REQUEST',
    weir: 'NONE',
    at: /^4 /,
    when: /^configs of groups, brokers and client metrics are changed$/,
    departure: 'numbers of threads of brokers',
  },
  {
    api: 'IncrementalAlterConfigs',
    path: 'responses[].errorMessage',
    weir: 'null',
    at: /^4 /,
    when: /^configs of groups, brokers and client metrics are changed$/,
    departure: 'numbers of threads of brokers',
  },
  {
    api: 'DescribeConfigs',
    path: valueAndSource,
    at: /\/(?:consumer|share)\.assignment\.interval\.ms(?:\/|$)/,
    departure: assignmentIntervals,
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
    path: valueAndSource,
    at: /\/message\.max\.bytes(?:\/|$)/,
    departure: '`max.message.bytes`',
  },
  {
    api: 'DescribeConfigs',
    path: 'results[].configs[].readOnly',
    apache: 'true',
    weir: 'false',
    at: /\/(?:auto\.create\.topics\.enable|num\.partitions)$/,
    departure: 'configs of brokers that can change while they run',
  },
  {
    api: 'ApiVersions',
    path: /^(?:finalized|supported)Features\[\]$/,
    at: /^(?:kraft|eligible\.leader\.replicas)\.version$/,
    weir: 'absent',
    departure: features,
  },
  { api: 'ApiVersions', path: 'finalizedFeaturesEpoch', weir: '1n', departure: features },

  { api: 'AlterClientQuotas', path: 'entries[]', departure: 'entities of quotas that name a type twice' },
  {
    api: 'AddRaftVoter',
    path: 'errorCode',
    apache: 'INVALID_REQUEST',
    weir: 'UNSUPPORTED_VERSION',
    departure: 'changes of voters (AddRaftVoter, RemoveRaftVoter)',
  },
  {
    api: 'RemoveRaftVoter',
    path: 'errorCode',
    apache: 'INVALID_REQUEST',
    weir: 'UNSUPPORTED_VERSION',
    departure: 'changes of voters (AddRaftVoter, RemoveRaftVoter)',
  },
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
    api: 'ListTransactions',
    path: 'transactionStates[]',
    apache: /"transactionState":"Empty"\}$/,
    weir: 'absent',
    departure: 'ListTransactions of those that last longer than a time',
    isRare: true,
  },
  {
    api: 'DescribeProducers',
    path: /activeProducers\[\]\.(?:producerEpoch|lastSequence)$/,
    when: /transaction$/,
    departure: 'DescribeProducers',
  },
  {
    api: 'Fetch',
    path: 'responses[].partitions[].records',
    when: /^markers of transactions$/,
    departure: '`Admin.abortTransaction` and `kafka-transactions abort` (WriteTxnMarkers)',
  },
  {
    api: 'TxnOffsetCommit',
    path: 'topics[].partitions[].errorCode',
    apache: 'INVALID_PRODUCER_ID_MAPPING',
    weir: /^(?:ILLEGAL_GENERATION|UNKNOWN_MEMBER_ID)$/,
    departure: 'TxnOffsetCommit with several mistakes',
    isRare: true,
  },

  // Groups.
  {
    api: 'OffsetCommit',
    path: 'topics[].partitions[].errorCode',
    apache: 'NONE',
    weir: 'INVALID_GROUP_ID',
    when: nameless,
    departure: emptyGroupId,
  },
  {
    api: 'OffsetFetch',
    path: 'groups[].topics[].partitions[].committedOffset',
    apache: '3n',
    weir: '-1n',
    when: nameless,
    departure: emptyGroupId,
  },
  {
    api: 'DescribeGroups',
    path: /^groups\[\]\.(?:groupState|errorCode)$/,
    apache: /^(?:Empty|NONE)$/,
    weir: /^(?:Dead|GROUP_ID_NOT_FOUND)$/,
    when: nameless,
    departure: emptyGroupId,
  },
  {
    api: 'DeleteGroups',
    path: 'results[].errorCode',
    apache: 'NONE',
    weir: 'GROUP_ID_NOT_FOUND',
    when: nameless,
    departure: emptyGroupId,
  },
  {
    api: 'OffsetCommit',
    path: 'topics[].partitions[].errorCode',
    apache: 'UNSUPPORTED_VERSION',
    weir: 'NONE',
    when: /^the life of a consumer group$/,
    departure: 'OffsetCommit before v9 by members of consumer groups',
  },
  {
    api: 'OffsetFetch',
    path: /^groups\[\]\.topics\[\]\.partitions\[\]\.(?:committedOffset|metadata)$/,
    apache: /^(?:-1n)?$/,
    weir: /^(?:3n|a note)$/,
    when: /^the life of a consumer group$/,
    departure: 'OffsetCommit before v9 by members of consumer groups',
  },
  {
    api: 'any',
    path: /(?:memberEpoch|groupEpoch|assignmentEpoch)$/,
    apache: /^[1-9]\d*$/,
    weir: /^\d+$/,
    departure: 'epochs of consumer, share and streams groups',
  },
  {
    api: 'StreamsGroupDescribe',
    path: 'groups[].groupState',
    apache: 'NotReady',
    weir: 'Assigning',
    departure: firstHeartbeats,
  },
  {
    api: 'ListGroups',
    path: 'groups[].groupState',
    apache: 'NotReady',
    weir: 'Assigning',
    when: /^the life of a streams group$/,
    departure: firstHeartbeats,
  },
  {
    api: 'ConsumerGroupHeartbeat',
    path: 'assignment.topicPartitions[]',
    apache: 'absent',
    when: /^a consumer group subscribes by pattern$|^random/,
    departure: firstHeartbeats,
  },
  {
    // A second assignment waits until the first is old enough.
    api: 'ConsumerGroupHeartbeat',
    path: 'assignment.topicPartitions[]',
    apache: 'absent',
    when: /^static members of a consumer group$/,
    departure: assignmentIntervals,
    isRare: true,
  },
  {
    api: 'ShareGroupHeartbeat',
    path: 'assignment.topicPartitions[]',
    apache: 'absent',
    departure: firstHeartbeats,
  },
  {
    api: 'ShareGroupDescribe',
    path: 'groups[].members[].assignment.topicPartitions[]',
    apache: 'absent',
    departure: firstHeartbeats,
  },
  {
    api: 'StreamsGroupDescribe',
    path: 'groups[].topology.subtopologies[].stateChangelogTopics[].partitions',
    apache: '0',
    departure: 'missing internal topics of streams groups',
  },
  {
    api: 'StreamsGroupHeartbeat',
    path: 'status[]',
    // Internal topics are missing.
    at: /^3$/,
    weir: 'absent',
    departure: 'missing internal topics of streams groups',
  },
  {
    api: 'ShareFetch',
    path: 'responses[].partitions[].acquiredRecords[].lastOffset',
    apache: '3n',
    weir: '1n',
    departure: 'records that ShareFetch acquires',
  },
  {
    // It has acquired all of the batch before.
    api: 'ShareFetch',
    path: 'responses[]',
    apache: 'absent',
    when: /^the life of a share group$/,
    departure: 'records that ShareFetch acquires',
  },
  {
    api: 'DescribeShareGroupOffsets',
    path: 'groups[].topics[].partitions[].startOffset',
    apache: '0n',
    weir: '1n',
    departure: 'start offsets of share groups',
  },
  {
    api: 'any',
    path: /^responses\[\]\.partitions\[\]\.currentLeader\.leader(?:Id|Epoch)$/,
    apache: '0',
    weir: '-1',
    when: /share group$/,
    departure: 'answers of ShareFetch and ShareAcknowledge: the leader, and the time of locks',
  },
  {
    api: 'ShareAcknowledge',
    path: 'acquisitionLockTimeoutMs',
    apache: '30000',
    weir: '0',
    departure: 'answers of ShareFetch and ShareAcknowledge: the leader, and the time of locks',
  },
];
