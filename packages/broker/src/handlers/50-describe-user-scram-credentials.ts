import { mayOnCluster, scramSha512 } from '@weir/security';
import { type Apis, type ErrorName, errors } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import { tooManyProblem } from '../requests/entry-limit.ts';
import type { HandlerOf } from '../requests/handler.ts';
import { repeatedOf } from '../requests/repeated.ts';

/**
 * DescribeUserScramCredentials v0: returns the users with a credential and their iterations. Salts and keys are never
 * returned.
 *
 * - Without users, all are described. A user named twice is DUPLICATE_RESOURCE, answered once, and a user without a
 *   credential RESOURCE_NOT_FOUND. Too many users are INVALID_REQUEST.
 * - If the control plane is unavailable, the error is NOT_CONTROLLER, and admin clients refresh metadata and retry.
 * - Requires DESCRIBE on the cluster.
 */
export const describeUserScramCredentialsHandler: HandlerOf<Apis['DescribeUserScramCredentials']> = async (
  request,
  context,
) => {
  if (!mayOnCluster(context.access, 'DESCRIBE')) return answer('CLUSTER_AUTHORIZATION_FAILED', []);
  const names = (request.users ?? []).map(({ name }) => name);
  const tooMany = tooManyProblem(names.length);
  if (tooMany !== undefined) return answer('INVALID_REQUEST', [], tooMany);
  const users = [...new Set(names)];
  const repeated = repeatedOf(names);
  const unrepeated = users.filter((user) => !repeated.has(user));
  const { port } = context.cluster;
  const isOnlyRepeated = users.length > 0 && unrepeated.length === 0;
  const found = isOnlyRepeated ? [] : await ifAvailable(port.describeScramCredentials(unrepeated));
  if (found === undefined) return answer('NOT_CONTROLLER', []);

  const described = new Map(found.flatMap((one) => (one === null ? [] : [[one.user, one]])));
  const results = (users.length > 0 ? users : [...described.keys()]).map((user) => {
    const credential = described.get(user);
    if (credential === undefined) {
      const error = errors[repeated.has(user) ? 'DUPLICATE_RESOURCE' : 'RESOURCE_NOT_FOUND'];
      return { user, errorCode: error.code, errorMessage: error.message, credentialInfos: [] };
    }
    const { iterations } = credential;
    return {
      user,
      errorCode: errors.NONE.code,
      errorMessage: null,
      credentialInfos: [{ mechanism: scramSha512, iterations }],
    };
  });
  return answer('NONE', results);

  function answer<Result>(error: ErrorName, rows: Result[], message: string = errors[error].message) {
    const { code } = errors[error];
    const errorMessage = error === 'NONE' ? null : message;
    return { throttleTimeMs: 0, errorCode: code, errorMessage, results: rows };
  }
};
