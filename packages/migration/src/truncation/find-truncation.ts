/**
 * Whether a source still has what was copied of it, decided from facts alone. A copy is never overwritten: a source
 * that lost records, or is another topic of the same name, stops the partition until an operator decides.
 */

/** What is known of the source's partition. */
export interface SourceFacts {
  /** Absent if the source has no ids. */
  readonly topicId: string | null;
  readonly logStart: number;
  /** The end of what is replicated. */
  readonly endOffset: number;
  /**
   * Where the epoch of the last copied batch ends at the source, and the epoch that it found in place of that one.
   * Absent if the source was not asked, or cannot be.
   */
  readonly lastEpochEnd?: { readonly epoch: number; readonly endOffset: number } | undefined;
  /** Where the source found that the logs diverge, as an answer to a fetch. */
  readonly diverging?: { readonly epoch: number; readonly endOffset: number } | undefined;
}

/** What is known of the copy. */
export interface CopyFacts {
  readonly topicId: string | null;
  readonly logStart: number;
  readonly nextOffset: number;
  /** The leader epoch of the last batch that was copied, if known. */
  readonly lastEpoch?: number | undefined;
}

export type SourceVerdict =
  /** The copy goes on. `logStart` is to be followed, if it is above that of the copy. */
  | { readonly kind: 'intact'; readonly logStart: number }
  /** The source deleted records that were not copied. The copy goes on behind the gap. */
  | { readonly kind: 'gap'; readonly fromOffset: number; readonly toOffset: number }
  /** Stop: the topic was deleted, and another one has its name. */
  | { readonly kind: 'recreated'; readonly message: string }
  /** Stop: the source lost records that were copied, or has others in their place, from this offset on. */
  | { readonly kind: 'truncated'; readonly fromOffset: number; readonly message: string };

export function findTruncation(source: SourceFacts, copy: CopyFacts): SourceVerdict {
  if (source.topicId !== null && copy.topicId !== null && source.topicId !== copy.topicId)
    return {
      kind: 'recreated',
      message: `the topic was created again at the source: its id is ${source.topicId}, and that of the copy is ${copy.topicId}`,
    };
  if (source.endOffset < copy.nextOffset)
    return {
      kind: 'truncated',
      fromOffset: source.endOffset,
      message: `the source ends at offset ${source.endOffset}, and the copy at ${copy.nextOffset}`,
    };
  const shorter = shorterEpoch(source, copy);
  if (shorter !== undefined)
    return {
      kind: 'truncated',
      fromOffset: shorter.endOffset,
      message: `the source has other records from offset ${shorter.endOffset} on, and the copy ends at ${copy.nextOffset}: leader epoch ${shorter.epoch} ends there`,
    };
  if (source.logStart > copy.nextOffset)
    return { kind: 'gap', fromOffset: copy.nextOffset, toOffset: source.logStart };
  return { kind: 'intact', logStart: source.logStart };
}

/** An epoch that ends before the copy does, although a batch of it was copied. */
function shorterEpoch(
  { diverging, lastEpochEnd, logStart }: SourceFacts,
  { nextOffset, lastEpoch }: CopyFacts,
): { readonly epoch: number; readonly endOffset: number } | undefined {
  if (diverging !== undefined && diverging.endOffset < nextOffset) return diverging;
  if (lastEpochEnd === undefined || lastEpoch === undefined) return undefined;
  const { epoch, endOffset } = lastEpochEnd;
  // A source whose log starts behind the copy has forgotten its older epochs.
  if (endOffset < 0 || epoch < 0 || logStart >= nextOffset) return undefined;
  return endOffset < nextOffset ? lastEpochEnd : undefined;
}
