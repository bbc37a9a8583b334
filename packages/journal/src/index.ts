export { checkJournalFile, EntriesInSegments } from './format.ts';
export {
  EntriesPruned,
  Fenced,
  type Journal,
  type JournalHub,
  type LeaseHolder,
  type Member,
  type OpenSnapshot,
} from './journal.ts';
export { makeDirectory } from './make-directory.ts';
export { openJournals } from './open.ts';
export { packEntries, unpackEntries } from './packed-entries.ts';
export { makePrivateFile } from './private-file.ts';
export { SegmentedJournals, SegmentsUnusable } from './segmented-journals.ts';
