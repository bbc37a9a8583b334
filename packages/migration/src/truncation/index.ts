/** Whether a source still has what was copied of it. */
export { type CopyFacts, findTruncation, type SourceFacts, type SourceVerdict } from './find-truncation.ts';
export { type EndBatch, endBatchOf, findOtherRecords } from './other-records.ts';
