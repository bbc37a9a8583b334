import { type AclResponse, describeAcls, KafkaRequestFailed } from '@weir/client';
import { errors } from '@weir/wire';
import type { SourceCluster } from './source-cluster.ts';

/** The ACLs of the source, or the one line why there are none. */
export type SourceAcls =
  | { readonly acls: readonly AclResponse[]; readonly problem: undefined }
  | { readonly acls: readonly []; readonly problem: string };

export async function sourceAcls(source: SourceCluster): Promise<SourceAcls> {
  try {
    return { acls: await describeAcls(source.asks, {}), problem: undefined };
  } catch (error) {
    if (!(error instanceof KafkaRequestFailed)) throw error;
    if (error.code === errors.SECURITY_DISABLED.code)
      return { acls: [], problem: 'the source has no ACLs: no authorizer is configured' };
    if (error.code === errors.CLUSTER_AUTHORIZATION_FAILED.code)
      return {
        acls: [],
        problem: 'the login of the source may not describe ACLs: it needs DESCRIBE on the cluster',
      };
    throw error;
  }
}
