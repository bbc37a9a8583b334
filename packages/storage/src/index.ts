export { withCircuitBreaker } from './decorators/circuit-breaker.ts';
export { withHedge } from './decorators/hedge.ts';
export { type EndedRequest, metered, type RequestOutcome } from './decorators/metered.ts';
export { withRetry } from './decorators/retry.ts';
export { withTimeout } from './decorators/timeout.ts';
export {
  type BatchToStore,
  type BuiltLogFile,
  buildLogFile,
  type LogFileToBuild,
  type PlacedBatch,
} from './log-file/build-log-file.ts';
export { bucketIdKey, clusterPrefix, isFileId, logFileKey, newFileId } from './log-file/file-id.ts';
export { LogFileError, type LogFilePart } from './log-file/log-file-error.ts';
export {
  batchesOfSection,
  type LogFile,
  type LogFileHeader,
  type LogFileSection,
  type LogFileTrailer,
  parseFooter,
  parseHeader,
  parseLogFile,
  parseTrailer,
  readLogFile,
} from './log-file/read-log-file.ts';
export { dropMemoryBucket } from './memory/memory-store.ts';
export { storeMetricRows } from './metric-rows.ts';
export type { StoreCall, StoreOperation } from './store/around.ts';
export { aroundStore } from './store/around.ts';
export { type BucketPlace, bucketPlace, isWithinBucket } from './store/bucket-place.ts';
export { joinSmallSlices } from './store/content.ts';
export type { CallOptions, ListOptions, ObjectInfo, ObjectStore } from './store/object-store.ts';
export { openStore, type PatienceOptions, type StoreDeps, withPatience } from './store/open-store.ts';
export {
  isRetriable,
  isRetriableError,
  ObjectNotFound,
  StoreError,
  type StoreErrorKind,
} from './store/store-error.ts';
