import { ClusterUnavailable } from '@weir/cluster';

/**
 * Returns the answer of the control plane, or `undefined` if it is unavailable. Every API has its own error for that.
 */
export async function ifAvailable<Answer>(call: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ClusterUnavailable) return undefined;
    throw error;
  }
}
