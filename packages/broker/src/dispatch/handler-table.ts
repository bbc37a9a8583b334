import type { AgentDescription } from '@weir/cluster';
import type { Sasl } from '@weir/security';
import type { Api, ApiName, Apis } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { CommitMarks } from '../cluster/commit-marks.ts';
import { groupCalls } from '../cluster-calls/group-calls.ts';
import { ProducerIds } from '../cluster-calls/producer-ids.ts';
import { SettledAgents } from '../cluster-calls/settled-agents.ts';
import { PendingCommits } from '../groups/pending-commits.ts';
import { metadataHandler } from '../handlers/03-metadata.ts';
import { offsetCommitHandler } from '../handlers/08-offset-commit.ts';
import { offsetFetchHandler } from '../handlers/09-offset-fetch.ts';
import { findCoordinatorHandler } from '../handlers/10-find-coordinator.ts';
import { joinGroupHandler } from '../handlers/11-join-group.ts';
import { heartbeatHandler } from '../handlers/12-heartbeat.ts';
import { leaveGroupHandler } from '../handlers/13-leave-group.ts';
import { syncGroupHandler } from '../handlers/14-sync-group.ts';
import { describeGroupsHandler } from '../handlers/15-describe-groups.ts';
import { listGroupsHandler } from '../handlers/16-list-groups.ts';
import { saslHandshakeHandler } from '../handlers/17-sasl-handshake.ts';
import { apiVersionsHandler } from '../handlers/18-api-versions.ts';
import { createTopicsHandler } from '../handlers/19-create-topics.ts';
import { deleteTopicsHandler } from '../handlers/20-delete-topics.ts';
import { deleteRecordsHandler } from '../handlers/21-delete-records.ts';
import { initProducerIdHandler } from '../handlers/22-init-producer-id.ts';
import { offsetForLeaderEpochHandler } from '../handlers/23-offset-for-leader-epoch.ts';
import { addPartitionsToTxnHandler } from '../handlers/24-add-partitions-to-txn.ts';
import { addOffsetsToTxnHandler } from '../handlers/25-add-offsets-to-txn.ts';
import { endTxnHandler } from '../handlers/26-end-txn.ts';
import { writeTxnMarkersHandler } from '../handlers/27-write-txn-markers.ts';
import { txnOffsetCommitHandler } from '../handlers/28-txn-offset-commit.ts';
import { describeAclsHandler } from '../handlers/29-describe-acls.ts';
import { createAclsHandler } from '../handlers/30-create-acls.ts';
import { deleteAclsHandler } from '../handlers/31-delete-acls.ts';
import { describeConfigsHandler } from '../handlers/32-describe-configs.ts';
import { alterConfigsHandler } from '../handlers/33-alter-configs.ts';
import { alterReplicaLogDirsHandler } from '../handlers/34-alter-replica-log-dirs.ts';
import { describeLogDirsHandler } from '../handlers/35-describe-log-dirs.ts';
import { saslAuthenticateHandler } from '../handlers/36-sasl-authenticate.ts';
import { createPartitionsHandler } from '../handlers/37-create-partitions.ts';
import { createDelegationTokenHandler } from '../handlers/38-create-delegation-token.ts';
import { renewDelegationTokenHandler } from '../handlers/39-renew-delegation-token.ts';
import { expireDelegationTokenHandler } from '../handlers/40-expire-delegation-token.ts';
import { describeDelegationTokenHandler } from '../handlers/41-describe-delegation-token.ts';
import { deleteGroupsHandler } from '../handlers/42-delete-groups.ts';
import { electLeadersHandler } from '../handlers/43-elect-leaders.ts';
import { incrementalAlterConfigsHandler } from '../handlers/44-incremental-alter-configs.ts';
import { alterPartitionReassignmentsHandler } from '../handlers/45-alter-partition-reassignments.ts';
import { listPartitionReassignmentsHandler } from '../handlers/46-list-partition-reassignments.ts';
import { offsetDeleteHandler } from '../handlers/47-offset-delete.ts';
import { describeClientQuotasHandler } from '../handlers/48-describe-client-quotas.ts';
import { alterClientQuotasHandler } from '../handlers/49-alter-client-quotas.ts';
import { describeUserScramCredentialsHandler } from '../handlers/50-describe-user-scram-credentials.ts';
import { alterUserScramCredentialsHandler } from '../handlers/51-alter-user-scram-credentials.ts';
import { describeQuorumHandler } from '../handlers/55-describe-quorum.ts';
import { updateFeaturesHandler } from '../handlers/57-update-features.ts';
import { describeClusterHandler } from '../handlers/60-describe-cluster.ts';
import { describeProducersHandler } from '../handlers/61-describe-producers.ts';
import { unregisterBrokerHandler } from '../handlers/64-unregister-broker.ts';
import { describeTransactionsHandler } from '../handlers/65-describe-transactions.ts';
import { listTransactionsHandler } from '../handlers/66-list-transactions.ts';
import { consumerGroupHeartbeatHandler } from '../handlers/68-consumer-group-heartbeat.ts';
import { consumerGroupDescribeHandler } from '../handlers/69-consumer-group-describe.ts';
import { getTelemetrySubscriptionsHandler } from '../handlers/71-get-telemetry-subscriptions.ts';
import { pushTelemetryHandler } from '../handlers/72-push-telemetry.ts';
import { listConfigResourcesHandler } from '../handlers/74-list-config-resources.ts';
import { describeTopicPartitionsHandler } from '../handlers/75-describe-topic-partitions.ts';
import { shareGroupHeartbeatHandler } from '../handlers/76-share-group-heartbeat.ts';
import { shareGroupDescribeHandler } from '../handlers/77-share-group-describe.ts';
import { addRaftVoterHandler } from '../handlers/80-add-raft-voter.ts';
import { removeRaftVoterHandler } from '../handlers/81-remove-raft-voter.ts';
import { streamsGroupHeartbeatHandler } from '../handlers/88-streams-group-heartbeat.ts';
import { streamsGroupDescribeHandler } from '../handlers/89-streams-group-describe.ts';
import { describeShareGroupOffsetsHandler } from '../handlers/90-describe-share-group-offsets.ts';
import { alterShareGroupOffsetsHandler } from '../handlers/91-alter-share-group-offsets.ts';
import { deleteShareGroupOffsetsHandler } from '../handlers/92-delete-share-group-offsets.ts';
import { brokerLimits } from '../limits.ts';
import type { ListenerProtocol } from '../placement/broker-facts.ts';
import type { PlacementOf } from '../placement/described-agents.ts';
import type { FairQueue } from '../pressure/fair-queue.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { shareHeartbeats } from '../share/share-calls.ts';
import type { ClientTelemetry } from '../telemetry/client-telemetry.ts';
import type { ConnectedClients } from '../telemetry/connected-clients.ts';

/** What the handlers need. */
export interface HandlerDeps {
  readonly cluster: ClusterView;
  /** This agent as its heartbeats describe it. */
  readonly self: () => AgentDescription;
  readonly placementOf: PlacementOf;
  /** The APIs that ApiVersions lists. */
  readonly offered: () => readonly Api[];
  /** Flags of this agent by the names of cluster configs, for DescribeConfigs. */
  readonly agentConfigs?: Readonly<Record<string, string>>;
  /** Security of the Kafka listener, for DescribeConfigs. */
  readonly listenerProtocol?: ListenerProtocol;
  /** Bounds concurrent Metadata requests. If absent, there is no bound. */
  readonly metadataQueue?: FairQueue;
  /** Whether Metadata asks the leader rather than answer from the cluster view alone. */
  readonly metadataAsksLeader?: boolean | undefined;
  /** Receives the metrics of clients. */
  readonly telemetry: ClientTelemetry;
  readonly clients: ConnectedClients;
  readonly sasl: Sasl;
  readonly produce: HandlerOf<Apis['Produce']>;
  readonly fetch: HandlerOf<Apis['Fetch']>;
  readonly listOffsets: HandlerOf<Apis['ListOffsets']>;
  readonly shareFetch: HandlerOf<Apis['ShareFetch']>;
  readonly shareAcknowledge: HandlerOf<Apis['ShareAcknowledge']>;
}

/** The APIs that an agent serves and lists in ApiVersions: those with a handler in the table. */
export type ServedApi = keyof ReturnType<typeof createHandlerTable>;

export function createHandlerTable(deps: HandlerDeps) {
  const { cluster, self, placementOf, telemetry, clients, sasl } = deps;
  const producerIds = new ProducerIds(cluster.port, brokerLimits.producerIdBlock);
  const groups = groupCalls(cluster.port, new CommitMarks(cluster));
  const commits = new PendingCommits();
  const settledAgents = new SettledAgents();
  return {
    Produce: deps.produce,
    Fetch: deps.fetch,
    ListOffsets: deps.listOffsets,
    Metadata: metadataHandler(placementOf, {
      turns: deps.metadataQueue,
      asksLeader: deps.metadataAsksLeader,
      settledAgents,
    }),
    OffsetCommit: commits.noting(offsetCommitHandler(groups)),
    OffsetFetch: commits.first(offsetFetchHandler(groups)),
    FindCoordinator: findCoordinatorHandler(placementOf, settledAgents),
    JoinGroup: commits.first(joinGroupHandler(self)),
    Heartbeat: heartbeatHandler(groups),
    LeaveGroup: commits.first(leaveGroupHandler),
    SyncGroup: commits.first(syncGroupHandler),
    DescribeGroups: describeGroupsHandler,
    ListGroups: listGroupsHandler,
    SaslHandshake: saslHandshakeHandler(sasl),
    ApiVersions: settledAgents.noting(clients.noting(apiVersionsHandler(deps.offered))),
    CreateTopics: createTopicsHandler({ self, agentConfigs: deps.agentConfigs ?? {} }),
    DeleteTopics: deleteTopicsHandler,
    DeleteRecords: deleteRecordsHandler,
    InitProducerId: initProducerIdHandler(producerIds),
    OffsetForLeaderEpoch: offsetForLeaderEpochHandler,
    AddPartitionsToTxn: addPartitionsToTxnHandler,
    AddOffsetsToTxn: addOffsetsToTxnHandler,
    EndTxn: commits.first(endTxnHandler),
    WriteTxnMarkers: writeTxnMarkersHandler,
    TxnOffsetCommit: commits.noting(txnOffsetCommitHandler(groups)),
    DescribeAcls: describeAclsHandler,
    CreateAcls: createAclsHandler,
    DeleteAcls: deleteAclsHandler,
    DescribeConfigs: describeConfigsHandler({
      self,
      agentConfigs: deps.agentConfigs ?? {},
      protocol: deps.listenerProtocol ?? 'PLAINTEXT',
    }),
    AlterConfigs: alterConfigsHandler(self),
    AlterReplicaLogDirs: alterReplicaLogDirsHandler(placementOf, self),
    DescribeLogDirs: describeLogDirsHandler(placementOf, self),
    SaslAuthenticate: saslAuthenticateHandler(sasl),
    CreatePartitions: createPartitionsHandler,
    CreateDelegationToken: createDelegationTokenHandler,
    RenewDelegationToken: renewDelegationTokenHandler,
    ExpireDelegationToken: expireDelegationTokenHandler,
    DescribeDelegationToken: describeDelegationTokenHandler,
    DeleteGroups: commits.first(deleteGroupsHandler),
    ElectLeaders: electLeadersHandler,
    IncrementalAlterConfigs: incrementalAlterConfigsHandler(self),
    AlterPartitionReassignments: alterPartitionReassignmentsHandler(placementOf),
    ListPartitionReassignments: listPartitionReassignmentsHandler,
    OffsetDelete: commits.first(offsetDeleteHandler),
    DescribeClientQuotas: describeClientQuotasHandler,
    AlterClientQuotas: alterClientQuotasHandler,
    DescribeUserScramCredentials: describeUserScramCredentialsHandler,
    AlterUserScramCredentials: alterUserScramCredentialsHandler,
    DescribeQuorum: describeQuorumHandler(placementOf),
    UpdateFeatures: updateFeaturesHandler,
    DescribeCluster: describeClusterHandler(placementOf),
    DescribeProducers: describeProducersHandler,
    UnregisterBroker: unregisterBrokerHandler,
    DescribeTransactions: describeTransactionsHandler,
    ListTransactions: listTransactionsHandler,
    ConsumerGroupHeartbeat: commits.first(consumerGroupHeartbeatHandler(groups)),
    ConsumerGroupDescribe: consumerGroupDescribeHandler,
    GetTelemetrySubscriptions: getTelemetrySubscriptionsHandler(telemetry, clients),
    PushTelemetry: pushTelemetryHandler(telemetry, clients),
    ListConfigResources: listConfigResourcesHandler,
    DescribeTopicPartitions: describeTopicPartitionsHandler(placementOf),
    ShareGroupHeartbeat: shareGroupHeartbeatHandler(shareHeartbeats(cluster.port)),
    ShareGroupDescribe: shareGroupDescribeHandler,
    ShareFetch: deps.shareFetch,
    ShareAcknowledge: deps.shareAcknowledge,
    AddRaftVoter: addRaftVoterHandler,
    RemoveRaftVoter: removeRaftVoterHandler,
    StreamsGroupHeartbeat: commits.first(streamsGroupHeartbeatHandler(groups)),
    StreamsGroupDescribe: streamsGroupDescribeHandler,
    DescribeShareGroupOffsets: describeShareGroupOffsetsHandler,
    AlterShareGroupOffsets: alterShareGroupOffsetsHandler,
    DeleteShareGroupOffsets: deleteShareGroupOffsetsHandler,
  } satisfies { readonly [Name in ApiName]?: HandlerOf<Apis[Name]> };
}
