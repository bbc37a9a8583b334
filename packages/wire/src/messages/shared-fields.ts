import {
  bool,
  type Fields,
  int8,
  int16,
  int32,
  int64,
  listOf,
  string,
  struct,
  structs,
  uint16,
  uuid,
} from '../schema/field.ts';

/** Fields that several messages have, so that each is described once. */

/** Partitions of topics by their ids. */
export const partitionsById = {
  topicId: uuid(),
  partitions: listOf(int32),
};

/** The result of one thing that a request names. */
export const result = {
  errorCode: int16(),
  errorMessage: string({ nullable: true, default: null }),
};

/** Begins the responses to the newer requests about groups. */
export const throttledResult = {
  throttleTimeMs: int32(),
  ...result,
};

/** Groups that an admin client describes. */
export const groupsToDescribe = {
  groupIds: listOf(string),
  includeAuthorizedOperations: bool(),
};

/** A member of a described consumer or share group. */
export const describedMember = {
  rackId: string({ nullable: true, default: null }),
  memberEpoch: int32(),
  clientId: string(),
  clientHost: string(),
  subscribedTopicNames: listOf(string),
};

/** A member of a classic group. */
export const classicMember = {
  groupId: string(),
  generationId: int32(),
  memberId: string(),
  groupInstanceId: string({ versions: '3+', nullable: true, default: null }),
};

/** The error of each partition. */
export const partitionResults = structs({
  name: string(),
  partitions: structs({
    partitionIndex: int32(),
    errorCode: int16(),
  }),
});

/** The answer to a heartbeat of a consumer or share group. */
export const heartbeatResponse = {
  ...throttledResult,
  memberId: string({ nullable: true, default: null }),
  memberEpoch: int32(),
  /** Set by the server, like the session timeout. */
  heartbeatIntervalMs: int32(),
  /** Null if unchanged. */
  assignment: struct({ topicPartitions: structs(partitionsById) }, { nullable: true, default: null }),
};

/** What a member of a described group owns. */
export const describedAssignment = {
  topicPartitions: structs({
    topicId: uuid(),
    topicName: string(),
    partitions: listOf(int32),
  }),
};

/** The answer that describes consumer or share groups, whose members differ. */
export const describedGroups = <const Member extends Fields>(member: Member) => ({
  throttleTimeMs: int32(),
  groups: structs({
    ...result,
    groupId: string(),
    /** Empty, Stable or Dead; for a consumer group also Assigning or Reconciling. */
    groupState: string(),
    /** Rises with each change of members, subscriptions or topics. */
    groupEpoch: int32(),
    /** The group epoch that the assignment was computed for. */
    assignmentEpoch: int32(),
    assignorName: string(),
    members: structs(member),
    /** Bit n stands for ACL operation n; the default means that it was not requested. */
    authorizedOperations: int32({ default: -2147483648 }),
  }),
});

/** The session of a member of a share group. */
export const shareSession = {
  groupId: string({ nullable: true, default: null }),
  memberId: string({ nullable: true }),
  /**
   * Rises with each request; -1 closes the session, which releases what is still acquired. 0 opens one in ShareFetch
   * and is INVALID_SHARE_SESSION_EPOCH in ShareAcknowledge.
   */
  shareSessionEpoch: int32(),
};

/** The records that a member of a share group acknowledges. */
export const acknowledgedTopics = structs({
  topicId: uuid(),
  partitions: structs({
    partitionIndex: int32(),
    acknowledgementBatches: structs({
      firstOffset: int64(),
      /** Inclusive. */
      lastOffset: int64(),
      /** One for the range or one per offset: 0 gap, 1 accept, 2 release, 3 reject, 4 renew (v2+). */
      acknowledgeTypes: listOf(int8),
    }),
  }),
});

/** Filled only with NOT_LEADER_OR_FOLLOWER or FENCED_LEADER_EPOCH. */
export const currentLeader = struct({
  leaderId: int32(),
  leaderEpoch: int32(),
});

/** Where to reach the leaders that the answer names. */
export const nodeEndpoints = structs({
  nodeId: int32(),
  host: string(),
  port: int32(),
  rack: string({ nullable: true, default: null }),
});

/** The access rules that a request is about. The operation numbers are listed at DescribeAcls. */
export const aclFilter = {
  /** 1 any, 2 topic, 3 group, 4 cluster, 5 transactional id, 6 delegation token, 7 user (v3+). */
  resourceTypeFilter: int8(),
  /** Null for any. */
  resourceNameFilter: string({ nullable: true }),
  /** 1 any, 2 all patterns that match the name, 3 literal, 4 prefixed. */
  patternTypeFilter: int8({ default: 3 }),
  /** As in `User:alice`; null for any. */
  principalFilter: string({ nullable: true }),
  /** Null for any. */
  hostFilter: string({ nullable: true }),
  operation: int8(),
  /** 1 any, 2 deny, 3 allow. */
  permissionType: int8(),
};

/** Configs to change, of resources; the requests differ in what they say about a config. */
export const configsToChange = <const Config extends Fields>(config: Config) => ({
  resources: structs({
    /** 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group. */
    resourceType: int8(),
    /** Empty for what all brokers share. */
    resourceName: string(),
    configs: structs(config),
  }),
  /** Validates the request without changing anything. */
  validateOnly: bool(),
});

/** The response to a change of configs. */
export const changedConfigs = {
  throttleTimeMs: int32(),
  responses: structs({
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
    resourceType: int8(),
    resourceName: string(),
  }),
};

/** A principal; the type is `User`. */
export const principalFields = {
  principalType: string(),
  principalName: string(),
};

/** Who asked for a delegation token: its owner, or someone with the right to ask for it. */
export const tokenRequester = {
  tokenRequesterPrincipalType: string({ versions: '3+' }),
  tokenRequesterPrincipalName: string({ versions: '3+' }),
};

/** The response to a change of a delegation token. */
export const changedToken = {
  errorCode: int16(),
  /** -1 with most errors. */
  expiryTimestampMs: int64(),
  throttleTimeMs: int32(),
};

/** Tasks of a streams group: partition numbers of the source topics of a subtopology. */
export const streamsTasks = {
  subtopologyId: string(),
  partitions: listOf(int32),
};

/** Where an instance of a streams application can be asked. */
export const streamsEndpoint = {
  host: string(),
  port: uint16(),
};

export const streamsKeyValues = {
  key: string(),
  value: string(),
};

/** Internal topics of a streams application. */
export const streamsTopics = structs({
  name: string(),
  /** 0 where the topology leaves it open, as for all changelogs. */
  partitions: int32(),
  /** 0 for the default. */
  replicationFactor: int16(),
  topicConfigs: structs(streamsKeyValues),
});

/** How far a member has read the changelogs of a task. */
export const taskOffsets = {
  subtopologyId: string(),
  partition: int32(),
  offset: int64(),
};
