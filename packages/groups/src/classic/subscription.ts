import { type ClassicGroup, type Member, metadataOf } from './classic-group.ts';

/** Clients of this protocol type send their subscribed topics in a common format. */
const consumerProtocolType = 'consumer';

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
    const own = readTopics(metadataOf(member, group.protocolName));
    if (own === undefined) return undefined;
    for (const topic of own) topics.add(topic);
  }
  return topics;
}

export function isConsumerGroup({ protocolType }: ClassicGroup): boolean {
  return protocolType === consumerProtocolType;
}

/** Reads the common prefix of every version: int16 version, int32 count, then strings with an int16 length. */
function readTopics(metadata: Uint8Array): string[] | undefined {
  const bytes = Buffer.from(metadata.buffer, metadata.byteOffset, metadata.length);
  if (bytes.length < 6) return undefined;
  const count = bytes.readInt32BE(2);
  const topics: string[] = [];
  let at = 6;
  for (let left = count; left > 0; left--) {
    if (at + 2 > bytes.length) return undefined;
    const end = at + 2 + bytes.readInt16BE(at);
    if (end < at + 2 || end > bytes.length) return undefined;
    topics.push(bytes.toString('utf8', at + 2, end));
    at = end;
  }
  return topics;
}
