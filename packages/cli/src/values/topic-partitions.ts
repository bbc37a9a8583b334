import type { Outcome } from '../outcome.ts';

/** The partitions of each topic; `all` are those that it has when it is looked up. */
export type TopicPartitions = ReadonlyMap<string, readonly number[] | 'all'>;

const topicName = /^[A-Za-z0-9._-]{1,249}$/;
const partitionNumber = /^\d{1,10}$/;
const partitionMax = 2_147_483_647;
const allowed = 'topics such as orders,payments, or partitions such as orders:0,1,payments:*, are allowed';

/**
 * Reads topics with a comma between them, each with or without a colon and its partitions, as Kafka's tools write them.
 * A number behind a partition is another one, so a topic whose name is a number stands first, or with its own colon.
 */
export function readTopicPartitions(text: string): Outcome<TopicPartitions, string> {
  const topics = new Map<string, number[] | 'all'>();
  let latest: string | undefined;
  for (const item of text.split(',').map((part) => part.trim())) {
    const listed = latest === undefined ? undefined : topics.get(latest);
    if (Array.isArray(listed) && partitionNumber.test(item)) {
      listed.push(Number(item));
      continue;
    }
    const [name = '', partition, ...more] = item.split(':');
    const isAll = partition === undefined || partition === '*';
    const isOne = partition !== undefined && partitionNumber.test(partition);
    if (!topicName.test(name) || more.length > 0 || (!isAll && !isOne)) return { problem: allowed };
    if (topics.has(name)) return { problem: `topic ${name} is listed twice` };
    topics.set(name, isAll ? 'all' : [Number(partition)]);
    latest = name;
  }
  for (const [name, partitions] of topics) {
    if (partitions === 'all') continue;
    if (new Set(partitions).size < partitions.length)
      return { problem: `a partition of topic ${name} is listed twice` };
    if (partitions.some((partition) => partition > partitionMax)) return { problem: allowed };
  }
  return { value: topics };
}
