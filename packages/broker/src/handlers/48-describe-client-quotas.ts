import { isQuotaEntityType, type QuotaFilterPart } from '@weir/cluster';
import { mayOnCluster } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * DescribeClientQuotas v0 and v1: returns the quotas of entities that match all components. An empty list of components
 * matches all entities, unless the request is strict.
 *
 * - INVALID_REQUEST for a type that appears twice, a match with a superfluous or missing name, and an ip together with
 *   another type. An unknown type is UNSUPPORTED_VERSION, because a later release may know it.
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 * - Requires DESCRIBE_CONFIGS on the cluster.
 */
export const describeClientQuotasHandler: HandlerOf<Apis['DescribeClientQuotas']> = async (
  request,
  context,
) => {
  if (!mayOnCluster(context.access, 'DESCRIBE_CONFIGS')) {
    return refused('CLUSTER_AUTHORIZATION_FAILED', errors.CLUSTER_AUTHORIZATION_FAILED.message);
  }
  const { components, strict: isStrict } = request;
  const problem = problemOf(components);
  if (problem !== undefined) return refused(problem.error, problem.message);
  const parts = components.map(partOf);
  const found = await ifAvailable(context.cluster.port.describeClientQuotas({ parts, isStrict }));
  if (found === undefined) return refused('NOT_CONTROLLER', errors.NOT_CONTROLLER.message);
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    errorMessage: null,
    entries: found.map(({ entity, quotas }) => ({
      entity: entity.map(({ type, name }) => ({ entityType: type, entityName: name })),
      values: Object.entries(quotas).map(([key, value]) => ({ key, value })),
    })),
  };
};

type Component = RequestOf<Apis['DescribeClientQuotas']>['components'][number];

/** The index is the protocol value. */
const matches = ['name', 'default', 'any'] as const;

function problemOf(components: readonly Component[]): { error: ErrorName; message: string } | undefined {
  const types = components.map(({ entityType }) => entityType);
  const invalid = (message: string) => ({ error: 'INVALID_REQUEST' as const, message });
  for (const [index, { entityType, matchType, match }] of components.entries()) {
    if (entityType === '') return invalid('entity type is empty');
    // An unknown type ends the loop, so `indexOf` scans at most three known types.
    if (types.indexOf(entityType) !== index) return invalid(`duplicate entity type ${entityType}`);
    if (!isQuotaEntityType(entityType)) {
      return { error: 'UNSUPPORTED_VERSION', message: `unsupported entity type ${entityType}` };
    }
    const kind = matches[matchType];
    if (kind === undefined) return invalid(`unknown match type ${matchType}`);
    if (kind === 'name' && match === null) return invalid(`match for ${entityType} requires a name`);
    if (kind !== 'name' && match !== null) return invalid(`match type ${matchType} must not have a name`);
  }
  if (types.includes('ip') && types.length > 1) {
    return invalid('ip cannot be combined with user or client-id');
  }
  return undefined;
}

function partOf({ entityType, matchType, match }: Component): QuotaFilterPart {
  return { type: entityType as QuotaFilterPart['type'], match: matches[matchType]!, name: match };
}

function refused(error: ErrorName, message: string) {
  return { throttleTimeMs: 0, errorCode: errors[error].code, errorMessage: message, entries: null };
}
