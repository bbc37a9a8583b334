import { clusterFacts } from '@weir/cluster';
import type { Log } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';

/** The part of a node that is needed. */
type NamedNode = Pick<ClusterNode, 'role' | 'record' | 'execute'>;

const { namespace, key } = clusterFacts.name;

/** Lets the agents of a cluster know what it is called, if this process leads it and they do not know it yet. */
export async function keepClusterName(node: NamedNode, name: string, log: Log): Promise<void> {
  if (node.role !== 'leader' || node.record(namespace, key)?.toString() === name) return;
  try {
    await node.execute({ kind: 'putEntries', changes: [{ namespace, key, value: Buffer.from(name) }] });
  } catch (error) {
    // The next look at the cluster tries again.
    log.debug('failed to publish cluster name to agents', { problem: (error as Error).message });
  }
}
