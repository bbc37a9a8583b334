export { decodeMessage, encodeMessage } from './codec/codec.ts';
export { EncodeError } from './codec/encode-error.ts';
export {
  type CompressionCodec,
  codecIds,
  codecOfId,
  compress,
  decompress,
  decompressOffThread,
  OutputLimitExceeded,
  type SnappyFraming,
  uncompressedBytesMax,
  withStandardHeaderChecksum,
} from './compression/index.ts';
export { DecodeError } from './decode-error.ts';
export {
  decodeCorrelationId,
  decodeRequestBody,
  decodeRequestHeader,
  decodeResponse,
  encodePacedResponse,
  encodeRequest,
  encodeResponse,
  type RequestEnvelope,
} from './envelope.ts';
export { type ErrorCode, type ErrorName, errorByCode, errors } from './errors/errors.ts';
export { checkFrameLength, FrameSplitter } from './frame-splitter.ts';
export {
  requestHeader,
  requestHeaderVersion,
  responseHeader,
  responseHeaderVersion,
} from './messages/headers.ts';
export { type ApiName, type Apis, apiByKey, apis } from './messages/index.ts';
export {
  attributeBits,
  type BatchRecord,
  type BatchRejection,
  batchCrcOf,
  batchRecords,
  buildEndTransactionMarker,
  buildRecordBatch,
  decompressRecords,
  decompressRecordsOffThread,
  encodeRecordHeader,
  type HeaderChange,
  HeaderCursor,
  HeaderRewriter,
  headerAt,
  headerBytes,
  isIntactBatch,
  noTimestamp,
  partitionOfKey,
  positionHeadBytes,
  RecordBatchBuilder,
  type RecordBatchFields,
  RecordBatchView,
  RecordCursor,
  type RecordError,
  type RecordRules,
  type RecordsSummary,
  type RecordToWrite,
  readControlRecord,
  recompressBatch,
  recordBatches,
  rewriteAppendTime,
  rewriteMaxTimestamp,
  rewritePosition,
  type TimestampType,
  textValue,
  type ValueToWrite,
  validateBatchRecords,
  validateBatchRecordsOffThread,
  validateProducedBatch,
  writePositionHead,
} from './records/index.ts';
export type { Fields, ReadStruct, UnknownTaggedField, WriteStruct } from './schema/field.ts';
export { type Layout, type LayoutField, type LayoutType, layoutOf, zeroUuid } from './schema/layout.ts';
export type { Api, Decoded, Encodable, Message, RequestOf, ResponseOf } from './schema/message.ts';
export { includesVersion, type VersionRange } from './schema/versions.ts';
