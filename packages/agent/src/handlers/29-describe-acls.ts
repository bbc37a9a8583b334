import type { Acl } from '@weir/core';
import { type Apis, errors } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { mayOnCluster } from '../security/access.ts';
import { entryNumbers, isUnknown, readFilter, resourceNumbers } from '../security/acl/acl-words.ts';

/**
 * DescribeAcls v1 to v3: the rules that a filter finds, told by their resources. There are rules whether or not they are enforced, so
 * that the answer is never SECURITY_DISABLED.
 *
 * - A number that stands for nothing is INVALID_REQUEST.
 * - DESCRIBE of the cluster is needed, else CLUSTER_AUTHORIZATION_FAILED.
 * - When the control plane cannot be reached the answer is NOT_CONTROLLER, upon which admin clients look again and retry.
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
    resources: Array.from(byResource(found).values(), (acls) => ({
      ...resourceNumbers(acls[0]!),
      acls: acls.map(entryNumbers),
    })),
  };
};

function byResource(acls: readonly Acl[]): Map<string, Acl[]> {
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
