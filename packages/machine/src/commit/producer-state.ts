import type { PartitionLog } from '../log/partition-log.ts';

export interface ProducerBatch {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly baseOffset: number;
}

export interface ProducerState {
  readonly log: PartitionLog;
  readonly producerId: number;
  readonly epoch: number;
  readonly writtenMs: number;
  readonly batches: readonly ProducerBatch[];
}
