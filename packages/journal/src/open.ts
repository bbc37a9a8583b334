import type { Clock, Log } from '@weir/core';
import type { JournalHub } from './journal.ts';
import { MemoryDatabase, MemoryTables } from './memory-tables.ts';
import { PostgresTables } from './postgres-tables.ts';
import type { SegmentedJournals } from './segmented-journals.ts';
import { sqliteTables } from './sqlite-tables.ts';
import { TableHub } from './table-journal.ts';

interface JournalDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Where the entries of a SQLite file are appended first. */
  readonly segments?: SegmentedJournals | undefined;
}

/** In memory, by name. They live as long as the process, as a server would. */
const memoryDatabases = new Map<string, MemoryDatabase>();

/**
 * Opens the journals of a database: `postgres://…`, the path of a SQLite file, or `memory://name`, which all users of
 * the same name in the process share.
 */
export function openJournals(databaseUrl: string, { clock, log, segments }: JournalDeps): JournalHub {
  if (/^postgres(?:ql)?:\/\//i.test(databaseUrl))
    return new TableHub(new PostgresTables(databaseUrl, clock, log), clock);
  const name = /^memory:\/\/(.*)$/i.exec(databaseUrl)?.[1];
  if (name === undefined) {
    if (/^memory:/i.test(databaseUrl))
      throw new TypeError(`${databaseUrl}: a database in memory is memory://name`);
    if (databaseUrl.includes('://'))
      throw new TypeError(`no database speaks ${databaseUrl.split('://', 1)[0]}://`);
    const hub = new TableHub(
      sqliteTables(databaseUrl, clock, { hasSegments: segments !== undefined }),
      clock,
    );
    return segments?.over(hub) ?? hub;
  }
  let database = memoryDatabases.get(name);
  if (database === undefined) {
    database = new MemoryDatabase();
    memoryDatabases.set(name, database);
  }
  return new TableHub(new MemoryTables(database), clock);
}
