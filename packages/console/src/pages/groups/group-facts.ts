import type { OutputOf } from '@weir/api/client';

type Described = OutputOf<'describe_consumer_group'>['group'];
type Member = Described['members'][number];

/** Kafka's protocols of groups, as its documentation names them. */
export const protocolNames: Readonly<Record<Described['type'], string>> = {
  classic: 'classic: members join and sync',
  consumer: 'consumer (KIP-848): assigned by the cluster',
  share: 'share (KIP-932): members share partitions',
  streams: 'streams (KIP-1071): tasks assigned by the cluster',
};

/** The latest commit of any partition; `null` if there is none. Times of one form compare as texts. */
export function lastCommitOf(partitions: readonly { readonly committed_at: string | null }[]): string | null {
  return partitions.reduce<string | null>(
    (last, { committed_at: at }) => (at !== null && (last === null || at > last) ? at : last),
    null,
  );
}

/** The member that reads a partition, by what its client calls itself and where it runs. */
export function ownerOf(
  members: readonly Pick<Member, 'id' | 'client_id' | 'client_host'>[],
  memberId: string | null,
): string | undefined {
  if (memberId === null) return undefined;
  const member = members.find(({ id }) => id === memberId);
  if (member === undefined) return memberId;
  const host = member.client_host.replace(/^\//, '');
  return host === '' ? member.client_id : `${member.client_id} at ${host}`;
}

/** How many partitions no member reads. */
export function unownedCount({ topics }: Pick<Described, 'topics'>): number {
  return topics.flatMap(({ partitions }) => partitions).filter(({ member_id }) => member_id === null).length;
}

/** `orders 0, 1, 2 · payments 4`, the first topics of what a member reads. */
export function assignmentText({ assignment }: Pick<Member, 'assignment'>): string {
  const shown = assignment.assignments.slice(0, topicsShown).map(({ topic_name: topic, partitions }) => {
    const first = partitions.slice(0, partitionsShown).join(', ');
    return `${topic} ${first}${partitions.length > partitionsShown ? ', …' : ''}`;
  });
  const left = assignment.assignments.length - shown.length;
  return [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join(' · ');
}

const topicsShown = 4;
const partitionsShown = 12;
