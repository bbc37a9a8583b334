/**
 * The error codes of the Kafka protocol (4.3), one row each: the code, whether a retry of the same request may succeed,
 * and the default message for the caller.
 *
 * Clients act on the code alone, so codes and retriability are Apache's (`tests/interop/apache` compares this table
 * with its enum); the messages are ours. Some codes are about mechanisms that Weir does not have. They are here so that
 * the table has no gaps, and because a tool that prints a code needs a name for it.
 */
const rows = {
  UNKNOWN_SERVER_ERROR: final(-1, 'The server failed in a way that has no code; its log says more.'),
  NONE: final(0, 'No error.'),
  OFFSET_OUT_OF_RANGE: final(1, 'The offset is deleted already or not yet written.'),
  CORRUPT_MESSAGE: retriable(2, 'The record batch is damaged: its checksum or its structure is wrong.'),
  UNKNOWN_TOPIC_OR_PARTITION: retriable(3, 'No such topic or partition, or none that you may see.'),
  INVALID_FETCH_SIZE: final(4, 'The number of bytes to fetch makes no sense.'),
  LEADER_NOT_AVAILABLE: retriable(5, 'The partition has no leader at the moment; refresh the metadata.'),
  NOT_LEADER_OR_FOLLOWER: retriable(6, 'Another broker serves this partition; refresh the metadata.'),
  REQUEST_TIMED_OUT: retriable(7, 'The work was not finished in the time allowed and may still happen.'),
  BROKER_NOT_AVAILABLE: final(8, 'The broker cannot be reached.'),
  REPLICA_NOT_AVAILABLE: retriable(9, 'This broker has no copy of the partition to read from.'),
  MESSAGE_TOO_LARGE: final(10, 'A record batch exceeds max.message.bytes; send smaller batches.'),
  STALE_CONTROLLER_EPOCH: final(11, 'The sender speaks for a controller that has been replaced.'),
  OFFSET_METADATA_TOO_LARGE: final(12, 'The text stored beside the committed offset is too long.'),
  NETWORK_EXCEPTION: retriable(13, 'The connection broke before the response arrived.'),
  COORDINATOR_LOAD_IN_PROGRESS: retriable(14, 'The coordinator is still reading its state; wait a moment.'),
  COORDINATOR_NOT_AVAILABLE: retriable(15, 'No coordinator is ready for this key; look it up again.'),
  NOT_COORDINATOR: retriable(16, 'Another broker coordinates this key; look it up again.'),
  INVALID_TOPIC_EXCEPTION: final(17, 'The topic name is not allowed, or the topic does not permit this.'),
  RECORD_LIST_TOO_LARGE: final(18, 'The batch does not fit into one segment; send smaller batches.'),
  NOT_ENOUGH_REPLICAS: retriable(19, 'Too few replicas are in sync, so nothing was written.'),
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: retriable(20, 'Written, but on too few replicas.'),
  INVALID_REQUIRED_ACKS: final(21, 'acks must be -1, 0 or 1.'),
  ILLEGAL_GENERATION: final(22, 'The group has moved on to another generation; join again.'),
  INCONSISTENT_GROUP_PROTOCOL: final(23, 'The member shares no protocol with the rest of its group.'),
  INVALID_GROUP_ID: final(24, 'The group id is empty or not allowed.'),
  UNKNOWN_MEMBER_ID: final(25, 'The member is not in the group: it was removed or never joined.'),
  INVALID_SESSION_TIMEOUT: final(26, 'The session timeout is shorter or longer than the server allows.'),
  REBALANCE_IN_PROGRESS: final(27, 'Partitions are being dealt out anew; join the group again.'),
  INVALID_COMMIT_OFFSET_SIZE: final(28, 'The committed offset is too large to be stored.'),
  TOPIC_AUTHORIZATION_FAILED: final(29, 'No permission to do this with the topic.'),
  GROUP_AUTHORIZATION_FAILED: final(30, 'No permission to do this with the group.'),
  CLUSTER_AUTHORIZATION_FAILED: final(31, 'No permission to do this with the cluster.'),
  INVALID_TIMESTAMP: final(32, 'A record carries a time too far from the present for this topic.'),
  UNSUPPORTED_SASL_MECHANISM: final(
    33,
    'The SASL mechanism is not enabled; the response lists those that are.',
  ),
  ILLEGAL_SASL_STATE: final(34, 'This request does not belong at this point of authentication.'),
  UNSUPPORTED_VERSION: final(35, 'The server does not speak this version of the API.'),
  TOPIC_ALREADY_EXISTS: final(36, 'A topic of this name exists already.'),
  INVALID_PARTITIONS: final(37, 'The number of partitions is not acceptable.'),
  INVALID_REPLICATION_FACTOR: final(38, 'The replication factor cannot be met.'),
  INVALID_REPLICA_ASSIGNMENT: final(39, 'The list of replicas is wrong or incomplete.'),
  INVALID_CONFIG: final(40, 'A setting has an unknown name or a value that is not allowed.'),
  NOT_CONTROLLER: retriable(41, 'Another broker is the controller; refresh the metadata.'),
  INVALID_REQUEST: final(42, 'The request contradicts itself or the rules of its API.'),
  UNSUPPORTED_FOR_MESSAGE_FORMAT: final(43, 'The stored record format cannot do this.'),
  POLICY_VIOLATION: final(44, 'A policy of this cluster forbids it.'),
  OUT_OF_ORDER_SEQUENCE_NUMBER: final(45, 'A batch of this producer is missing before this one.'),
  DUPLICATE_SEQUENCE_NUMBER: final(46, 'A batch with this sequence number was accepted before.'),
  INVALID_PRODUCER_EPOCH: final(47, 'A newer instance of this producer has taken over.'),
  INVALID_TXN_STATE: final(48, 'The transaction is not in a state that permits this step.'),
  INVALID_PRODUCER_ID_MAPPING: final(49, 'The transactional id belongs to another producer id.'),
  INVALID_TRANSACTION_TIMEOUT: final(50, 'The transaction timeout exceeds the limit of the server.'),
  CONCURRENT_TRANSACTIONS: retriable(51, 'The previous step of this transaction is not finished yet.'),
  TRANSACTION_COORDINATOR_FENCED: final(52, 'The marker comes from a coordinator that has been replaced.'),
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: final(53, 'No permission to use this transactional id.'),
  SECURITY_DISABLED: final(54, 'ACLs are disabled on this cluster.'),
  OPERATION_NOT_ATTEMPTED: final(55, 'Not attempted because another part of the request failed.'),
  KAFKA_STORAGE_ERROR: retriable(56, 'Storage could not be read or written.'),
  LOG_DIR_NOT_FOUND: final(57, 'The log directory does not exist on this broker.'),
  SASL_AUTHENTICATION_FAILED: final(58, 'The credentials were not accepted.'),
  UNKNOWN_PRODUCER_ID: final(59, 'The producer id is no longer known; request a new one.'),
  REASSIGNMENT_IN_PROGRESS: final(60, 'Partitions are being moved already.'),
  DELEGATION_TOKEN_AUTH_DISABLED: final(61, 'Delegation tokens are disabled on this cluster.'),
  DELEGATION_TOKEN_NOT_FOUND: final(62, 'The delegation token does not exist.'),
  DELEGATION_TOKEN_OWNER_MISMATCH: final(63, 'Only the owner or a renewer of the token may do this.'),
  DELEGATION_TOKEN_REQUEST_NOT_ALLOWED: final(64, 'This connection may not manage tokens.'),
  DELEGATION_TOKEN_AUTHORIZATION_FAILED: final(65, 'No permission to do this with the delegation token.'),
  DELEGATION_TOKEN_EXPIRED: final(66, 'The delegation token has expired.'),
  INVALID_PRINCIPAL_TYPE: final(67, 'The principal type is not supported.'),
  NON_EMPTY_GROUP: final(68, 'The group still has members; stop them first.'),
  GROUP_ID_NOT_FOUND: final(69, 'The group does not exist.'),
  FETCH_SESSION_ID_NOT_FOUND: retriable(70, 'The fetch session is gone; open a new one.'),
  INVALID_FETCH_SESSION_EPOCH: retriable(71, 'The fetch session is at another step; open a new one.'),
  LISTENER_NOT_FOUND: retriable(72, 'The leader has no endpoint on the listener of this connection.'),
  TOPIC_DELETION_DISABLED: final(73, 'Topics may not be deleted on this cluster.'),
  FENCED_LEADER_EPOCH: retriable(74, 'Your leader epoch is out of date; refresh the metadata.'),
  UNKNOWN_LEADER_EPOCH: retriable(75, 'Your leader epoch is ahead of this broker; try again shortly.'),
  UNSUPPORTED_COMPRESSION_TYPE: final(76, 'This API version cannot carry the compression used.'),
  STALE_BROKER_EPOCH: final(77, 'The broker has registered again since this was sent.'),
  OFFSET_NOT_AVAILABLE: retriable(78, 'A new leader does not know the end of the partition yet.'),
  MEMBER_ID_REQUIRED: final(79, 'Rejoin with the member id of this response.'),
  PREFERRED_LEADER_NOT_AVAILABLE: retriable(80, 'The first replica is down and cannot lead.'),
  GROUP_MAX_SIZE_REACHED: final(81, 'The group has reached its maximum size.'),
  FENCED_INSTANCE_ID: final(82, 'Another member has taken over this group.instance.id.'),
  ELIGIBLE_LEADERS_NOT_AVAILABLE: retriable(83, 'No replica that could lead is up.'),
  ELECTION_NOT_NEEDED: retriable(84, 'The partition has the right leader already.'),
  NO_REASSIGNMENT_IN_PROGRESS: final(85, 'No partition reassignment is in progress.'),
  GROUP_SUBSCRIBED_TO_TOPIC: final(86, 'The group still reads this topic, so its offsets must stay.'),
  INVALID_RECORD: final(87, 'A record breaks the rules of its topic.'),
  UNSTABLE_OFFSET_COMMIT: retriable(88, 'An open transaction holds these offsets; retry later.'),
  THROTTLING_QUOTA_EXCEEDED: retriable(
    89,
    'The quota is exceeded; wait for the throttle time of the response.',
  ),
  PRODUCER_FENCED: final(90, 'Another producer has taken over this transactional id.'),
  RESOURCE_NOT_FOUND: final(91, 'What the request refers to does not exist.'),
  DUPLICATE_RESOURCE: final(92, 'The request names the same resource twice.'),
  UNACCEPTABLE_CREDENTIAL: final(93, 'The credential is too weak or malformed.'),
  INCONSISTENT_VOTER_SET: final(94, 'Sender and receiver disagree on who the voters are.'),
  INVALID_UPDATE_VERSION: final(95, 'The feature cannot be set to this version.'),
  FEATURE_UPDATE_FAILED: final(96, 'The feature could not be changed; the log of the server says why.'),
  PRINCIPAL_DESERIALIZATION_FAILURE: final(97, 'The principal of a forwarded request is unreadable.'),
  SNAPSHOT_NOT_FOUND: final(98, 'The snapshot does not exist.'),
  POSITION_OUT_OF_RANGE: final(99, 'The position lies outside the snapshot.'),
  UNKNOWN_TOPIC_ID: retriable(100, 'No topic here has this id; refresh the metadata.'),
  DUPLICATE_BROKER_REGISTRATION: final(101, 'Another live broker has this id.'),
  BROKER_ID_NOT_REGISTERED: final(102, 'No broker has registered under this id.'),
  INCONSISTENT_TOPIC_ID: retriable(103, 'The topic id has changed: the topic was deleted and created again.'),
  INCONSISTENT_CLUSTER_ID: final(104, 'The request is meant for another cluster.'),
  TRANSACTIONAL_ID_NOT_FOUND: final(105, 'The transactional id does not exist.'),
  FETCH_SESSION_TOPIC_ID_ERROR: retriable(106, 'The fetch session mixes names and ids; open a new one.'),
  INELIGIBLE_REPLICA: final(107, 'One of the replicas may not join the in-sync set.'),
  NEW_LEADER_ELECTED: final(108, 'The change was made, and the partition has a new leader since.'),
  OFFSET_MOVED_TO_TIERED_STORAGE: final(109, 'The offset now lies in remote storage only.'),
  FENCED_MEMBER_EPOCH: final(110, 'The member epoch is fenced; give up all partitions and rejoin.'),
  UNRELEASED_INSTANCE_ID: final(111, 'A member that has not left yet holds this group.instance.id.'),
  UNSUPPORTED_ASSIGNOR: final(112, 'The server does not support this assignor.'),
  STALE_MEMBER_EPOCH: final(113, 'The member epoch is out of date; send it again after the next heartbeat.'),
  MISMATCHED_ENDPOINT_TYPE: final(114, 'A broker was asked for a controller, or the reverse.'),
  UNSUPPORTED_ENDPOINT_TYPE: final(115, 'This kind of endpoint is not served.'),
  UNKNOWN_CONTROLLER_ID: final(116, 'No controller has this id.'),
  UNKNOWN_SUBSCRIPTION_ID: final(117, 'The telemetry subscription has changed; fetch it anew.'),
  TELEMETRY_TOO_LARGE: final(118, 'The metrics exceed the size that the subscription allows.'),
  INVALID_REGISTRATION: final(119, 'The registration of the broker was refused.'),
  TRANSACTION_ABORTABLE: final(120, 'The transaction cannot commit; abort it and go on with a new one.'),
  INVALID_RECORD_STATE: final(121, 'The record is not held by this consumer, so it cannot be acknowledged.'),
  SHARE_SESSION_NOT_FOUND: retriable(122, 'The share session is gone; open a new one.'),
  INVALID_SHARE_SESSION_EPOCH: retriable(123, 'The share session is at another step; open a new one.'),
  FENCED_STATE_EPOCH: final(124, 'The state of the share group belongs to a newer owner.'),
  INVALID_VOTER_KEY: final(125, 'The voter key is that of another replica.'),
  DUPLICATE_VOTER: final(126, 'The replica has a vote already.'),
  VOTER_NOT_FOUND: final(127, 'The replica has no vote.'),
  INVALID_REGULAR_EXPRESSION: final(128, 'The subscription pattern is not a valid regular expression.'),
  REBOOTSTRAP_REQUIRED: final(129, 'The client must start over from its bootstrap addresses.'),
  STREAMS_INVALID_TOPOLOGY: final(130, 'The topology of the streams application is not acceptable.'),
  STREAMS_INVALID_TOPOLOGY_EPOCH: final(131, 'The topology epoch is not one the group can take.'),
  STREAMS_TOPOLOGY_FENCED: final(132, 'The group runs a newer topology; restart with it.'),
  SHARE_SESSION_LIMIT_REACHED: retriable(133, 'The server holds as many share sessions as it allows.'),
} as const satisfies Readonly<Record<string, Row>>;

interface Row<Code extends number = number> {
  readonly code: Code;
  readonly retriable: boolean;
  readonly message: string;
}

/** The same request may succeed later, or after the client has refreshed its metadata. */
function retriable<Code extends number>(code: Code, message: string): Row<Code> {
  return { code, retriable: true, message };
}

/** Retrying the same request is pointless. */
function final<Code extends number>(code: Code, message: string): Row<Code> {
  return { code, retriable: false, message };
}

export type ErrorName = keyof typeof rows;
export type ErrorCode = (typeof rows)[ErrorName]['code'];

export interface KafkaError<Name extends ErrorName = ErrorName> {
  readonly name: Name;
  readonly code: (typeof rows)[Name]['code'];
  readonly retriable: boolean;
  /** For users, in the `errorMessage` of responses that have one. Use a more specific message where possible. */
  readonly message: string;
}

/** `errors.NONE.code`. */
export const errors: { readonly [Name in ErrorName]: KafkaError<Name> } = named(rows);

/** The name of an error is the key of its row. */
function named(table: typeof rows) {
  const withNames = Object.entries(table).map(([name, row]) => [name, { name, ...row }]);
  return Object.fromEntries(withNames) as { readonly [Name in ErrorName]: KafkaError<Name> };
}

const byCode: ReadonlyMap<number, KafkaError> = new Map(
  Object.values(errors).map((error): [number, KafkaError] => [error.code, error]),
);

/** Codes come from peers that may be newer than this table, so a number may be unknown. */
export function errorByCode(code: number): KafkaError | undefined {
  return byCode.get(code);
}
