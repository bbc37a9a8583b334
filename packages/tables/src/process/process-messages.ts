import type { ReplayState, TableRemovalTask, TableState, TableTask } from '@weir/cluster';
import type { LogFields, LogLevel } from '@weir/core';
import type { StoreDeps, StoreOperation } from '@weir/storage';
import type { TableEventType } from '../ingestion/progress.ts';
import type { VerifierOutcome } from '../maintenance/maintenance.ts';

/** What the process of tables needs of its agent. */
export interface TablesSettings {
  readonly bucket: TableBucket;
  /** Variables that configurations may read. */
  readonly variables: Readonly<Record<string, string>>;
  /** Hosts that the operator allows. */
  readonly allowedHosts: readonly string[];
  /** For files that are written before they are stored, and copies of those that are read. */
  readonly directory: string;
}

/** Where tables are stored, and how another process opens that. */
export interface TableBucket {
  readonly url: string;
  /** Other buckets that configurations may name, by `-allowedBucketURLs`. */
  readonly allowedUrls: readonly string[];
  readonly retiredUrls?: readonly string[] | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly usesMetadataService: boolean;
  readonly s3?: StoreDeps['s3'];
}

/** Messages to the process. `id` is that of a job or a question. */
export type ToTables =
  | { readonly kind: 'settings'; readonly settings: TablesSettings }
  | { readonly kind: 'ingest'; readonly id: number; readonly task: TableTask }
  | { readonly kind: 'maintain'; readonly id: number; readonly task: TableTask }
  | { readonly kind: 'replay'; readonly id: number; readonly task: TableTask }
  | { readonly kind: 'remove'; readonly id: number; readonly task: TableRemovalTask }
  | { readonly kind: 'ask'; readonly id: number; readonly text: string; readonly limitMs: number }
  | { readonly kind: 'stop'; readonly id: number };

export type FromTables =
  | { readonly kind: 'beat' }
  | { readonly kind: 'done'; readonly id: number; readonly message: string }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly message: string;
      readonly needsOperator: boolean;
    }
  | { readonly kind: 'event'; readonly id: number; readonly event: TableEventMessage }
  /** What is known of tables. Of those that are not named nothing changed. */
  | { readonly kind: 'states'; readonly tables: readonly TableState[] }
  /** Replays that run, or have just ended. */
  | { readonly kind: 'replays'; readonly replays: readonly ReplayState[] }
  | { readonly kind: 'counts'; readonly counts: readonly TopicCounts[] }
  /** Whether the files that a table refers to are there, when it was cleaned up. */
  | { readonly kind: 'verified'; readonly outcome: VerifierOutcome }
  | {
      readonly kind: 'requested';
      readonly bucket: string;
      readonly operations: readonly (readonly [StoreOperation, number])[];
    }
  | {
      readonly kind: 'log';
      readonly level: LogLevel;
      readonly message: string;
      readonly fields: LogFields;
    };

export interface TableEventMessage {
  readonly type: TableEventType;
  readonly isError: boolean;
  readonly message: string;
  readonly partition?: number | undefined;
  readonly offset?: number | undefined;
}

/** What was done with the records of a topic since the last message. */
export interface TopicCounts {
  readonly topic: string;
  readonly rows: number;
  readonly files: number;
  readonly bytes: number;
  readonly filtered: number;
  readonly skipped: number;
  readonly kept: number;
}
