import { type Access, mayOnCluster } from '@weir/security';
import { errors } from '@weir/wire';

const explanation = 'the control plane orders the cluster; there is no quorum whose voters could change';

/**
 * The answer to a change of the voters of the metadata quorum: UNSUPPORTED_VERSION, as from a cluster of Apache Kafka
 * whose `kraft.version` is 0.
 */
export function refusedVoterChange(access: Access) {
  const isAllowed = mayOnCluster(access, 'ALTER');
  const error = isAllowed ? errors.UNSUPPORTED_VERSION : errors.CLUSTER_AUTHORIZATION_FAILED;
  return {
    throttleTimeMs: 0,
    errorCode: error.code,
    errorMessage: isAllowed ? explanation : error.message,
  };
}
