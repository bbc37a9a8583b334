export { type RecordBatchesOptions, RecordBatchView, recordBatches } from './batch.ts';
export {
  buildRecordBatch,
  RecordBatchBuilder,
  type RecordBatchFields,
  type RecordToWrite,
  textValue,
  type ValueToWrite,
} from './builder.ts';
export {
  buildEndTransactionMarker,
  type ControlRecord,
  type EndTransactionMarker,
  readControlRecord,
  type TransactionResult,
} from './control.ts';
export { batchCrcOf } from './crc.ts';
export { encodeRecordHeader, HeaderCursor } from './header-cursor.ts';
export { type HeaderChange, HeaderRewriter } from './header-rewriter.ts';
export {
  attributeBits,
  headerAt,
  headerBytes,
  noLeaderEpoch,
  noProducerEpoch,
  noProducerId,
  noSequence,
  noTimestamp,
  type TimestampType,
} from './layout.ts';
export { partitionOfKey } from './partitioner.ts';
export {
  type BatchRecord,
  batchRecords,
  decompressRecords,
  decompressRecordsOffThread,
  RecordCursor,
  type RecordHeader,
} from './record-cursor.ts';
export type { BatchErrorName, BatchRejection, RecordError } from './rejection.ts';
export {
  positionHeadBytes,
  recompressBatch,
  repositioned,
  rewriteAppendTime,
  rewriteMaxTimestamp,
  rewritePosition,
  writePositionHead,
} from './rewrite.ts';
export { type BatchValidation, isIntactBatch, type ProduceRules, validateProducedBatch } from './validate.ts';
export {
  type RecordRules,
  type RecordsSummary,
  validateBatchRecords,
  validateBatchRecordsOffThread,
} from './validate-records.ts';
