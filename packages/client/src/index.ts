export { type Address, printAddress } from './address.ts';
export { aclSwitchAdvice, areAclsEnforced } from './admin/acl-mode.ts';
export {
  type AclFilter,
  type AclResponse,
  createAcls,
  deleteAcls,
  describeAcls,
  type KafkaAcl,
} from './admin/acls.ts';
export {
  type ConfigChange,
  type ConfigResource,
  changeConfigs,
  type DescribedConfig,
  describeConfigs,
} from './admin/configs.ts';
export {
  describeGroup,
  describeGroupIfKnown,
  type GroupDescription,
  type GroupMemberDescription,
  listGroupIds,
} from './admin/groups.ts';
export { partitionSizes } from './admin/log-dirs.ts';
export { alterQuotas, describeQuotas, type EntityQuotas, type QuotaFilter } from './admin/quotas.ts';
export { resetOffsets } from './admin/reset-offsets.ts';
export {
  type Broker,
  type ClusterMetadata,
  type ClusterOptions,
  KafkaCluster,
  withCluster,
} from './cluster.ts';
export { KafkaConnection } from './connection.ts';
export { ConnectionFailed, type ConnectionProblem, connectionFailure } from './connection-failed.ts';
export { findCoordinator } from './coordinator.ts';
export {
  type Balancer,
  cooperativeStickyBalancer,
  rangeBalancer,
  roundRobinBalancer,
} from './groups/balancers.ts';
export { ClassicMember, leaveGroup, type Membership } from './groups/classic-member.ts';
export { committedOffsets, type OffsetsByTopic, requestCommitted } from './groups/committed-offsets.ts';
export { consumeByGroup, endsOf, type MemberReader } from './groups/group-consumer.ts';
export { GroupMember } from './groups/group-member.ts';
export { type Committer, noMember, type OffsetToCommit, requestCommit } from './groups/offset-commit.ts';
export { metadataBody } from './metadata-body.ts';
export { type ClientTls, type LookupFor, openSocket, type SocketOptions } from './open-socket.ts';
export { byTopic, type Place } from './place.ts';
export { Producer, type ProducerOptions } from './producer/producer.ts';
export { kafkaReason } from './reason.ts';
export {
  type FetchedBatches,
  type FetchedPartition,
  type FetchLimits,
  fetchBatches,
  fetchPlaces,
  type IsolationLevel,
} from './records/fetch.ts';
export { type FetchQuery, fetchBody } from './records/fetch-body.ts';
export { type Feed, Fetcher, type FetcherOptions, type OffsetReset } from './records/fetcher.ts';
export { allAnswers, requestFromLeaders, subject } from './records/leaders.ts';
export { listOffsets } from './records/list-offsets.ts';
export { type OffsetRange, offsetRanges, offsetsAtTime } from './records/offsets.ts';
export {
  OutcomeUnknown,
  type ProduceOptions,
  produceRecords,
  type RecordToProduce,
} from './records/produce.ts';
export { type ReadOptions, type ReadRecord, readRecords } from './records/read-records.ts';
export { RecordQueue } from './records/record-queue.ts';
export { RememberedTopic } from './records/remembered-topic.ts';
export { type TopicRecords, TransactionalProducer } from './records/transactional-producer.ts';
export { KafkaRequestFailed } from './request-failed.ts';
export type { SaslLogin } from './sasl/login.ts';
export { LoginFailed } from './sasl/login-failed.ts';
export { saslMechanisms } from './sasl/mechanisms.ts';
export {
  createTopic,
  deleteTopic,
  deleteTopics,
  type FoundTopic,
  findTopic,
  listTopics,
} from './topics.ts';
export type { CallBody, Transport } from './transport.ts';
