import { hashText } from './hash.ts';

/**
 * The node id that clients see of an agent: large, positive and the same wherever it is computed. Clients use small and
 * negative ids for themselves: the Java client counts bootstrap servers down from -1.
 *
 * Two of a thousand agents share an id once in five thousand clusters; the later one has to take another agent id.
 */
export function nodeIdOf(agentId: string): number {
  return (hashText(agentId) & 0x7fff_ffff) | 0x10_0000;
}
