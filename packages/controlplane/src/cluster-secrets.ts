import type { Log } from '@weir/core';
import { type ClusterNode, clusterSecretBytes, clusterSecrets } from '@weir/metadata';

/** The part of a node that is needed. */
export type SecretsNode = Pick<ClusterNode, 'role' | 'onRole' | 'record' | 'execute'>;

/**
 * Makes the secrets of a cluster when this process leads it and they are missing. Returns the function that ends it. A leader that fails
 * at it is followed by another, which tries too.
 */
export function keepClusterSecrets(
  node: SecretsNode,
  { randomBytes, log }: { readonly randomBytes: (count: number) => Buffer; readonly log: Log },
): () => void {
  async function make(): Promise<void> {
    const changes = Object.values(clusterSecrets)
      .filter(({ namespace, key }) => node.record(namespace, key) === undefined)
      .map(({ namespace, key }) => ({ namespace, key, value: randomBytes(clusterSecretBytes) }));
    if (changes.length === 0) return;
    const { message } = await node.execute({ kind: 'putRecords', changes });
    if (message !== null) throw new Error(message);
  }

  function makeIfLeader(): void {
    if (node.role !== 'leader') return;
    make().catch((error: Error) =>
      log.warn('the secrets of the cluster could not be made', { problem: error.message }),
    );
  }

  makeIfLeader();
  return node.onRole(makeIfLeader);
}
