import type { StoreOperation } from '@weir/storage';
import type { MergeLimits, MergePlan, MergeResult } from './merge-files.ts';

/** What the thread needs to open the bucket and to merge. */
export interface MergeTask {
  readonly bucketUrl: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly usesMetadataService: boolean;
  readonly plan: MergePlan;
  readonly limits: Partial<MergeLimits>;
}

export type MergeMessage =
  | { readonly kind: 'progress'; readonly copiedBytes: number; readonly totalBytes: number }
  | {
      readonly kind: 'requested';
      readonly bucket: string;
      readonly operations: ReadonlyMap<StoreOperation, number>;
    }
  | { readonly kind: 'done'; readonly result: MergeResult }
  | { readonly kind: 'failed'; readonly problem: string };
