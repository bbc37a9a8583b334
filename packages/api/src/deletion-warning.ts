/** What a dry run found out about records that a change deletes, in words; without the schemas, which are large. */

interface DeletionEstimate {
  readonly records: number;
  readonly bytes: number;
  readonly topic_count: number;
  readonly topics: readonly { readonly name: string }[];
  readonly deleted_topic_count: number;
  readonly deleted_topic_bytes: number;
  readonly is_complete: boolean;
}

/**
 * Returns what the change deletes, as the object of a sentence: `1,200 records (3 MiB) of 2 topics`. `undefined` if
 * that is nothing.
 */
export function deletedByChange(estimate: DeletionEstimate): string | undefined {
  const { records, bytes, topic_count, topics, is_complete: isComplete } = estimate;
  const ofTopics = topic_count === 1 ? topics[0]!.name : counted(topic_count, 'topic');
  const parts = [
    ...(records === 0 ? [] : [`${counted(records, 'record')} (${bytesText(bytes)}) of ${ofTopics}`]),
    ...(estimate.deleted_topic_count === 0
      ? []
      : [
          `${counted(estimate.deleted_topic_count, 'deleted topic')} (${bytesText(estimate.deleted_topic_bytes)}) that can still be restored`,
        ]),
  ];
  if (parts.length > 0) return `${isComplete ? '' : 'at least '}${parts.join(', and ')}`;
  return isComplete ? undefined : 'records; there are too many to count them here';
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

function bytesText(bytes: number): string {
  const unit = Math.min(units.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** unit;
  return `${amount.toLocaleString('en', { maximumFractionDigits: amount < 10 && unit > 0 ? 1 : 0 })} ${units[unit]}`;
}
