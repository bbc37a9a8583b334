import {
  ingestionScope,
  type ReportedTable,
  readIngestionScope,
  replayScope,
  type TableRemovalTask,
  type TableTask,
  tableIngestionKind,
  tableMaintenanceKind,
  tableRemovalKind,
  tableReplayKind,
  tableSteadyMs,
  writeTableRemovalTask,
  writeTableTask,
} from '@weir/cluster';
import type { Random } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import type { JobPlanner } from './job-planner.ts';

/** A table that a running pipeline writes. */
export interface WantedTable {
  /** Without the values of secrets. */
  readonly task: Omit<TableTask, 'secrets'>;
  /** Returns the values of the secrets that the configuration refers to; absent if it refers to none. */
  readonly openSecrets?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
  /** When a user asked for a replay of its kept records that has not ended. */
  readonly replayRequestedMs?: number | undefined;
}

/** A table that a user deleted, and whose files are still there. */
export interface RemovedTable {
  readonly task: TableRemovalTask;
  readonly removedMs: number;
}

/** The tables of a cluster. */
export interface ClusterTables {
  wanted(): Promise<readonly WantedTable[]>;
  removed(): Promise<readonly RemovedTable[]>;
  /** The files of a removed table are gone. */
  forget(tableUuid: string): Promise<void>;
  /** The replay that was asked for at that time has ended. */
  endReplay(tableUuid: string, requestedMs: number): Promise<void>;
}

/** What agents last reported. */
interface KnownTables {
  list(): readonly ReportedTable[];
}

/** Maintenance of a table that got rows comes this long after the last one, and a tenth more at random. */
const maintenanceMs = 600_000;
/** So many files that were added since are worth it sooner, but not sooner than this. */
const manyFiles = 100;
const manyFilesMs = 60_000;
/** Of a table that got none, because snapshots expire, and rows. */
const idleMs = 3_600_000;

/** An agent that was silent when the table was deleted may still have written it for this long. */
const removalDelayMs = 60_000;

export function tablePlanners(
  tables: ClusterTables,
  reports: KnownTables,
  random: Random,
): readonly JobPlanner[] {
  return [
    tableIngestionPlanner(tables),
    tableMaintenancePlanner(tables, reports, random),
    tableReplayPlanner(tables),
    tableRemovalPlanner(tables),
  ];
}

/** Plans one job per table. With another configuration it is planned when the one before has ended. */
function tableIngestionPlanner({ wanted }: Pick<ClusterTables, 'wanted'>): JobPlanner {
  return {
    kind: tableIngestionKind,
    openMax: metadataLimits.openTableIngestionsMax,
    retry: { firstMs: 1_000, maxMs: 120_000 },
    isLasting: true,
    steadyMs: tableSteadyMs,
    async unwanted(scopes) {
      const scopesWanted = new Set((await wanted()).map(({ task }) => ingestionScope(task)));
      return scopes.filter((scope) => !scopesWanted.has(scope));
    },
    async plan({ isOpen, openScopes, freeCount }) {
      const busy = new Set(openScopes().map((scope) => readIngestionScope(scope).tableUuid));
      const due = (await wanted()).filter(
        ({ task }) => !busy.has(task.tableUuid) && !isOpen(ingestionScope(task)),
      );
      return withSecrets(due.slice(0, freeCount), ({ task }) => ingestionScope(task));
    },
  };
}

/**
 * Plans maintenance of tables that agents write: when one got rows, sooner if these are in many files, and else once an
 * hour. A new leader begins at a random time, so that tables do not come all at once.
 */
function tableMaintenancePlanner(
  { wanted }: Pick<ClusterTables, 'wanted'>,
  reports: KnownTables,
  random: Random,
): JobPlanner {
  /** When the last one was planned, for tables that are wanted. */
  let lastMs = new Map<string, number>();
  /** The fewest files that a table had since then. */
  let leastFiles = new Map<string, number>();
  return {
    kind: tableMaintenanceKind,
    openMax: metadataLimits.openTableMaintenancesMax,
    retry: { firstMs: 30_000, maxMs: 600_000 },
    async unwanted(scopes) {
      const ids = new Set((await wanted()).map(({ task }) => task.tableUuid));
      return scopes.filter((scope) => !ids.has(scope));
    },
    async plan({ nowMs, isOpen, freeCount }) {
      const all = await wanted();
      const known = new Map(reports.list().map((table) => [table.tableUuid, table]));
      lastMs = new Map(
        all.map(({ task: { tableUuid } }) => [
          tableUuid,
          lastMs.get(tableUuid) ?? nowMs - Math.floor(random.next() * maintenanceMs),
        ]),
      );
      leastFiles = new Map(
        all.flatMap(({ task: { tableUuid } }) => {
          const files = known.get(tableUuid)?.fileCount;
          const least = leastFiles.get(tableUuid) ?? files;
          if (least === undefined) return [];
          return [[tableUuid, Math.min(least, files ?? least)] as const];
        }),
      );
      const due = all
        .filter(({ task: { tableUuid } }) => {
          const table = known.get(tableUuid);
          if (table === undefined || isOpen(tableUuid)) return false;
          const addedFiles = (table.fileCount ?? 0) - (leastFiles.get(tableUuid) ?? 0);
          return isDue(table, { sinceMs: nowMs - lastMs.get(tableUuid)!, addedFiles });
        })
        .toSorted((a, b) => lastMs.get(a.task.tableUuid)! - lastMs.get(b.task.tableUuid)!)
        .slice(0, freeCount);
      for (const { task } of due) {
        lastMs.set(task.tableUuid, nowMs + Math.floor((random.next() * maintenanceMs) / 10));
        // Files that are large enough stay, and are not counted again.
        leastFiles.set(task.tableUuid, known.get(task.tableUuid)?.fileCount ?? 0);
      }
      return withSecrets(due, ({ task }) => task.tableUuid);
    },
  };

  function isDue(
    { rowCount, lastCommitMs, reportedMs }: ReportedTable,
    { sinceMs, addedFiles }: { readonly sinceMs: number; readonly addedFiles: number },
  ) {
    // There is nothing to maintain before the first commit.
    if (rowCount === undefined) return false;
    if (addedFiles >= manyFiles && sinceMs >= manyFilesMs) return true;
    const hasNewRows = lastCommitMs !== undefined && reportedMs - lastCommitMs <= sinceMs;
    return sinceMs >= (hasNewRows ? maintenanceMs : idleMs);
  }
}

/** Plans replays that a user asked for, one of a table at a time. One of a table that is not written waits. */
function tableReplayPlanner({ wanted, endReplay }: Pick<ClusterTables, 'wanted' | 'endReplay'>): JobPlanner {
  const scopeOf = ({ task, replayRequestedMs }: WantedTable) => replayScope(task, replayRequestedMs!);
  const requested = async () =>
    (await wanted()).filter(({ replayRequestedMs }) => replayRequestedMs !== undefined);
  return {
    kind: tableReplayKind,
    openMax: metadataLimits.openTableReplaysMax,
    retry: { firstMs: 10_000, maxMs: 600_000 },
    async unwanted(scopes) {
      const scopesWanted = new Set((await requested()).map(scopeOf));
      return scopes.filter((scope) => !scopesWanted.has(scope));
    },
    async plan({ isOpen, lastDoneMs, openScopes, freeCount }) {
      const busy = new Set(openScopes().map((scope) => readIngestionScope(scope).tableUuid));
      const due: WantedTable[] = [];
      for (const table of await requested()) {
        const { tableUuid } = table.task;
        const scope = scopeOf(table);
        if (lastDoneMs(scope) !== undefined) await endReplay(tableUuid, table.replayRequestedMs!);
        else if (!busy.has(tableUuid) && !isOpen(scope)) due.push(table);
      }
      return withSecrets(due.slice(0, freeCount), scopeOf);
    },
  };
}

/** Plans the deletion of the files of deleted tables, when no job works on them any more. */
function tableRemovalPlanner({ removed, forget }: Pick<ClusterTables, 'removed' | 'forget'>): JobPlanner {
  return {
    kind: tableRemovalKind,
    openMax: metadataLimits.openTableRemovalsMax,
    retry: { firstMs: 30_000, maxMs: 600_000 },
    async plan({ nowMs, isOpen, lastDoneMs, openScopes, freeCount }) {
      const all = await removed();
      if (all.length === 0) return [];
      const busy = new Set([
        ...openScopes(tableIngestionKind).map((scope) => readIngestionScope(scope).tableUuid),
        ...openScopes(tableMaintenanceKind),
        ...openScopes(tableReplayKind).map((scope) => readIngestionScope(scope).tableUuid),
      ]);
      const due = [];
      for (const { task, removedMs } of all) {
        const { tableUuid: scope } = task;
        if (lastDoneMs(scope) !== undefined) await forget(scope);
        else if (nowMs - removedMs >= removalDelayMs && !busy.has(scope) && !isOpen(scope))
          due.push({ scope, task: writeTableRemovalTask(task) });
      }
      return due.slice(0, freeCount);
    },
  };
}

/** Secrets are opened for jobs that are handed out, and once for the tables of a pipeline. */
async function withSecrets(due: readonly WantedTable[], scopeOf: (table: WantedTable) => string) {
  const opened = new Map<WantedTable['openSecrets'], Readonly<Record<string, string>> | undefined>();
  for (const { openSecrets } of due)
    if (!opened.has(openSecrets)) opened.set(openSecrets, await openSecrets?.());
  return due.map((table) => ({
    scope: scopeOf(table),
    task: writeTableTask({ ...table.task, secrets: opened.get(table.openSecrets) }),
  }));
}
