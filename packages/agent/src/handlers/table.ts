import { type Clock, caps, type Log } from '@weir/core';
import type { AgentDescription } from '@weir/metadata';
import { type Api, type Apis, apis, type Fields } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { ReceivedRequest, RequestServer } from '../net/request-server.ts';
import { rememberingParser } from '../placement/client-features.ts';
import { placementFor } from '../placement/placement.ts';
import type { PartitionAssignmentStrategy } from '../placement/strategies.ts';
import { metadataHandler } from './03-metadata.ts';
import { findCoordinatorHandler } from './10-find-coordinator.ts';
import { apiVersionsHandler, apiVersionsRefusal } from './18-api-versions.ts';
import { createTopicsHandler } from './19-create-topics.ts';
import { deleteTopicsHandler } from './20-delete-topics.ts';
import { initProducerIdHandler } from './22-init-producer-id.ts';
import { offsetForLeaderEpochHandler } from './23-offset-for-leader-epoch.ts';
import { createPartitionsHandler } from './37-create-partitions.ts';
import { describeClusterHandler } from './60-describe-cluster.ts';
import { describeTopicPartitionsHandler } from './75-describe-topic-partitions.ts';
import type { PlacementOf } from './described-agents.ts';
import type { Handler, HandlerOf, HandlerResult, RequestContext } from './handler.ts';
import { ProducerIds } from './producer-ids.ts';
import { fetchingRole, producingRole } from './role-refusals.ts';

/** The APIs that an agent serves and tells its clients about. An API gets its name here when its handler is ready. */
export type ServedApi =
  | 'Produce'
  | 'Fetch'
  | 'ListOffsets'
  | 'Metadata'
  | 'FindCoordinator'
  | 'ApiVersions'
  | 'CreateTopics'
  | 'DeleteTopics'
  | 'InitProducerId'
  | 'OffsetForLeaderEpoch'
  | 'CreatePartitions'
  | 'DescribeCluster'
  | 'DescribeTopicPartitions';

export type HandlerTable = { readonly [Name in ServedApi]: HandlerOf<Apis[Name]> };

/** What the handlers are made of. */
export interface HandlerServices {
  readonly cluster: ClusterView;
  readonly clock: Clock;
  readonly log: Log;
  /** This agent as it describes itself in its heartbeats. */
  readonly self: () => AgentDescription;
  /** For clients whose client id names none. */
  readonly defaultStrategy: PartitionAssignmentStrategy;
  readonly produce: HandlerOf<Apis['Produce']>;
  readonly fetch: HandlerOf<Apis['Fetch']>;
  readonly listOffsets: HandlerOf<Apis['ListOffsets']>;
}

/** Everything that stands behind a Kafka listener: the table of handlers and the rules that go for all of them. */
export function createHandlers(services: HandlerServices): RequestServer {
  const { cluster, clock, log, self } = services;
  const featuresOf = rememberingParser(caps.rememberedClientIdsMax);
  const producerIds = new ProducerIds(cluster.port, caps.producerIdBlock);
  const placementOf: PlacementOf = ({ clientId, remoteAddress }) =>
    placementFor({
      features: featuresOf(clientId),
      clientKey: `${clientId} ${remoteAddress}`,
      self: self(),
      agents: cluster.agents(),
      defaultStrategy: services.defaultStrategy,
    });

  const table = {
    Produce: producingRole(self, services.produce),
    Fetch: fetchingRole(self, services.fetch),
    ListOffsets: services.listOffsets,
    Metadata: metadataHandler(placementOf),
    FindCoordinator: findCoordinatorHandler(placementOf),
    ApiVersions: apiVersionsHandler(() => served),
    CreateTopics: createTopicsHandler,
    DeleteTopics: deleteTopicsHandler,
    InitProducerId: initProducerIdHandler(producerIds),
    OffsetForLeaderEpoch: offsetForLeaderEpochHandler,
    CreatePartitions: createPartitionsHandler,
    DescribeCluster: describeClusterHandler(placementOf),
    DescribeTopicPartitions: describeTopicPartitionsHandler(placementOf),
  } satisfies HandlerTable;

  const served: readonly Api[] = (Object.keys(table) as ServedApi[]).map((name) => apis[name]);
  // A request is decoded by the definition whose handler gets it, which the types cannot say for a whole table.
  const byKey = new Map(
    Object.entries(table).map(([name, handler]) => [
      apis[name as ServedApi].key,
      handler as unknown as Handler<Fields, Fields>,
    ]),
  );

  /** A client that wants another group or another cluster came to the wrong place, and must not go on here. */
  function isMisdirected({ clientId, remoteAddress }: ReceivedRequest): boolean {
    const { agentGroup, clusterId } = featuresOf(clientId);
    const isOtherGroup = agentGroup !== undefined && agentGroup !== self().group;
    const isOtherCluster = clusterId !== undefined && clusterId !== cluster.clusterId;
    if (!isOtherGroup && !isOtherCluster) return false;
    log.info('refused a client that asks for another agent group or cluster', {
      clientId,
      peer: remoteAddress,
      group: self().group,
      clusterId: cluster.clusterId,
    });
    return true;
  }

  return {
    serves: (api, apiVersion) => byKey.has(api.key) && apiVersion <= api.highestStableVersion,
    refuseApiVersions: () => apiVersionsRefusal(served),
    serve(request): HandlerResult<Fields> {
      if (isMisdirected(request)) return 'close';
      const { api, apiVersion, clientId, remoteAddress, closed } = request;
      const context: RequestContext = {
        api,
        apiVersion,
        clientId,
        remoteAddress,
        cluster,
        clock,
        log,
        closed,
      };
      return byKey.get(api.key)!(request.body, context);
    },
  };
}
