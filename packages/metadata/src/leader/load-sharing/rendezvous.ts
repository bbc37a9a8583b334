import { hash } from 'node:crypto';

/**
 * The weight of a process for a cluster, a hash of both names: the process with the highest weight should lead it. All
 * that know the same processes agree without communication, clusters spread evenly, and a process that comes or goes
 * moves only its own clusters.
 *
 * Must never change: processes of two releases run side by side, and would hand clusters back and forth.
 */
export function rendezvousWeight(clusterId: string, memberId: string): number {
  return hash('sha256', `${clusterId}\n${memberId}`, 'buffer').readUIntBE(0, 6);
}

/** The number of members that are better candidates for the cluster than this one, which need not be among them. */
export function rendezvousRank(clusterId: string, memberId: string, memberIds: readonly string[]): number {
  const others = memberIds.filter((id) => id !== memberId);
  // A process that is alone asks for all of its clusters every other second.
  if (others.length === 0) return 0;
  const own = rendezvousWeight(clusterId, memberId);
  let rank = 0;
  for (const other of others) {
    const weight = rendezvousWeight(clusterId, other);
    if (weight > own || (weight === own && other < memberId)) rank++;
  }
  return rank;
}
