import type { Clock, Log } from '@weir/core';
import type { AgentDescription } from '@weir/metadata';
import { type Api, type Apis, apis, type Fields } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { CommitMarks } from '../cluster/commit-marks.ts';
import { agentLimits } from '../limits.ts';
import type { ReceivedRequest, RequestServer } from '../net/request-server.ts';
import type { ZoneOfAddress } from '../placement/address-zones.ts';
import { type ClientFeatures, rememberingParser } from '../placement/client-features.ts';
import type { Loads } from '../placement/measured-loads.ts';
import { createPlacements } from '../placement/placement.ts';
import type { PartitionAssignmentStrategy } from '../placement/strategies.ts';
import { ZoneCrossings } from '../placement/zone-crossings.ts';
import type { FairQueue } from '../pressure/fair-queue.ts';
import type { SlowDown } from '../pressure/slow-down.ts';
import type { ClientQuotas } from '../quotas/client-quotas.ts';
import { RequestQuotas } from '../quotas/request-quotas.ts';
import { type Access, fullAccess } from '../security/access.ts';
import { userOf } from '../security/principal.ts';
import { type Sasl, saslWithoutMechanisms } from '../security/sasl/sasl.ts';
import { shareHeartbeats } from '../share/share-calls.ts';
import type { ClientTelemetry } from '../telemetry/client-telemetry.ts';
import { ConnectedClients } from '../telemetry/connected-clients.ts';
import { metadataHandler } from './03-metadata.ts';
import { offsetCommitHandler } from './08-offset-commit.ts';
import { offsetFetchHandler } from './09-offset-fetch.ts';
import { findCoordinatorHandler } from './10-find-coordinator.ts';
import { joinGroupHandler } from './11-join-group.ts';
import { heartbeatHandler } from './12-heartbeat.ts';
import { leaveGroupHandler } from './13-leave-group.ts';
import { syncGroupHandler } from './14-sync-group.ts';
import { describeGroupsHandler } from './15-describe-groups.ts';
import { listGroupsHandler } from './16-list-groups.ts';
import { saslHandshakeHandler } from './17-sasl-handshake.ts';
import { apiVersionsHandler, apiVersionsRefusal } from './18-api-versions.ts';
import { createTopicsHandler } from './19-create-topics.ts';
import { deleteTopicsHandler } from './20-delete-topics.ts';
import { deleteRecordsHandler } from './21-delete-records.ts';
import { initProducerIdHandler } from './22-init-producer-id.ts';
import { offsetForLeaderEpochHandler } from './23-offset-for-leader-epoch.ts';
import { addPartitionsToTxnHandler } from './24-add-partitions-to-txn.ts';
import { addOffsetsToTxnHandler } from './25-add-offsets-to-txn.ts';
import { endTxnHandler } from './26-end-txn.ts';
import { txnOffsetCommitHandler } from './28-txn-offset-commit.ts';
import { describeAclsHandler } from './29-describe-acls.ts';
import { createAclsHandler } from './30-create-acls.ts';
import { deleteAclsHandler } from './31-delete-acls.ts';
import { describeConfigsHandler } from './32-describe-configs.ts';
import { alterConfigsHandler } from './33-alter-configs.ts';
import { describeLogDirsHandler } from './35-describe-log-dirs.ts';
import { saslAuthenticateHandler } from './36-sasl-authenticate.ts';
import { createPartitionsHandler } from './37-create-partitions.ts';
import { deleteGroupsHandler } from './42-delete-groups.ts';
import { electLeadersHandler } from './43-elect-leaders.ts';
import { incrementalAlterConfigsHandler } from './44-incremental-alter-configs.ts';
import { alterPartitionReassignmentsHandler } from './45-alter-partition-reassignments.ts';
import { listPartitionReassignmentsHandler } from './46-list-partition-reassignments.ts';
import { offsetDeleteHandler } from './47-offset-delete.ts';
import { describeClientQuotasHandler } from './48-describe-client-quotas.ts';
import { alterClientQuotasHandler } from './49-alter-client-quotas.ts';
import { describeUserScramCredentialsHandler } from './50-describe-user-scram-credentials.ts';
import { alterUserScramCredentialsHandler } from './51-alter-user-scram-credentials.ts';
import { describeQuorumHandler } from './55-describe-quorum.ts';
import { updateFeaturesHandler } from './57-update-features.ts';
import { describeClusterHandler } from './60-describe-cluster.ts';
import { describeProducersHandler } from './61-describe-producers.ts';
import { describeTransactionsHandler } from './65-describe-transactions.ts';
import { listTransactionsHandler } from './66-list-transactions.ts';
import { consumerGroupHeartbeatHandler } from './68-consumer-group-heartbeat.ts';
import { consumerGroupDescribeHandler } from './69-consumer-group-describe.ts';
import { getTelemetrySubscriptionsHandler } from './71-get-telemetry-subscriptions.ts';
import { pushTelemetryHandler } from './72-push-telemetry.ts';
import { listConfigResourcesHandler } from './74-list-config-resources.ts';
import { describeTopicPartitionsHandler } from './75-describe-topic-partitions.ts';
import { shareGroupHeartbeatHandler } from './76-share-group-heartbeat.ts';
import { shareGroupDescribeHandler } from './77-share-group-describe.ts';
import { describeShareGroupOffsetsHandler } from './90-describe-share-group-offsets.ts';
import { alterShareGroupOffsetsHandler } from './91-alter-share-group-offsets.ts';
import { deleteShareGroupOffsetsHandler } from './92-delete-share-group-offsets.ts';
import type { ListenerProtocol } from './broker-facts.ts';
import type { PlacementOf } from './described-agents.ts';
import { groupCalls } from './group-calls.ts';
import type { Handler, HandlerOf, HandlerResult, RequestContext } from './handler.ts';
import { highestOfferedVersion } from './offered-versions.ts';
import { ProducerIds } from './producer-ids.ts';
import { RequestOrigins } from './request-origins.ts';
import { fetchingRole, producingRole, shareFetchingRole } from './role-refusals.ts';

/** The APIs that an agent serves and tells its clients about. An API gets its name here when its handler is ready. */
export type ServedApi =
  | 'Produce'
  | 'Fetch'
  | 'ListOffsets'
  | 'Metadata'
  | 'OffsetCommit'
  | 'OffsetFetch'
  | 'FindCoordinator'
  | 'JoinGroup'
  | 'Heartbeat'
  | 'LeaveGroup'
  | 'SyncGroup'
  | 'DescribeGroups'
  | 'ListGroups'
  | 'SaslHandshake'
  | 'ApiVersions'
  | 'CreateTopics'
  | 'DeleteTopics'
  | 'DeleteRecords'
  | 'InitProducerId'
  | 'OffsetForLeaderEpoch'
  | 'AddPartitionsToTxn'
  | 'AddOffsetsToTxn'
  | 'EndTxn'
  | 'TxnOffsetCommit'
  | 'DescribeAcls'
  | 'CreateAcls'
  | 'DeleteAcls'
  | 'DescribeConfigs'
  | 'AlterConfigs'
  | 'DescribeLogDirs'
  | 'SaslAuthenticate'
  | 'CreatePartitions'
  | 'DeleteGroups'
  | 'ElectLeaders'
  | 'IncrementalAlterConfigs'
  | 'AlterPartitionReassignments'
  | 'ListPartitionReassignments'
  | 'OffsetDelete'
  | 'DescribeClientQuotas'
  | 'AlterClientQuotas'
  | 'DescribeUserScramCredentials'
  | 'AlterUserScramCredentials'
  | 'DescribeQuorum'
  | 'UpdateFeatures'
  | 'DescribeCluster'
  | 'DescribeProducers'
  | 'DescribeTransactions'
  | 'ListTransactions'
  | 'ConsumerGroupHeartbeat'
  | 'ConsumerGroupDescribe'
  | 'GetTelemetrySubscriptions'
  | 'PushTelemetry'
  | 'ListConfigResources'
  | 'DescribeTopicPartitions'
  | 'ShareGroupHeartbeat'
  | 'ShareGroupDescribe'
  | 'ShareFetch'
  | 'ShareAcknowledge'
  | 'DescribeShareGroupOffsets'
  | 'AlterShareGroupOffsets'
  | 'DeleteShareGroupOffsets';

type HandlerTable = { readonly [Name in ServedApi]: HandlerOf<Apis[Name]> };

/** What the handlers are made of. */
interface HandlerServices {
  readonly cluster: ClusterView;
  readonly clock: Clock;
  readonly log: Log;
  /** This agent as it describes itself in its heartbeats. */
  readonly self: () => AgentDescription;
  /** What the flags of this agent say, by the names of the cluster's configs; for those who ask for configs. */
  readonly agentConfigs?: Readonly<Record<string, string>>;
  /** The security of the Kafka listener, for those who ask for configs. */
  readonly listenerProtocol?: ListenerProtocol;
  /** For clients whose client id names none. */
  readonly defaultStrategy: PartitionAssignmentStrategy;
  /** For clients whose client id names no zone. */
  readonly zoneOfAddress?: ZoneOfAddress | undefined;
  readonly loads?: Loads;
  /** Whose turn it is to be told about topics. Without it every request is worked on at once. */
  readonly metadataQueue?: FairQueue;
  /** Takes the metrics of clients. */
  readonly telemetry: ClientTelemetry;
  /** Remembers who is connected. */
  readonly clients?: ConnectedClients;
  /** What clients may take. Without it they may take everything. */
  readonly quotas?: ClientQuotas;
  /** What the client of a request may do. Without it everybody may do everything. */
  readonly accessOf?: (request: ReceivedRequest) => Access;
  /** How clients log in. Without it there is no mechanism, and nobody has to. */
  readonly sasl?: Sasl | undefined;
  /** What becomes of answers under pressure. Without it nobody is slowed down. */
  readonly slowDown?: SlowDown;
  readonly produce: HandlerOf<Apis['Produce']>;
  readonly fetch: HandlerOf<Apis['Fetch']>;
  readonly listOffsets: HandlerOf<Apis['ListOffsets']>;
  readonly shareFetch: HandlerOf<Apis['ShareFetch']>;
  readonly shareAcknowledge: HandlerOf<Apis['ShareAcknowledge']>;
}

/** Everything that stands behind a Kafka listener: the table of handlers and the rules that go for all of them. */
export function createHandlers(services: HandlerServices): RequestServer {
  const { cluster, clock, log, self } = services;
  const sasl = services.sasl ?? saslWithoutMechanisms({ clock, log });
  const featuresOf = rememberingParser(agentLimits.rememberedClientIdsMax);
  const producerIds = new ProducerIds(cluster.port, agentLimits.producerIdBlock);
  const groups = groupCalls(cluster.port, new CommitMarks(cluster));
  const origins = new RequestOrigins();
  const { telemetry } = services;
  const clients = services.clients ?? new ConnectedClients();
  const placementFor = createPlacements(services.loads);
  const crossings = new ZoneCrossings(clock);
  const placementOf: PlacementOf = ({ clientId, remoteAddress }) =>
    placementFor({
      features: locatedFeatures(clientId, remoteAddress),
      clientKey: `${clientId} ${remoteAddress}`,
      self: self(),
      agents: cluster.agents(),
      defaultStrategy: services.defaultStrategy,
    });

  const table = {
    Produce: producingRole(self, services.produce),
    Fetch: fetchingRole(self, services.fetch),
    ListOffsets: services.listOffsets,
    Metadata: metadataHandler(placementOf, services.metadataQueue),
    OffsetCommit: offsetCommitHandler(groups),
    OffsetFetch: offsetFetchHandler(groups),
    FindCoordinator: findCoordinatorHandler(placementOf),
    JoinGroup: joinGroupHandler(self),
    Heartbeat: heartbeatHandler(groups),
    LeaveGroup: leaveGroupHandler,
    SyncGroup: syncGroupHandler,
    DescribeGroups: describeGroupsHandler,
    ListGroups: listGroupsHandler,
    SaslHandshake: saslHandshakeHandler(sasl),
    ApiVersions: clients.noting(apiVersionsHandler(offered)),
    CreateTopics: createTopicsHandler,
    DeleteTopics: deleteTopicsHandler,
    DeleteRecords: deleteRecordsHandler,
    InitProducerId: initProducerIdHandler(producerIds),
    OffsetForLeaderEpoch: offsetForLeaderEpochHandler,
    AddPartitionsToTxn: addPartitionsToTxnHandler,
    AddOffsetsToTxn: addOffsetsToTxnHandler,
    EndTxn: endTxnHandler,
    TxnOffsetCommit: txnOffsetCommitHandler(groups),
    DescribeAcls: describeAclsHandler,
    CreateAcls: createAclsHandler,
    DeleteAcls: deleteAclsHandler,
    DescribeConfigs: describeConfigsHandler({
      self,
      agentConfigs: services.agentConfigs ?? {},
      protocol: services.listenerProtocol ?? 'PLAINTEXT',
    }),
    AlterConfigs: alterConfigsHandler(self),
    DescribeLogDirs: describeLogDirsHandler(placementOf, self),
    SaslAuthenticate: saslAuthenticateHandler(sasl),
    CreatePartitions: createPartitionsHandler,
    DeleteGroups: deleteGroupsHandler,
    ElectLeaders: electLeadersHandler,
    IncrementalAlterConfigs: incrementalAlterConfigsHandler(self),
    AlterPartitionReassignments: alterPartitionReassignmentsHandler,
    ListPartitionReassignments: listPartitionReassignmentsHandler,
    OffsetDelete: offsetDeleteHandler,
    DescribeClientQuotas: describeClientQuotasHandler,
    AlterClientQuotas: alterClientQuotasHandler,
    DescribeUserScramCredentials: describeUserScramCredentialsHandler,
    AlterUserScramCredentials: alterUserScramCredentialsHandler,
    DescribeQuorum: describeQuorumHandler(placementOf),
    UpdateFeatures: updateFeaturesHandler,
    DescribeCluster: describeClusterHandler(placementOf),
    DescribeProducers: describeProducersHandler,
    DescribeTransactions: describeTransactionsHandler,
    ListTransactions: listTransactionsHandler,
    ConsumerGroupHeartbeat: consumerGroupHeartbeatHandler(groups),
    ConsumerGroupDescribe: consumerGroupDescribeHandler,
    GetTelemetrySubscriptions: getTelemetrySubscriptionsHandler(telemetry, clients),
    PushTelemetry: pushTelemetryHandler(telemetry, clients),
    ListConfigResources: listConfigResourcesHandler,
    DescribeTopicPartitions: describeTopicPartitionsHandler(placementOf),
    ShareGroupHeartbeat: shareGroupHeartbeatHandler(shareHeartbeats(cluster.port)),
    ShareGroupDescribe: shareGroupDescribeHandler,
    ShareFetch: shareFetchingRole(self, services.shareFetch),
    ShareAcknowledge: services.shareAcknowledge,
    DescribeShareGroupOffsets: describeShareGroupOffsetsHandler,
    AlterShareGroupOffsets: alterShareGroupOffsetsHandler,
    DeleteShareGroupOffsets: deleteShareGroupOffsetsHandler,
  } satisfies HandlerTable;

  const served: readonly Api[] = (Object.keys(table) as ServedApi[]).map((name) => apis[name]);
  const servedWithoutTelemetry = served.filter(
    (api) => api !== apis.GetTelemetrySubscriptions && api !== apis.PushTelemetry,
  );
  // A request is decoded by the definition whose handler gets it, which the types cannot say for a whole table.
  const byKey = new Map(
    Object.entries(table).map(([name, handler]) => [
      apis[name as ServedApi].key,
      handler as unknown as Handler<Fields, Fields>,
    ]),
  );

  /** Who is told of telemetry begins to push. Clients that were told before it ended are answered all the same. */
  function offered(): readonly Api[] {
    return telemetry.isWanted ? served : servedWithoutTelemetry;
  }

  /** The zone in the client id goes before the one of the address: whoever wrote it there knows better. */
  function locatedFeatures(clientId: string | null, remoteAddress: string): ClientFeatures {
    const features = featuresOf(clientId);
    const zone = features.zone ?? services.zoneOfAddress?.(remoteAddress);
    return zone === features.zone || zone === undefined ? features : { ...features, zone };
  }

  /** Whether a client should have gone to an agent of its own zone long ago, and wants to be told so by the end of its connection. */
  function isInWrongZone({ api, clientId, session: { remoteAddress }, closed }: ReceivedRequest): boolean {
    if (api !== apis.Produce && api !== apis.Fetch) return false;
    const features = featuresOf(clientId);
    if (features.interzoneLoadBalancing !== true) return false;
    const { zone } = locatedFeatures(clientId, remoteAddress);
    const isCrossing = zone !== undefined && zone !== self().zone;
    const isServedAtHome = () => placementOf({ clientId, remoteAddress }).agents[0]!.zone === zone;
    if (!crossings.isTooLong(closed, isCrossing && isServedAtHome())) return false;
    log.info('closed cross-zone connection at the request of its client', {
      clientId,
      peer: remoteAddress,
      clientZone: zone,
    });
    return true;
  }

  /** A client that wants another group or another cluster came to the wrong place, and must not go on here. */
  function isMisdirected({ clientId, session: { remoteAddress } }: ReceivedRequest): boolean {
    const { agentGroup, clusterId } = featuresOf(clientId);
    const isOtherGroup = agentGroup !== undefined && agentGroup !== self().group;
    const isOtherCluster = clusterId !== undefined && clusterId !== cluster.clusterId;
    if (!isOtherGroup && !isOtherCluster) return false;
    log.info('refused client of another agent group or cluster', {
      clientId,
      peer: remoteAddress,
      group: self().group,
      clusterId: cluster.clusterId,
    });
    return true;
  }

  return {
    serves: (api, apiVersion) => byKey.has(api.key) && apiVersion <= highestOfferedVersion(api),
    refuseApiVersions: () => apiVersionsRefusal(offered()),
    frameBytesMax: (session) => sasl.frameBytesMax(session),
    serveToken: (token, session, closed) => sasl.takeToken(session, token, closed),
    serve(request): HandlerResult<Fields> {
      if (!sasl.admits(request.session, request.api)) return 'close';
      if (isMisdirected(request) || isInWrongZone(request)) return 'close';
      const { api, apiVersion, clientId, session, requestBytes, closed, left = closed } = request;
      const { remoteAddress, remotePort, principal } = session;
      clients.served(request);
      const quotas = new RequestQuotas(services.quotas, {
        user: userOf(principal),
        clientId: clientId ?? '',
      });
      const context: RequestContext = {
        api,
        apiVersion,
        clientId,
        remoteAddress,
        remotePort,
        session,
        access: services.accessOf?.(request) ?? fullAccess(principal),
        origin: origins.next(closed),
        quotas,
        cluster,
        clock,
        log,
        closed,
        left,
      };
      const run = () => byKey.get(api.key)!(request.body, context);
      const answer = quotas.measure({ api, requestBytes, clock }, run);
      return services.slowDown === undefined ? answer : services.slowDown(api, answer);
    },
  };
}
