import { type Access, mayOnCluster } from '@weir/security';
import { errors } from '@weir/wire';
import type { ClusterView } from './cluster-view.ts';

const explanation = 'the control plane orders the cluster; there is no quorum whose voters could change';

/**
 * The answer to a change of the voters of the metadata quorum: UNSUPPORTED_VERSION, as from a cluster of Apache Kafka
 * whose `kraft.version` is 0, and INCONSISTENT_CLUSTER_ID if it is meant for another cluster.
 */
export function refusedVoterChange(
  { clusterId }: { readonly clusterId: string | null },
  { access, cluster }: { readonly access: Access; readonly cluster: Pick<ClusterView, 'clusterId'> },
) {
  const { code: errorCode, message: errorMessage } = refusal();
  return { throttleTimeMs: 0, errorCode, errorMessage };

  function refusal(): { readonly code: number; readonly message: string } {
    if (!mayOnCluster(access, 'ALTER')) return errors.CLUSTER_AUTHORIZATION_FAILED;
    if (clusterId !== null && clusterId !== cluster.clusterId) return errors.INCONSISTENT_CLUSTER_ID;
    return { code: errors.UNSUPPORTED_VERSION.code, message: explanation };
  }
}
