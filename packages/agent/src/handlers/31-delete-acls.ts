import { type AclFilter, aclKey } from '@weir/cluster';
import type { Acl } from '@weir/core';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { inCalls } from '../cluster-calls/acl-calls.ts';
import { waitForView } from '../cluster-calls/wait-for-view.ts';
import { agentLimits } from '../limits.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { mayOnCluster } from '../security/access.ts';
import { entryNumbers, isUnknown, readFilter, resourceNumbers } from '../security/acl/acl-words.ts';

/**
 * DeleteAcls v1 to v3: each filter is answered with the rules that it found and that are gone now. When the answer comes, this agent
 * no longer decides by them, and the others stop as soon as they hear of it.
 *
 * - A number that stands for nothing is INVALID_REQUEST, and so are filters beyond 10,000 in one request, too many that leave fields open,
 *   and one that finds more rules than one request may delete. Nothing of such a filter is deleted.
 * - ALTER of the cluster is needed, else CLUSTER_AUTHORIZATION_FAILED.
 * - When the control plane cannot be reached the answer is NOT_CONTROLLER, upon which admin clients look again and retry.
 */
export const deleteAclsHandler: HandlerOf<Apis['DeleteAcls']> = async ({ filters: asked }, context) => {
  const { access, cluster } = context;
  if (!mayOnCluster(access, 'ALTER')) {
    return { throttleTimeMs: 0, filterResults: asked.map(() => resultOf('CLUSTER_AUTHORIZATION_FAILED')) };
  }
  const read = asked.map((filter, index) =>
    index < agentLimits.aclsPerRequestMax ? readFilter(filter) : tooMany,
  );
  const filters = read.filter((one): one is AclFilter => !isUnknown(one));
  const answers = await inCalls(filters, (some) => cluster.port.deleteAcls(some));
  const gone = answers.flatMap((answer) => answer?.deleted ?? []).map(aclKey);
  const { byKey } = cluster.records('acl');
  await waitForView(context, () => !gone.some((key) => byKey.has(key)));
  let next = 0;
  return {
    throttleTimeMs: 0,
    filterResults: read.map((one) => {
      if (isUnknown(one)) return resultOf('INVALID_REQUEST', one.message);
      const answer = answers[next++];
      if (answer === undefined) return resultOf('NOT_CONTROLLER');
      return resultOf(answer.error, answer.message, answer.deleted);
    }),
  };
};

const tooMany = { message: `A request has at most ${agentLimits.aclsPerRequestMax} filters.` };

function resultOf(
  error: ErrorName,
  message: string | null = errors[error].message,
  deleted: readonly Acl[] = [],
) {
  return {
    errorCode: errors[error].code,
    errorMessage: error === 'NONE' ? null : message,
    matchingAcls: deleted.map((acl) => ({
      errorCode: errors.NONE.code,
      errorMessage: null,
      ...resourceNumbers(acl),
      ...entryNumbers(acl),
    })),
  };
}
