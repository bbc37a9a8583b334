import { rendezvousRank } from './rendezvous.ts';

/** A process that may lead clusters. */
export interface SharingMember {
  readonly id: string;
  readonly region?: string | undefined;
}

/**
 * The number of members that should rather lead the cluster than this one: those in a region that the cluster prefers,
 * and within a region those with a higher weight. `regions` begins with the most preferred one; all others are equal.
 */
export function preferenceRank(
  clusterId: string,
  self: SharingMember,
  members: readonly SharingMember[],
  regions: readonly string[],
): number {
  const placeOf = ({ region }: SharingMember) => {
    const place = region === undefined ? -1 : regions.indexOf(region);
    return place === -1 ? regions.length : place;
  };
  const own = placeOf(self);
  const equals: string[] = [];
  let better = 0;
  for (const member of members) {
    if (member.id === self.id) continue;
    const place = placeOf(member);
    if (place < own) better++;
    else if (place === own) equals.push(member.id);
  }
  return better + rendezvousRank(clusterId, self.id, equals);
}
