import { clusterResourceName } from '@weir/core';
import { operationsNotRequested } from '@weir/security';
import { type Apis, errors } from '@weir/wire';
import { type PlacementOf, rack } from '../placement/described-agents.ts';
import type { HandlerOf } from '../requests/handler.ts';

const brokerEndpoint = 1;

/**
 * DescribeCluster v0 to v2: the cluster id, the controller and the agents, as in Metadata for this client.
 *
 * - There are no controller endpoints: endpoint type 2 is MISMATCHED_ENDPOINT_TYPE, any other but 1
 *   UNSUPPORTED_ENDPOINT_TYPE, and beside both is neither cluster nor type, as in Apache Kafka.
 * - No agent is ever fenced; one without heartbeats is removed.
 * - Requires no permission, because Metadata returns the same. Authorized operations are those that the ACLs allow.
 */
export function describeClusterHandler(placementOf: PlacementOf): HandlerOf<Apis['DescribeCluster']> {
  return (request, context) => {
    const { endpointType } = request;
    const { clusterId } = context.cluster;
    if (endpointType !== brokerEndpoint) {
      const error = endpointType === 2 ? errors.MISMATCHED_ENDPOINT_TYPE : errors.UNSUPPORTED_ENDPOINT_TYPE;
      return {
        throttleTimeMs: 0,
        errorCode: error.code,
        errorMessage: 'unsupported endpoint type; this is a broker endpoint (type 1)',
        endpointType: brokerEndpoint,
        clusterId: '',
        brokers: [],
      };
    }
    const placement = placementOf(context);
    return {
      throttleTimeMs: 0,
      errorCode: errors.NONE.code,
      endpointType,
      clusterId,
      controllerId: placement.controller.nodeId,
      brokers: placement.agents.map((agent) => ({
        brokerId: agent.nodeId,
        host: placement.hostOf(agent),
        port: agent.kafkaPort,
        rack,
      })),
      clusterAuthorizedOperations: request.includeClusterAuthorizedOperations
        ? context.access.operationsOn('CLUSTER', clusterResourceName)
        : operationsNotRequested,
    };
  };
}
