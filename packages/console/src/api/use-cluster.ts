import { useParams } from '@tanstack/react-router';
import type { CallOf, OperationName } from '@weir/api/client';
import { type ReadOptions, useOperation } from './use-operation.ts';

/** The id of the cluster that the page is about. */
export function useClusterId(): string {
  return useParams({ strict: false }).clusterId!;
}

/** Operations on a cluster. */
export type ClusterOperation = {
  [Name in OperationName]: CallOf<Name> extends { readonly virtual_cluster_id: string } ? Name : never;
}[OperationName];

/** Reads an operation on the cluster that the page is about. */
export function useClusterOperation<Name extends ClusterOperation>(
  name: Name,
  input: Omit<CallOf<Name>, 'virtual_cluster_id'>,
  options?: ReadOptions,
) {
  const virtual_cluster_id = useClusterId();
  return useOperation(name, { virtual_cluster_id, ...input } as unknown as CallOf<Name>, options);
}
