import { batchesAt, headerOf } from '../source/batch-starts.ts';
import { exactNumber } from '../source/exact-number.ts';
import { placeKey } from '../source/place-key.ts';
import type { RefusedFetch } from '../source/raw-fetch.ts';
import type { SourceCluster } from '../source/source-cluster.ts';
import { endBatchOf, findOtherRecords } from '../truncation/index.ts';
import type { CopyDestination } from './destination.ts';

/** A copy, and who leads its partition at the source. */
interface ComparedCopy {
  readonly topicId: string;
  readonly sourceTopic: string;
  readonly sourceTopicId: string | null;
  readonly partition: number;
  readonly leaderId: number;
  /** Where the copy ends. */
  readonly nextOffset: number;
}

/**
 * `same`: nothing says otherwise. `other`: the source has other records where the copy ends. `unanswered`: the source
 * did not say, and is to be asked again.
 */
type EndVerdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'other'; readonly message: string }
  | { readonly kind: 'unanswered'; readonly refusal: RefusedFetch | undefined };

const same: EndVerdict = { kind: 'same' };

/**
 * Compares the last batches of copies with what the source has at their offsets. A source that lost a part of its log
 * and got as many records again is found by that alone, whatever was known of epochs before. Returns a verdict per
 * copy, in their order.
 */
export async function compareEnds(
  source: SourceCluster,
  destination: Pick<CopyDestination, 'lastBatches'>,
  copies: readonly ComparedCopy[],
): Promise<readonly EndVerdict[]> {
  const lasts = await destination.lastBatches(copies);
  const positions = copies.flatMap(
    ({ sourceTopic: topic, sourceTopicId: topicId, partition, leaderId, nextOffset }, at) =>
      lasts[at] === undefined ? [] : [{ topic, topicId, partition, leaderId, offset: nextOffset - 1 }],
  );
  if (positions.length === 0) return copies.map(() => same);
  const { found, refused } = await batchesAt(source, positions);
  const byPlace = new Map(found.map((batch) => [placeKey(batch), batch]));
  const refusals = new Map(refused.map((refusal) => [placeKey(refusal), refusal]));
  return copies.map(({ sourceTopic: topic, partition }, at): EndVerdict => {
    const last = lasts[at];
    if (last === undefined) return same;
    const key = placeKey({ topic, partition });
    const batch = byPlace.get(key);
    if (batch === undefined) {
      const refusal = refusals.get(key);
      // A log that does not reach so far, or begins behind it, is found by its ends.
      return refusal?.failure === 'out-of-range' ? same : { kind: 'unanswered', refusal };
    }
    const header = headerOf(batch);
    if (header === undefined) return same;
    const there = endBatchOf(header, exactNumber(header.baseOffset));
    const message = findOtherRecords(there, last.batch, last);
    return message === undefined ? same : { kind: 'other', message };
  });
}
