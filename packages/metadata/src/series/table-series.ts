import { type ReportedTable, type SeriesQuery, type SeriesTags, tableReportIntervalMs } from '@weir/cluster';
import { metadataLimits } from '../limits.ts';

export type PutSample = (
  metric: SeriesQuery['metrics'][number],
  value: number | null,
  tags?: SeriesTags,
) => void;

/** What series of a table are made of. */
export type SampledTable = Pick<
  ReportedTable,
  | 'tableUuid'
  | 'tableName'
  | 'agentId'
  | 'reportedMs'
  | 'partitionCount'
  | 'lagRecords'
  | 'queryLagMs'
  | 'byteCount'
  | 'readOffsetSum'
  | 'committedRowCount'
  | 'committedByteCount'
>;

interface TableRates {
  readonly recordsRead: number | null;
  readonly rows: number | null;
  readonly rowBytes: number | null;
}

interface LastTable {
  readonly table: SampledTable;
  readonly rates: TableRates;
}

const noRates: TableRates = { recordsRead: null, rows: null, rowBytes: null };

/** Then nothing writes the table: its pipeline is paused, or its agent is gone. */
const reportAgeMsMax = 3 * tableReportIntervalMs;

/**
 * Samples of the tables of a data lake cluster: of the whole, and of the tables with the largest lag. Rates are
 * differences of two reports of one agent.
 */
export class TableSeries {
  readonly #drop: (tableName: string) => void;
  /** By UUID. */
  #last: ReadonlyMap<string, LastTable> = new Map();
  /** Tables that have series, with their lag. */
  readonly #shown = new Map<string, number>();

  constructor(drop: (tableName: string) => void) {
    this.#drop = drop;
  }

  /** Returns the records that all tables do not have yet; `undefined` if no table is written. */
  sample(reported: readonly SampledTable[], nowMs: number, put: PutSample): number | undefined {
    const tables = reported.filter(({ reportedMs }) => nowMs - reportedMs <= reportAgeMsMax);
    this.#last = new Map(
      tables.map((table) => [
        table.tableUuid,
        { table, rates: ratesOf(this.#last.get(table.tableUuid), table) },
      ]),
    );
    this.#choose(tables);
    if (tables.length === 0) return undefined;
    const total = { lag: 0, lagMs: null as number | null, bytes: 0 };
    const rates = { ...noRates };
    for (const { table, rates: own } of this.#last.values()) {
      total.lag += table.lagRecords;
      total.bytes += table.byteCount ?? 0;
      if (table.queryLagMs !== undefined) total.lagMs = Math.max(total.lagMs ?? 0, table.queryLagMs);
      for (const name of ['recordsRead', 'rows', 'rowBytes'] as const)
        if (own[name] !== null) rates[name] = (rates[name] ?? 0) + own[name];
      if (!this.#shown.has(table.tableName)) continue;
      const tags = { table: table.tableName };
      put('lag', table.lagRecords, tags);
      put('lag_seconds', secondsOf(table.queryLagMs), tags);
      put('stored_bytes', table.byteCount ?? null, tags);
      putRates(own, put, tags);
    }
    put('lag', total.lag);
    put('lag_seconds', secondsOf(total.lagMs));
    put('stored_bytes', total.bytes);
    putRates(rates, put);
    return total.lag;
  }

  /** Tables with the largest lag have series. One that is not written any more keeps them until another needs room. */
  #choose(tables: readonly SampledTable[]): void {
    const lags = new Map(tables.map(({ tableName, lagRecords }) => [tableName, lagRecords]));
    for (const name of this.#shown.keys()) this.#shown.set(name, lags.get(name) ?? -1);
    const others = [...lags].filter(([name]) => !this.#shown.has(name)).sort(([, a], [, b]) => b - a);
    const leastFirst = [...this.#shown].sort(([, a], [, b]) => a - b);
    for (const [name, lag] of others) {
      if (this.#shown.size >= metadataLimits.sampledTablesMax) {
        const [least, leastLag] = leastFirst.shift() ?? [undefined, Number.POSITIVE_INFINITY];
        if (least === undefined || lag <= leastLag) return;
        this.#shown.delete(least);
        this.#drop(least);
      }
      this.#shown.set(name, lag);
    }
  }
}

function putRates({ recordsRead, rows, rowBytes }: TableRates, put: PutSample, tags?: SeriesTags): void {
  put('in_records_per_second', recordsRead, tags);
  put('out_records_per_second', rows, tags);
  put('out_bytes_per_second', rowBytes, tags);
}

/** Until the next report, the rates are those of the last one. */
function ratesOf(last: LastTable | undefined, now: SampledTable): TableRates {
  if (last === undefined || last.table.agentId !== now.agentId) return noRates;
  const { table, rates } = last;
  const seconds = (now.reportedMs - table.reportedMs) / 1_000;
  if (seconds === 0) return rates;
  if (table.partitionCount !== now.partitionCount || seconds < 0) return noRates;
  const rate = (of: 'readOffsetSum' | 'committedRowCount' | 'committedByteCount') => {
    const grown = (now[of] ?? Number.NaN) - (table[of] ?? Number.NaN);
    return grown >= 0 ? grown / seconds : null;
  };
  return {
    recordsRead: rate('readOffsetSum'),
    rows: rate('committedRowCount'),
    rowBytes: rate('committedByteCount'),
  };
}

function secondsOf(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : ms / 1_000;
}
