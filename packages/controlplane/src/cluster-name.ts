import { clusterFacts } from '@weir/cluster';
import type { Log } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';

/** The methods of a node that are needed. */
type NamedNode = Pick<ClusterNode, 'role' | 'record' | 'execute'>;

const { namespace, key } = clusterFacts.name;

/** Publishes the name of a cluster to its agents, if this process leads it and they do not have it yet. */
export async function keepClusterName(node: NamedNode, name: string, log: Log): Promise<void> {
  if (node.role !== 'leader' || node.record(namespace, key)?.toString() === name) return;
  try {
    await node.execute({ kind: 'putEntries', changes: [{ namespace, key, value: Buffer.from(name) }] });
  } catch (error) {
    // The next check of the cluster tries again.
    log.debug('failed to publish cluster name to agents', { error: (error as Error).message });
  }
}
