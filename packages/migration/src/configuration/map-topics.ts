import { type Clock, nextTurn } from '@weir/core';
import { isTopicName } from '../topic-name.ts';
import type { TopicMapping } from './migration-configuration.ts';

export interface MappedTopic {
  readonly source: string;
  readonly destination: string;
  readonly mapping: TopicMapping;
}

export interface TopicMap {
  /** By name of the source. */
  readonly mapped: readonly MappedTopic[];
  /** Topics that a mapping matches and that cannot be copied, each with the reason. */
  readonly refused: readonly { readonly source: string; readonly reason: string }[];
  /** Topics that no mapping matches. */
  readonly unmatched: readonly string[];
}

/** State of the source itself, which has no meaning in another cluster. */
const internalTopics: ReadonlySet<string> = new Set([
  '__consumer_offsets',
  '__transaction_state',
  '__share_group_state',
  '__cluster_metadata',
]);

/** Steps of matching before others get their turn: about a millisecond. */
const stepsPerTurn = 100_000;

/**
 * Decides which topics of a source are copied, and to which names. The first mapping that matches a topic decides. Of
 * two topics that would have the same name here, none is copied: which one came first would decide what readers see.
 */
export async function mapTopics(
  mappings: readonly TopicMapping[],
  topics: readonly { readonly name: string; readonly isInternal?: boolean | undefined }[],
  clock: Pick<Clock, 'after'>,
): Promise<TopicMap> {
  const candidates: MappedTopic[] = [];
  const refused: { source: string; reason: string }[] = [];
  const unmatched: string[] = [];
  let steps = 0;
  for (const { name: source, isInternal = false } of topics) {
    let mapping: TopicMapping | undefined;
    for (const candidate of mappings) {
      steps += candidate.cost * (source.length + 1);
      if (!candidate.matches(source)) continue;
      mapping = candidate;
      break;
    }
    if (steps > stepsPerTurn) {
      steps = 0;
      await nextTurn(clock);
    }
    if (mapping === undefined) {
      unmatched.push(source);
      continue;
    }
    const destination = mapping.destinationPrefix + source;
    const reason =
      isInternal || internalTopics.has(source)
        ? 'is an internal topic of the source'
        : isTopicName(destination)
          ? undefined
          : `would be ${destination.slice(0, 300)}, which is not the name of a topic`;
    if (reason === undefined) candidates.push({ source, destination, mapping });
    else refused.push({ source, reason });
  }
  const byDestination = Map.groupBy(candidates, ({ destination }) => destination);
  const mapped: MappedTopic[] = [];
  for (const candidate of candidates) {
    const { source, destination } = candidate;
    const other = byDestination.get(destination)!.find((one) => one.source !== source);
    if (other === undefined) mapped.push(candidate);
    else refused.push({ source, reason: `would be ${destination}, as the topic ${other.source} would` });
  }
  return { mapped, refused, unmatched };
}
