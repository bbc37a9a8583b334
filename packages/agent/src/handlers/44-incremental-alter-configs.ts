import { configOperations } from '@weir/metadata';
import type { Apis, RequestOf } from '@weir/wire';
import { alterResources } from './alter-resources.ts';
import type { HandlerOf } from './handler.ts';

/**
 * IncrementalAlterConfigs v0 and v1: the named configs are set, deleted, appended to or subtracted from, of each resource all or
 * none.
 *
 * - A name twice, an operation that does not exist, and a missing value where one is needed are INVALID_REQUEST.
 * - Appending to something that is no list is INVALID_CONFIG, and so is a value that is not allowed or an unknown name of ours.
 *   Other names that the catalogue does not have are ignored.
 *
 * It takes ALTER_CONFIGS on the topic or group, and on the cluster for everything else.
 */
export const incrementalAlterConfigsHandler: HandlerOf<Apis['IncrementalAlterConfigs']> = async (
  request,
  context,
) => {
  const resources = request.resources.map(({ resourceType, resourceName, configs }) => ({
    resourceType,
    resourceName,
    replacesAll: false,
    changes: readChanges(configs),
  }));
  return {
    throttleTimeMs: 0,
    responses: await alterResources(resources, request.validateOnly, context),
  };
};

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
