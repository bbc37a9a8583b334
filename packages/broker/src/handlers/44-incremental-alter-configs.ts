import { type AgentDescription, configOperations } from '@weir/cluster';
import type { Apis, RequestOf } from '@weir/wire';
import { alterResources } from '../configs/alter-resources.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * IncrementalAlterConfigs v0 and v1: sets, deletes, appends to or subtracts from the named configs. The changes of one
 * resource are applied all or none.
 *
 * - INVALID_REQUEST for a repeated name, an unknown operation, and a missing value where one is required.
 * - INVALID_CONFIG for appending to a config that is not a list, an invalid value, and a name that neither Apache Kafka
 *   nor this service has. Read-only configs are INVALID_REQUEST.
 * - Deleting an unknown name changes nothing.
 *
 * Requires ALTER_CONFIGS on the topic or group, and on the cluster for everything else.
 */
export function incrementalAlterConfigsHandler(
  self: () => AgentDescription,
): HandlerOf<Apis['IncrementalAlterConfigs']> {
  return async (request, context) => {
    const resources = request.resources.map(({ resourceType, resourceName, configs }) => ({
      resourceType,
      resourceName,
      replacesAll: false,
      changes: readChanges(configs),
    }));
    return {
      throttleTimeMs: 0,
      responses: await alterResources(resources, request.validateOnly, context, self()),
    };
  };
}

type RequestedConfigs = RequestOf<Apis['IncrementalAlterConfigs']>['resources'][number]['configs'];

/**
 * Returns `undefined` if an operation is unknown. The index of an operation in `configOperations` is its protocol
 * value.
 */
function readChanges(configs: RequestedConfigs) {
  const changes = configs.map(({ name, configOperation, value }) => ({
    name,
    operation: configOperations[configOperation],
    value,
  }));
  return changes.every(isKnown) ? changes : undefined;
}

function isKnown<Operation>(change: {
  readonly name: string;
  readonly operation: Operation | undefined;
  readonly value: string | null;
}): change is { readonly name: string; readonly operation: Operation; readonly value: string | null } {
  return change.operation !== undefined;
}
