import type { CopyError } from '@weir/cluster';

/** A batch of another cluster, with its offset. */
export interface BatchToCopy {
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly maxTimestampMs: number;
  /** -1 of a producer that is not idempotent. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly recordCount: number;
  readonly kind: 'plain' | 'transactional' | 'commitMarker' | 'abortMarker' | 'otherControl';
}

/** Batches of one partition, in order. */
export interface CopiedPart {
  readonly pipelineId: string;
  readonly topicId: string;
  readonly partition: number;
  /** Where the partition must end for them to be appended. */
  readonly expectedOffset: number;
  readonly batches: readonly BatchToCopy[];
  /** Their bytes, one after another. */
  readonly slices: readonly Buffer[];
  readonly byteLength: number;
  readonly nextOffset: number;
}

export type CopyOutcome =
  | { readonly error: 'NONE'; readonly nextOffset: number }
  | {
      /** `UNAVAILABLE`: the store or the control plane did not answer, so that the outcome is unknown. */
      readonly error: Exclude<CopyError, 'NONE'> | 'UNAVAILABLE';
      /** Where the partition ends; -1 if it is not known. */
      readonly nextOffset: number;
      readonly message: string;
    };
