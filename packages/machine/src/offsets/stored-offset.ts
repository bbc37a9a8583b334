import type { OffsetValue } from './offset-pool.ts';

/** A stored offset of one partition. */
export interface StoredOffset extends OffsetValue {
  readonly topicNumber: number;
  readonly partition: number;
}
