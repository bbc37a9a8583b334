import { ClusterUnavailable } from '@weir/cluster';

/** The answer of the control plane, or `undefined` when it cannot be reached just now. Every API has its own word for that. */
export async function ifAvailable<Answer>(call: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ClusterUnavailable) return undefined;
    throw error;
  }
}
