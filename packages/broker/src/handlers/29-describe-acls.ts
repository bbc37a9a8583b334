import {
  entryNumbers,
  isKafkaAcl,
  isUnknown,
  type KafkaAcl,
  mayOnCluster,
  readFilter,
  resourceNumbers,
} from '@weir/security';
import { type Apis, errors } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * DescribeAcls v1 to v3: returns the ACLs that match a filter, grouped by resource. ACLs exist whether or not they are
 * enforced, so the error is never SECURITY_DISABLED. Those of the schema registry are left out.
 *
 * - An unknown enum value is INVALID_REQUEST.
 * - Requires DESCRIBE on the cluster (CLUSTER_AUTHORIZATION_FAILED).
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 */
export const describeAclsHandler: HandlerOf<Apis['DescribeAcls']> = async (request, { access, cluster }) => {
  if (!mayOnCluster(access, 'DESCRIBE')) return refused('CLUSTER_AUTHORIZATION_FAILED');
  const filter = readFilter(request);
  if (isUnknown(filter)) return refused('INVALID_REQUEST', filter.message);
  const found = await ifAvailable(cluster.port.describeAcls(filter));
  if (found === undefined) return refused('NOT_CONTROLLER');
  return {
    throttleTimeMs: 0,
    errorCode: errors.NONE.code,
    errorMessage: null,
    resources: Array.from(byResource(found.filter(isKafkaAcl)).values(), (acls) => ({
      ...resourceNumbers(acls[0]!),
      acls: acls.map(entryNumbers),
    })),
  };
};

function byResource(acls: readonly KafkaAcl[]): Map<string, KafkaAcl[]> {
  return Map.groupBy(acls, ({ resourceType, resourceName, patternType }) =>
    [resourceType, patternType, resourceName].join(' '),
  );
}

function refused(
  error: 'CLUSTER_AUTHORIZATION_FAILED' | 'INVALID_REQUEST' | 'NOT_CONTROLLER',
  message = errors[error].message,
) {
  return { throttleTimeMs: 0, errorCode: errors[error].code, errorMessage: message, resources: [] };
}
