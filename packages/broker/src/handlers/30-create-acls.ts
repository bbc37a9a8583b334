import { aclKey } from '@weir/cluster';
import type { Acl } from '@weir/core';
import { isUnknown, mayOnCluster, readAcl } from '@weir/security';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { inCalls } from '../cluster-calls/acl-calls.ts';
import { waitForView } from '../cluster-calls/wait-for-view.ts';
import { brokerLimits } from '../limits.ts';
import type { HandlerOf } from '../requests/handler.ts';

/**
 * CreateAcls v1 to v3; each ACL succeeds or fails separately. Creating an existing ACL is a no-op. ACLs can be created
 * before they are enforced, so the error is never SECURITY_DISABLED. When the response is sent, this agent applies the
 * new ACLs; other agents apply them when they receive the change.
 *
 * - INVALID_REQUEST for an ACL that Kafka does not know, for a resource without a name or another cluster, without a
 *   host, or for a principal that is not `User:` and a name. Also for ACLs beyond 10,000 in one request. As in Kafka,
 *   an operation that nothing asks for on such a resource is accepted.
 * - POLICY_VIOLATION if the cluster has the maximum number of ACLs.
 * - Requires ALTER on the cluster (CLUSTER_AUTHORIZATION_FAILED).
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 */
export const createAclsHandler: HandlerOf<Apis['CreateAcls']> = async ({ creations }, context) => {
  const { access, cluster } = context;
  if (!mayOnCluster(access, 'ALTER')) {
    return { throttleTimeMs: 0, results: creations.map(() => resultOf('CLUSTER_AUTHORIZATION_FAILED')) };
  }
  const read = creations.map((creation, index) =>
    index < brokerLimits.aclsPerRequestMax ? readAcl(creation) : tooMany,
  );
  const acls = read.filter((one): one is Acl => !isUnknown(one));
  const answers = await inCalls(acls, (some) => cluster.port.createAcls(some));
  const made = acls.filter((_, index) => answers[index]?.error === 'NONE').map(aclKey);
  const { byKey } = cluster.records('acl');
  await waitForView(context, () => made.every((key) => byKey.has(key)));
  let next = 0;
  return {
    throttleTimeMs: 0,
    results: read.map((one) => {
      if (isUnknown(one)) return resultOf('INVALID_REQUEST', one.message);
      const answer = answers[next++];
      return answer === undefined ? resultOf('NOT_CONTROLLER') : resultOf(answer.error, answer.message);
    }),
  };
};

const tooMany = { message: `Too many ACLs in one request; the limit is ${brokerLimits.aclsPerRequestMax}.` };

function resultOf(error: ErrorName, message: string | null = errors[error].message) {
  return { errorCode: errors[error].code, errorMessage: error === 'NONE' ? null : message };
}
