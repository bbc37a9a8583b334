import { attributeBits, type RecordBatchView } from '@weir/wire';

/** What the header of a batch says about its records, with which two logs are compared. */
export interface EndBatch {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly recordCount: number;
  readonly crc: number;
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  /** Compaction has noted when its tombstones go, which changes the CRC. */
  readonly hasDeleteHorizon: boolean;
}

/** Takes the offset from the caller, because not all stored batches have it in their headers. */
export function endBatchOf(batch: RecordBatchView, baseOffset: number): EndBatch {
  const { lastOffsetDelta, recordCount, crc, producerId, producerEpoch, baseSequence, attributes } = batch;
  return {
    baseOffset,
    nextOffset: baseOffset + lastOffsetDelta + 1,
    recordCount,
    crc,
    producerId: Number(producerId),
    producerEpoch,
    baseSequence,
    hasDeleteHorizon: (attributes & attributeBits.deleteHorizon) !== 0,
  };
}

/**
 * Whether a source has other records where a copy ends, decided from the last batch of the copy and from what the
 * source has at its last offset. Nothing is concluded from a batch that may be the same one after compaction. Returns
 * what differs, in one line.
 */
export function findOtherRecords(
  source: EndBatch,
  copy: EndBatch,
  { isCompacted }: { readonly isCompacted: boolean },
): string | undefined {
  // The source has deleted the batch, or the copy has in its place one that says so.
  if (source.baseOffset >= copy.nextOffset || copy.recordCount === 0) return undefined;
  const isSamePlace = source.baseOffset === copy.baseOffset && source.nextOffset === copy.nextOffset;
  const isSameProducer =
    source.producerId === copy.producerId &&
    source.producerEpoch === copy.producerEpoch &&
    source.baseSequence === copy.baseSequence;
  const isSame = isCompacted
    ? !isSamePlace || isSameProducer || source.producerId < 0
    : isSamePlace && isSameProducer && (source.crc === copy.crc || source.hasDeleteHorizon);
  if (isSame) return undefined;
  return `the source has other records at offset ${copy.nextOffset - 1} than the copy: its log was cut and has grown again`;
}
