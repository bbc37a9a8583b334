import type { Clock } from '@weir/core';
import type { SourceCluster } from '../../source/source-cluster.ts';
import type { CopyDestination } from '../destination.ts';
import type { MigrationEvent } from '../migration-event.ts';
import type { ByteBudget } from './byte-budget.ts';

export interface SlotCopyOptions {
  readonly pipelineId: string;
  readonly source: SourceCluster;
  readonly destination: CopyDestination;
  /** Whether a partition belongs to the slot. */
  readonly isMine: (topicId: string, partition: number) => boolean;
  readonly fetchBytesMax: number;
  /** The share of the slot in what may be fetched; absent if there is no limit. */
  readonly fetchBytesPerSecond?: number | undefined;
  readonly partitionBytesMax: number;
  /** Of all copies of the agent. */
  readonly budget: ByteBudget;
  readonly onEvent: (event: MigrationEvent) => void;
  readonly onCopied: (topicName: string, bytes: number, records: number) => void;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}
