import type { StoreDeps, StoreOperation } from '@weir/storage';
import type { KeyLimits, KeyPlan, KeyResult } from './keys/compact-keys.ts';
import type { MergeLimits, MergePlan, MergeResult } from './merge-files.ts';

/** What the thread needs to open the buckets. */
export interface MergeBucket {
  /** The first bucket. */
  readonly bucketUrl: string;
  /** Buckets that may still have files of a `service_stripe://`. */
  readonly retiredBucketUrls?: readonly string[] | undefined;
  /** The buckets of the cluster by their numbers, where there are several. */
  readonly buckets?: readonly { readonly number: number; readonly url: string }[] | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly usesMetadataService: boolean;
  readonly s3?: StoreDeps['s3'];
}

/** A merge of files. */
export interface MergeTask extends MergeBucket {
  readonly plan: MergePlan;
  readonly limits: Partial<MergeLimits>;
}

/** A compaction of keys. */
export interface KeyTask extends MergeBucket {
  readonly keyPlan: KeyPlan;
  readonly limits: Partial<KeyLimits>;
}

/** The next work of a thread that has none. */
export interface MergeWork {
  readonly task: MergeTask | KeyTask;
  /** Whether the thread begins with `wait`. */
  readonly isWaiting: boolean;
  /** The share of the time in which it works. */
  readonly share: number;
}

/**
 * Messages to the thread: `stop` means that the result is not wanted, `wait` that others need the disk. A number is the
 * share of the time in which it works.
 */
export type MergeOrder = MergeWork | 'stop' | 'wait' | 'go on' | number;

/** Messages of the thread about its work: `begun` is the first, and `done` or `failed` the last. */
export type MergeMessage =
  | { readonly kind: 'begun' }
  | { readonly kind: 'progress'; readonly copiedBytes: number; readonly totalBytes: number }
  | {
      readonly kind: 'requested';
      readonly bucket: string;
      readonly operations: ReadonlyMap<StoreOperation, number>;
    }
  | { readonly kind: 'done'; readonly result: MergeResult | KeyResult }
  | { readonly kind: 'failed'; readonly problem: string };
