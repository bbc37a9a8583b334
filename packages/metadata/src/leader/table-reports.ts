import { boundedTableState, type ReportedTable, type TablesReport } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { type Clock, coreLimits } from '@weir/core';

interface StoredTable {
  readonly table: ReportedTable;
  /** By the monotonic clock. */
  readonly atMs: number;
}

/** A table without a report for so long is not known any more: nothing writes it. */
const silenceMsMax = 180_000;

/** What agents last reported about tables. In memory only: the next leader receives the next reports. */
export class TableReports {
  readonly #clock: Clock;
  /** By the id of the table; the one that was reported longest ago first. */
  readonly #tables = new Map<string, StoredTable>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  receive({ agentId, tables }: TablesReport): void {
    if (tables.length > clusterLimits.reportedTablesMax)
      throw new RangeError(`a report has at most ${clusterLimits.reportedTablesMax} tables`);
    this.#sweep();
    const atMs = this.#clock.monotonicMs();
    const reportedMs = this.#clock.nowMs();
    for (const table of tables.map(boundedTableState)) {
      const { tableUuid } = table;
      if (!this.#tables.delete(tableUuid) && this.#tables.size >= coreLimits.tablesPerClusterMax) continue;
      this.#tables.set(tableUuid, { table: { ...table, agentId, reportedMs }, atMs });
    }
  }

  /** Without partitions. */
  list(): readonly ReportedTable[] {
    this.#sweep();
    return Array.from(this.#tables.values(), ({ table }) => ({ ...table, partitions: [] }));
  }

  get(tableUuid: string): ReportedTable | undefined {
    this.#sweep();
    return this.#tables.get(tableUuid)?.table;
  }

  #sweep(): void {
    const oldestMs = this.#clock.monotonicMs() - silenceMsMax;
    for (const [tableUuid, { atMs }] of this.#tables) {
      if (atMs >= oldestMs) return;
      this.#tables.delete(tableUuid);
    }
  }
}
