import type { AlterClientQuotasResult } from '@weir/cluster';
import { mayOnCluster } from '@weir/security';
import { type Apis, errors, type RequestOf } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { tooManyProblem } from '../requests/entry-limit.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * AlterClientQuotas v0 and v1, with one call to the control plane for all entities; each succeeds or fails separately.
 * Agents receive quotas with the change stream, so that they apply everywhere shortly after.
 *
 * - An entity is a user, a client-id, both, or an ip. INVALID_REQUEST for anything else, a repeated entity or key, a
 *   key that the entity cannot have, and a value that is not above 0. An ip is an address: host names are not resolved.
 *   If the request has too many entities, all of them are INVALID_REQUEST.
 * - POLICY_VIOLATION if the cluster has the maximum number of quotas.
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 * - Requires ALTER_CONFIGS on the cluster.
 */
export const alterClientQuotasHandler: HandlerOf<Apis['AlterClientQuotas']> = async (request, context) => {
  const { entries, validateOnly } = request;
  if (!mayOnCluster(context.access, 'ALTER_CONFIGS')) {
    const { code: errorCode, message: errorMessage } = errors.CLUSTER_AUTHORIZATION_FAILED;
    return { throttleTimeMs: 0, entries: entries.map(({ entity }) => ({ errorCode, errorMessage, entity })) };
  }
  const tooMany = tooManyProblem(entries.length);
  if (tooMany !== undefined) {
    const { code: errorCode } = errors.INVALID_REQUEST;
    const refused = entries.map(({ entity }) => ({ errorCode, errorMessage: tooMany, entity }));
    return { throttleTimeMs: 0, entries: refused };
  }
  const problems = entries.map(problemOf);
  const toAlter = entries
    .filter((_, index) => problems[index] === undefined)
    .map(({ entity, ops }) => ({
      entity: entity.map(({ entityType, entityName }) => ({ type: entityType, name: entityName })),
      changes: ops.map(({ key, value, remove }) => ({ key, value: remove ? null : value })),
    }));
  const { port } = context.cluster;
  const results =
    toAlter.length === 0 ? [] : await ifAvailable(port.alterClientQuotas(toAlter, { validateOnly }));
  let next = 0;
  return {
    throttleTimeMs: 0,
    entries: entries.map(({ entity }, index) => {
      const { error, message } = problems[index] ??
        results?.[next++] ?? { error: 'NOT_CONTROLLER' as const, message: errors.NOT_CONTROLLER.message };
      return { errorCode: errors[error].code, errorMessage: message, entity };
    }),
  };
};

type Entry = RequestOf<Apis['AlterClientQuotas']>['entries'][number];

/** The call to the control plane would turn a value that is not a finite number into a removal. */
function problemOf({ ops }: Entry): AlterClientQuotasResult | undefined {
  const wrong = ops.find(({ value, remove }) => !remove && !Number.isFinite(value));
  if (wrong === undefined) return undefined;
  return { error: 'INVALID_REQUEST', message: `${wrong.key} must be a number, got ${wrong.value}.` };
}
