export { checkJournalFile } from './format.ts';
export {
  EntriesPruned,
  Fenced,
  type Journal,
  type JournalHub,
  type LeaseAnswer,
  type LeaseHolder,
  memberSilenceMsMax,
  type StoredSnapshot,
} from './journal.ts';
export { makeDirectory } from './make-directory.ts';
export { type JournalDeps, openJournals } from './open.ts';
export { PostgresPool, type PostgresSql } from './postgres-pool.ts';
