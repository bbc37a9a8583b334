import { consumerProtocolType, readSubscribedTopics } from '@weir/cluster';
import { type ClassicGroup, type Member, metadataOf } from './classic-group.ts';

/**
 * The topics that members subscribe to, or `undefined` if unknown. Member metadata is opaque except for consumers, and
 * only its topics are read.
 */
export function subscribedTopics(
  group: ClassicGroup,
  members: Iterable<Readonly<Member>>,
): ReadonlySet<string> | undefined {
  if (group.protocolType !== consumerProtocolType || group.protocolName === null) return undefined;
  const topics = new Set<string>();
  for (const member of members) {
    const own = readSubscribedTopics(metadataOf(member, group.protocolName));
    if (own === undefined) return undefined;
    for (const topic of own) topics.add(topic);
  }
  return topics;
}

export function isConsumerGroup({ protocolType }: ClassicGroup): boolean {
  return protocolType === consumerProtocolType;
}
