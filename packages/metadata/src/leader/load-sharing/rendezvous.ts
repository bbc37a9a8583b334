import { hash } from 'node:crypto';

/**
 * Which of some processes should have a cluster: the one with the highest weight, which is a hash of both names. All who know the same
 * processes agree without talking, clusters spread evenly, and a process that comes or goes moves only what it gets or had.
 *
 * May never change: processes of two releases live side by side, and would hand clusters to and fro.
 */
export function rendezvousWeight(clusterId: string, memberId: string): number {
  return hash('sha256', `${clusterId}\n${memberId}`, 'buffer').readUIntBE(0, 6);
}

/** How many of the members should rather have the cluster than this one, which need not be among them. */
export function rendezvousRank(clusterId: string, memberId: string, memberIds: readonly string[]): number {
  const own = rendezvousWeight(clusterId, memberId);
  let rank = 0;
  for (const other of memberIds) {
    if (other === memberId) continue;
    const weight = rendezvousWeight(clusterId, other);
    if (weight > own || (weight === own && other < memberId)) rank++;
  }
  return rank;
}
