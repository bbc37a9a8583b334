import { ClusterUnavailable } from '@weir/cluster';
import type { Log } from '@weir/core';
import type { Api } from '@weir/wire';

/**
 * Returns the answer to a call about a group or a transaction, or `undefined` if it failed for any reason, which
 * clients get as COORDINATOR_LOAD_IN_PROGRESS. They retry with the agent that they know and keep their connection; if
 * it were closed, members would look for a coordinator that cannot do better. Failures other than an unavailable
 * control plane are logged, because they are defects.
 */
export async function coordinatorAnswer<Answer>(
  call: Promise<Answer>,
  { api, log }: { readonly api: Api; readonly log: Log },
): Promise<Answer | undefined> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ClusterUnavailable)) {
      log.error('failed to call coordinator', { api: api.name, error: String(error) });
    }
    return undefined;
  }
}
