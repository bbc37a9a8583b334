import { pipelineLimits } from '../limits.ts';

/** What a Kafka input reads: topics as a whole, or some of their partitions. */
interface TopicList {
  readonly topics: readonly string[];
  /** Where to begin, by topic and partition; absent where the input decides. */
  readonly partitions: ReadonlyMap<string, ReadonlyMap<number, number | undefined>>;
}

interface TopicListOptions {
  /** Whether an offset may follow a partition: `orders:0:100`. */
  readonly mayNameOffsets: boolean;
}

/** Parses `orders`, `orders, payments`, `orders:0`, `orders:0-10` and `orders:0:100`; a text says what is wrong. */
export function parseTopicList(
  texts: readonly string[],
  { mayNameOffsets }: TopicListOptions,
): TopicList | string {
  const topics: string[] = [];
  const partitions = new Map<string, Map<number, number | undefined>>();
  let count = 0;
  const items = texts.flatMap((text) => text.split(',')).map((item) => item.trim());
  for (const item of items) {
    if (item === '') continue;
    const [topic = '', range, offsetText, ...more] = item.split(':').map((part) => part.trim());
    if (range === undefined) {
      topics.push(topic);
      continue;
    }
    if (topic === '' || more.length > 0) return `has ${item}, which is not a topic with a partition`;
    if (offsetText !== undefined && !mayNameOffsets)
      return `has ${item}; this input takes no offsets, kafka_franz does`;
    const bounds = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range);
    const offset = offsetText === undefined ? undefined : wholeNumber(offsetText);
    if (bounds === null || Number.isNaN(offset))
      return `has ${item}; write it as ${topic}:0 or ${topic}:0-10`;
    const first = Number(bounds[1]);
    const last = Number(bounds[2] ?? first);
    count += Math.max(0, last - first + 1);
    const { partitionsMax } = pipelineLimits;
    if (count > partitionsMax) return `names ${count} partitions; ${partitionsMax} are allowed`;
    const ofTopic = partitions.get(topic) ?? new Map<number, number | undefined>();
    partitions.set(topic, ofTopic);
    for (let partition = first; partition <= last; partition++)
      if (offset !== undefined || !ofTopic.has(partition)) ofTopic.set(partition, offset);
  }
  if (topics.length > 0 && partitions.size > 0)
    return 'has topics with and without partitions; use two inputs';
  if (topics.length === 0 && partitions.size === 0) return 'has no topic';
  return { topics: [...new Set(topics)], partitions };
}

function wholeNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
