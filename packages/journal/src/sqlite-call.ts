import type { JournalTables } from './tables.ts';

/** The methods that the worker serves; the others need no database. */
export type SqliteMethod = Exclude<
  keyof JournalTables,
  'notify' | 'listen' | 'check' | 'close' | 'processId' | 'isGone'
>;

export interface SqliteCall {
  readonly id: number;
  readonly method: SqliteMethod;
  readonly args: readonly unknown[];
}
