/** Whether a source still has what was copied of it. */
export { type CopyFacts, findTruncation, type SourceFacts, type SourceVerdict } from './find-truncation.ts';
