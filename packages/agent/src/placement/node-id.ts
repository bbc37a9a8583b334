import { hashText } from './hash.ts';

/**
 * The node id that an agent claims until its cluster has given it one, which leaders of earlier releases never do: the same wherever it is
 * computed, and below 2^24, where librdkafka crashes. Two of a hundred agents share such an id once in eight hundred clusters.
 */
export function claimedNodeId(agentId: string): number {
  return (hashText(agentId) & 0x7f_ffff) | 0x10_0000;
}
