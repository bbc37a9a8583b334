import { type AgentDescription, configOperations } from '@weir/cluster';
import type { Apis, RequestOf } from '@weir/wire';
import { alterResources } from '../configs/alter-resources.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * IncrementalAlterConfigs v0 and v1: the named configs are set, deleted, appended to or subtracted from, of each resource all or
 * none.
 *
 * - A name twice, an operation that does not exist, and a missing value where one is needed are INVALID_REQUEST.
 * - Appending to something that is no list is INVALID_CONFIG, and so is a value that is not allowed or a name that neither Apache Kafka nor
 *   this service has. What can be read and not changed is INVALID_REQUEST.
 * - To unset a name that is not known changes nothing.
 *
 * It takes ALTER_CONFIGS on the topic or group, and on the cluster for everything else.
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

type AskedConfigs = RequestOf<Apis['IncrementalAlterConfigs']>['resources'][number]['configs'];

/** The operations have the order of their numbers. */
function readChanges(configs: AskedConfigs) {
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
