export { problemOfBucket } from './allowed-bucket.ts';
export { checkBucketAccess } from './bucket-access/check-bucket-access.ts';
export {
  type BucketPlace,
  bucketPlace,
  bucketUrlsOf,
  isBucketOnDisk,
  isWithinBucket,
  placesOf,
} from './bucket-place.ts';
export { LatencyWindow } from './decorators/latency-window.ts';
export { type EndedRequest, metered, type RequestOutcome } from './decorators/metered.ts';
export { firstObject, listClusterIds, probesFolder } from './log-file/bucket-clusters.ts';
export { buildCopiedFile } from './log-file/build-copied-file.ts';
export { buildLogFile, type PlacedBatches, withFileId } from './log-file/build-log-file.ts';
export { CompactedFileWriter } from './log-file/compacted-file-writer.ts';
export {
  bucketIdKey,
  clusterPrefix,
  compactedFileId,
  isFileId,
  logFileKey,
  newFileId,
  restoreFenceKey,
  sequenceEndKey,
  sequenceEndsPrefix,
  sequencePlace,
} from './log-file/file-id.ts';
export { LogFileError } from './log-file/log-file-error.ts';
export { openLogFile } from './log-file/open-log-file.ts';
export { parseHeader, readLogFile } from './log-file/read-log-file.ts';
export { scrubLogFile } from './log-file/scrub-log-file.ts';
export { readSectionBatches } from './log-file/section-batches.ts';
export { dropMemoryBucket } from './memory/memory-store.ts';
export { storeMetricRows } from './metric-rows.ts';
export { createBucket, openForeignBucket, openStore, type StoreDeps, withPatience } from './open-store.ts';
export { type BucketRoutes, routedStore } from './routed/routed-store.ts';
export { awsCredentials } from './s3/aws-credentials.ts';
export { isMskHost, mskPayload } from './s3/msk-iam.ts';
export { type Credentials, signRequest } from './s3/signature.ts';
export { SegmentDamaged } from './segments/scan-segment.ts';
export { SegmentLog } from './segments/segment-log.ts';
export type { StoreOperation } from './store/around.ts';
export { aroundStore } from './store/around.ts';
export { joinSmallSlices } from './store/content.ts';
export type {
  CallOptions,
  FailedDeletion,
  GetOptions,
  ListOptions,
  ObjectAttributes,
  ObjectInfo,
  ObjectStore,
  ObjectUpload,
} from './store/object-store.ts';
export { isRetriable, ObjectNotFound, StoreError, type StoreErrorKind } from './store/store-error.ts';
export { UploadWriter } from './store/upload-writer.ts';
export { HedgedUploads } from './uploads/hedged-uploads.ts';
