import type { AgentDescription } from '@weir/cluster';
import type { Apis } from '@weir/wire';
import { alterResources } from '../configs/alter-resources.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * AlterConfigs v0 to v2: all configs of a resource are replaced, so that those which are not named have their default again.
 *
 * What is wrong with a resource is told for it alone (INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION), and nothing of it
 * is changed then. A config without a value is INVALID_REQUEST.
 *
 * It takes ALTER_CONFIGS on the topic or group, and on the cluster for everything else.
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
