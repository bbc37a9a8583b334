import type { Client, OutputOf } from '@weir/api';
import { ApiError } from '@weir/api/client';
import { clusterKind, Failure } from '@weir/core';
import { orFailure } from '../api-client.ts';
import { clusterId } from '../api-cluster.ts';

export type Described = OutputOf<'orbit/describe_migration'>;
export type MigratedTopic = Described['topics'][number];

/** The id of the cluster that the migration copies to. */
export async function destinationId(client: Client, named: string | undefined): Promise<string> {
  const id = await clusterId(client, named);
  if (clusterKind(id) === 'data lake')
    throw new Failure(
      `${id} is a data lake cluster; only Kafka clusters have migrations: name one with -cluster`,
    );
  return id;
}

/** The migration of a cluster; absent if it has none. */
export async function migrationOf(
  client: Client,
  virtual_cluster_id: string,
): Promise<Described | undefined> {
  return orFailure(
    client.call('orbit/describe_migration', { virtual_cluster_id }).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'not_found' && /no migration/.test(error.message))
        return undefined;
      throw error;
    }),
  );
}
