import { boundedTableState, type ReplayState, type ReportedTable, type TablesReport } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { type Clock, coreLimits } from '@weir/core';

interface StoredTable {
  readonly table: ReportedTable;
  /** By the monotonic clock. */
  readonly atMs: number;
}

interface StoredReplay {
  readonly replay: Omit<ReplayState, 'tableUuid'>;
  readonly atMs: number;
}

/** A table without a report for so long is not known any more: nothing writes it. */
const silenceMsMax = 180_000;

/** What agents last reported about tables. In memory only: the next leader receives the next reports. */
export class TableReports {
  readonly #clock: Clock;
  /** By the id of the table; the one that was reported longest ago first. */
  readonly #tables = new Map<string, StoredTable>();
  /** The same of replays of kept records. */
  readonly #replays = new Map<string, StoredReplay>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  receive({ agentId, tables, replays = [] }: TablesReport): void {
    if (Math.max(tables.length, replays.length) > clusterLimits.reportedTablesMax)
      throw new RangeError(`a report has at most ${clusterLimits.reportedTablesMax} tables`);
    this.#sweep();
    const atMs = this.#clock.monotonicMs();
    const reportedMs = this.#clock.nowMs();
    for (const table of tables.map(boundedTableState)) {
      const { tableUuid } = table;
      if (!this.#tables.delete(tableUuid) && this.#tables.size >= coreLimits.tablesPerClusterMax) continue;
      this.#tables.set(tableUuid, { table: { ...table, agentId, reportedMs }, atMs });
    }
    for (const { tableUuid, lagRecords, lagMs } of replays) {
      this.#replays.delete(tableUuid);
      // Only of tables that are known, so that there are as few.
      if (this.#tables.has(tableUuid)) this.#replays.set(tableUuid, { replay: { lagRecords, lagMs }, atMs });
    }
  }

  /** Without partitions. */
  list(): readonly ReportedTable[] {
    this.#sweep();
    return Array.from(this.#tables.values(), ({ table }) => ({ ...this.#withReplay(table), partitions: [] }));
  }

  get(tableUuid: string): ReportedTable | undefined {
    this.#sweep();
    const found = this.#tables.get(tableUuid);
    return found && this.#withReplay(found.table);
  }

  #withReplay(table: ReportedTable): ReportedTable {
    const found = this.#replays.get(table.tableUuid);
    return found === undefined ? table : { ...table, replay: found.replay };
  }

  #sweep(): void {
    const oldestMs = this.#clock.monotonicMs() - silenceMsMax;
    for (const known of [this.#tables, this.#replays])
      for (const [tableUuid, { atMs }] of known) {
        if (atMs >= oldestMs) break;
        known.delete(tableUuid);
      }
  }
}
