import type { AgentDescription } from '@weir/cluster';
import type { Apis } from '@weir/wire';
import { alterResources } from '../configs/alter-resources.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * AlterConfigs v0 to v2: replaces all configs of a resource; configs that are not named return to their default.
 *
 * Errors are per resource (INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION), and a resource with an error
 * is not changed. A config without a value is INVALID_REQUEST.
 *
 * Requires ALTER_CONFIGS on the topic or group, and on the cluster for everything else.
 */
export function alterConfigsHandler(self: () => AgentDescription): HandlerOf<Apis['AlterConfigs']> {
  return async (request, context) => {
    const resources = request.resources.map(({ resourceType, resourceName, configs }) => ({
      resourceType,
      resourceName,
      replacesAll: true,
      changes: configs.map(({ name, value }) => ({ name, operation: 'set' as const, value })),
    }));
    return {
      throttleTimeMs: 0,
      responses: await alterResources(resources, request.validateOnly, context, self()),
    };
  };
}
