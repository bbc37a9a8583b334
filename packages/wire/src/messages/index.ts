import type { Api } from '../schema/message.ts';
import { produce } from './00-produce.ts';
import { fetch } from './01-fetch.ts';
import { listOffsets } from './02-list-offsets.ts';
import { metadata } from './03-metadata.ts';
import { offsetCommit } from './08-offset-commit.ts';
import { offsetFetch } from './09-offset-fetch.ts';
import { findCoordinator } from './10-find-coordinator.ts';
import { joinGroup } from './11-join-group.ts';
import { heartbeat } from './12-heartbeat.ts';
import { leaveGroup } from './13-leave-group.ts';
import { syncGroup } from './14-sync-group.ts';
import { describeGroups } from './15-describe-groups.ts';
import { listGroups } from './16-list-groups.ts';
import { saslHandshake } from './17-sasl-handshake.ts';
import { apiVersions } from './18-api-versions.ts';
import { createTopics } from './19-create-topics.ts';
import { deleteTopics } from './20-delete-topics.ts';
import { deleteRecords } from './21-delete-records.ts';
import { initProducerId } from './22-init-producer-id.ts';
import { offsetForLeaderEpoch } from './23-offset-for-leader-epoch.ts';
import { addPartitionsToTxn } from './24-add-partitions-to-txn.ts';
import { addOffsetsToTxn } from './25-add-offsets-to-txn.ts';
import { endTxn } from './26-end-txn.ts';
import { writeTxnMarkers } from './27-write-txn-markers.ts';
import { txnOffsetCommit } from './28-txn-offset-commit.ts';
import { describeAcls } from './29-describe-acls.ts';
import { createAcls } from './30-create-acls.ts';
import { deleteAcls } from './31-delete-acls.ts';
import { describeConfigs } from './32-describe-configs.ts';
import { alterConfigs } from './33-alter-configs.ts';
import { alterReplicaLogDirs } from './34-alter-replica-log-dirs.ts';
import { describeLogDirs } from './35-describe-log-dirs.ts';
import { saslAuthenticate } from './36-sasl-authenticate.ts';
import { createPartitions } from './37-create-partitions.ts';
import { createDelegationToken } from './38-create-delegation-token.ts';
import { renewDelegationToken } from './39-renew-delegation-token.ts';
import { expireDelegationToken } from './40-expire-delegation-token.ts';
import { describeDelegationToken } from './41-describe-delegation-token.ts';
import { deleteGroups } from './42-delete-groups.ts';
import { electLeaders } from './43-elect-leaders.ts';
import { incrementalAlterConfigs } from './44-incremental-alter-configs.ts';
import { alterPartitionReassignments } from './45-alter-partition-reassignments.ts';
import { listPartitionReassignments } from './46-list-partition-reassignments.ts';
import { offsetDelete } from './47-offset-delete.ts';
import { describeClientQuotas } from './48-describe-client-quotas.ts';
import { alterClientQuotas } from './49-alter-client-quotas.ts';
import { describeUserScramCredentials } from './50-describe-user-scram-credentials.ts';
import { alterUserScramCredentials } from './51-alter-user-scram-credentials.ts';
import { describeQuorum } from './55-describe-quorum.ts';
import { updateFeatures } from './57-update-features.ts';
import { describeCluster } from './60-describe-cluster.ts';
import { describeProducers } from './61-describe-producers.ts';
import { unregisterBroker } from './64-unregister-broker.ts';
import { describeTransactions } from './65-describe-transactions.ts';
import { listTransactions } from './66-list-transactions.ts';
import { consumerGroupHeartbeat } from './68-consumer-group-heartbeat.ts';
import { consumerGroupDescribe } from './69-consumer-group-describe.ts';
import { getTelemetrySubscriptions } from './71-get-telemetry-subscriptions.ts';
import { pushTelemetry } from './72-push-telemetry.ts';
import { listConfigResources } from './74-list-config-resources.ts';
import { describeTopicPartitions } from './75-describe-topic-partitions.ts';
import { shareGroupHeartbeat } from './76-share-group-heartbeat.ts';
import { shareGroupDescribe } from './77-share-group-describe.ts';
import { shareFetch } from './78-share-fetch.ts';
import { shareAcknowledge } from './79-share-acknowledge.ts';
import { addRaftVoter } from './80-add-raft-voter.ts';
import { removeRaftVoter } from './81-remove-raft-voter.ts';
import { streamsGroupHeartbeat } from './88-streams-group-heartbeat.ts';
import { streamsGroupDescribe } from './89-streams-group-describe.ts';
import { describeShareGroupOffsets } from './90-describe-share-group-offsets.ts';
import { alterShareGroupOffsets } from './91-alter-share-group-offsets.ts';
import { deleteShareGroupOffsets } from './92-delete-share-group-offsets.ts';

/**
 * Every API of the protocol that agents serve, by name. A table keyed by `ApiName` (`satisfies Record<ApiName, …>`)
 * does not compile until it has an entry for each of them.
 */
export const apis = {
  Produce: produce,
  Fetch: fetch,
  ListOffsets: listOffsets,
  Metadata: metadata,
  OffsetCommit: offsetCommit,
  OffsetFetch: offsetFetch,
  FindCoordinator: findCoordinator,
  JoinGroup: joinGroup,
  Heartbeat: heartbeat,
  LeaveGroup: leaveGroup,
  SyncGroup: syncGroup,
  DescribeGroups: describeGroups,
  ListGroups: listGroups,
  SaslHandshake: saslHandshake,
  ApiVersions: apiVersions,
  CreateTopics: createTopics,
  DeleteTopics: deleteTopics,
  DeleteRecords: deleteRecords,
  InitProducerId: initProducerId,
  OffsetForLeaderEpoch: offsetForLeaderEpoch,
  AddPartitionsToTxn: addPartitionsToTxn,
  AddOffsetsToTxn: addOffsetsToTxn,
  EndTxn: endTxn,
  WriteTxnMarkers: writeTxnMarkers,
  TxnOffsetCommit: txnOffsetCommit,
  DescribeAcls: describeAcls,
  CreateAcls: createAcls,
  DeleteAcls: deleteAcls,
  DescribeConfigs: describeConfigs,
  AlterConfigs: alterConfigs,
  AlterReplicaLogDirs: alterReplicaLogDirs,
  DescribeLogDirs: describeLogDirs,
  SaslAuthenticate: saslAuthenticate,
  CreatePartitions: createPartitions,
  CreateDelegationToken: createDelegationToken,
  RenewDelegationToken: renewDelegationToken,
  ExpireDelegationToken: expireDelegationToken,
  DescribeDelegationToken: describeDelegationToken,
  DeleteGroups: deleteGroups,
  ElectLeaders: electLeaders,
  IncrementalAlterConfigs: incrementalAlterConfigs,
  AlterPartitionReassignments: alterPartitionReassignments,
  ListPartitionReassignments: listPartitionReassignments,
  OffsetDelete: offsetDelete,
  DescribeClientQuotas: describeClientQuotas,
  AlterClientQuotas: alterClientQuotas,
  DescribeUserScramCredentials: describeUserScramCredentials,
  AlterUserScramCredentials: alterUserScramCredentials,
  DescribeQuorum: describeQuorum,
  UpdateFeatures: updateFeatures,
  DescribeCluster: describeCluster,
  DescribeProducers: describeProducers,
  UnregisterBroker: unregisterBroker,
  DescribeTransactions: describeTransactions,
  ListTransactions: listTransactions,
  ConsumerGroupHeartbeat: consumerGroupHeartbeat,
  ConsumerGroupDescribe: consumerGroupDescribe,
  GetTelemetrySubscriptions: getTelemetrySubscriptions,
  PushTelemetry: pushTelemetry,
  ListConfigResources: listConfigResources,
  DescribeTopicPartitions: describeTopicPartitions,
  ShareGroupHeartbeat: shareGroupHeartbeat,
  ShareGroupDescribe: shareGroupDescribe,
  ShareFetch: shareFetch,
  ShareAcknowledge: shareAcknowledge,
  AddRaftVoter: addRaftVoter,
  RemoveRaftVoter: removeRaftVoter,
  StreamsGroupHeartbeat: streamsGroupHeartbeat,
  StreamsGroupDescribe: streamsGroupDescribe,
  DescribeShareGroupOffsets: describeShareGroupOffsets,
  AlterShareGroupOffsets: alterShareGroupOffsets,
  DeleteShareGroupOffsets: deleteShareGroupOffsets,
} as const satisfies Readonly<Record<string, Api>>;

export type Apis = typeof apis;
export type ApiName = keyof Apis;

const byKey: ReadonlyMap<number, Api> = new Map(Object.values(apis).map((api) => [api.key, api]));

/** Keys come from peers, so most numbers are unknown. */
export function apiByKey(key: number): Api | undefined {
  return byKey.get(key);
}
