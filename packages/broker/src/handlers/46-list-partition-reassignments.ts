import { mayOnCluster } from '@weir/security';
import { type Apis, errors } from '@weir/wire';
import type { HandlerOf } from '../requests/handler.ts';

/** ListPartitionReassignments v0: the list is always empty. Requires DESCRIBE on the cluster. */
export const listPartitionReassignmentsHandler: HandlerOf<Apis['ListPartitionReassignments']> = (
  _,
  { access },
) => {
  const isPermitted = mayOnCluster(access, 'DESCRIBE');
  const { code, message } = errors[isPermitted ? 'NONE' : 'CLUSTER_AUTHORIZATION_FAILED'];
  return { throttleTimeMs: 0, errorCode: code, errorMessage: isPermitted ? null : message, topics: [] };
};
