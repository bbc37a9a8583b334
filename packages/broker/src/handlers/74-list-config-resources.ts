import type { StoredConfigKind } from '@weir/cluster';
import { isInternalTopic } from '@weir/core';
import { mayOnCluster } from '@weir/security';
import { type Apis, errors } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { configResourceType } from '../configs/config-resources.ts';
import type { HandlerOf } from '../requests/handler.ts';

type ResourceType = (typeof configResourceType)[keyof typeof configResourceType];

const storedKinds: Partial<Record<ResourceType, StoredConfigKind>> = {
  [configResourceType.group]: 'group',
  [configResourceType.clientMetrics]: 'clientMetrics',
};

const everyType = Object.values(configResourceType);

/**
 * ListConfigResources v0 and v1: all topics and brokers, and the groups and client metrics subscriptions that have
 * configs.
 *
 * - v0 lists subscriptions only. From v1 on an empty list of types means all of them; an unknown type is
 *   UNSUPPORTED_VERSION.
 * - If the control plane is unavailable, the error is COORDINATOR_NOT_AVAILABLE.
 * - Requires DESCRIBE_CONFIGS on the cluster.
 */
export const listConfigResourcesHandler: HandlerOf<Apis['ListConfigResources']> = async (
  request,
  { cluster, access, apiVersion },
) => {
  if (!mayOnCluster(access, 'DESCRIBE_CONFIGS')) {
    return { throttleTimeMs: 0, errorCode: errors.CLUSTER_AUTHORIZATION_FAILED.code, configResources: [] };
  }
  const requestedTypes = [...new Set(request.resourceTypes)];
  const types =
    apiVersion === 0
      ? [configResourceType.clientMetrics]
      : requestedTypes.length === 0
        ? everyType
        : requestedTypes;
  if (!types.every(isResourceType)) {
    return { throttleTimeMs: 0, errorCode: errors.UNSUPPORTED_VERSION.code, configResources: [] };
  }
  const lists = await ifAvailable(Promise.all(types.map((type) => namesOf(type, cluster))));
  if (lists === undefined) {
    return { throttleTimeMs: 0, errorCode: errors.COORDINATOR_NOT_AVAILABLE.code, configResources: [] };
  }
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    configResources: lists.flatMap((names, index) =>
      names.map((resourceName) => ({ resourceName, resourceType: types[index]! })),
    ),
  };
};

async function namesOf(type: ResourceType, cluster: ClusterView): Promise<string[]> {
  const stored = storedKinds[type];
  if (stored !== undefined) return cluster.port.listConfigResources(stored);
  if (type === configResourceType.topic)
    return Array.from(cluster.topics(), ({ name }) => name).filter((name) => !isInternalTopic(name));
  return cluster.agents().map(({ nodeId }) => String(nodeId));
}

function isResourceType(type: number): type is ResourceType {
  return (everyType as readonly number[]).includes(type);
}
