/** One attempt to write a table: from the offsets that it has, until a failure or the end. */
import { Failure, type JitteredBackOff, jitteredBackOffMs, pauseUnlessStopped, randomId } from '@weir/core';
import {
  ChangeRefused,
  commitChange,
  currentSchema,
  type DataFiles,
  defaultSpec,
  FileChange,
  type LoadedTable,
  newestSummary,
  planFiles,
  snapshotOfRef,
  type TableMetadata,
  type TableName,
} from '@weir/iceberg';
import { FileSet } from '../append/file-set.ts';
import { openTable, type TableDeps, wantedTable } from '../append/open-table.ts';
import type { RowBudget } from '../append/row-budget.ts';
import { keyOf } from '../append/row-partitions.ts';
import {
  carriedSummary,
  commitIdKey,
  type SourceOffsets,
  sourceOffsetsOf,
  sourceOffsetsSummary,
  stoppedOf,
  stoppedSummary,
  topicIdKey,
} from '../append/summary-keys.ts';
import { TableBlocked } from '../append/table-blocked.ts';
import { fileColumns } from '../append/table-columns.ts';
import { RecordKeeper } from '../dead-letters/record-keeper.ts';
import { tableLimits } from '../limits.ts';
import type { ParquetReader, ParquetWriter } from '../parquet/parquet-writer.ts';
import type { ReadRows, RowFailure, RowReader, SourceRecord } from '../rows/row-reader.ts';
import type { TableDefinition } from '../table-definition.ts';
import { EventRate } from './event-rate.ts';
import { rowsBefore, withoutRefused } from './fewer-rows.ts';
import type { IngestionState, PartitionState } from './ingestion-state.ts';
import type { ErrorCause, TableEventType } from './progress.ts';
import type { NewPartitions, OutOfRange, Source, SourceBatch, SourceEvent, SourceReader } from './source.ts';
import { type SourceGap, startOf, startsOf } from './starting-offsets.ts';

export interface SessionOptions extends TableDeps {
  readonly definition: TableDefinition;
  readonly name: TableName;
  readonly source: Source;
  readonly rows: RowReader;
  readonly parquet: ParquetWriter & ParquetReader;
  readonly dataFiles: DataFiles;
  /** Shared by all tables of the process. */
  readonly budget: RowBudget;
  /** About the bytes of rows in a file, uncompressed; `tableFileRowBytes` if absent. */
  readonly fileBytesMax?: number | undefined;
  /** Of the table; `tablePartitionsMax` if absent. */
  readonly partitionsMax?: number | undefined;
  /** Data files of the table; `tableFilesMax` if absent. */
  readonly filesMax?: number | undefined;
  readonly emit: (type: TableEventType, message: string, details?: EventDetails) => void;
  readonly onChanged: () => void;
}

interface EventDetails {
  readonly isError?: boolean;
  readonly partition?: number;
  readonly offset?: bigint;
}

/** Offsets alone, without rows, are committed less often: losing them costs reading again, and no rows. */
const offsetsIntervalMs = 300_000;

const readBackOff: JitteredBackOff = { firstMs: 500, maxMs: 30_000, jitter: 'half' };

export class IngestionSession {
  readonly #options: SessionOptions;
  readonly #state: IngestionState;
  readonly #failureEvents: EventRate;
  #table!: LoadedTable;
  #files!: FileSet;
  #keeper: RecordKeeper | undefined;
  #reader!: SourceReader;
  #topicId: string | undefined;
  /** Partitions that were stopped when the table was last committed. */
  #stoppedBefore = new Map<number, bigint>();
  /** Keys of the partitions of the table, and of those that the next commit adds to. */
  #tablePartitions = new Set<string>();
  readonly #commitPartitions = new Set<string>();
  #uncommitted = { rows: 0, rowBytes: 0 };
  #cancelTimer: () => void = () => {};
  #dueMs = Number.POSITIVE_INFINITY;
  #isDue = false;
  #isStale = false;
  #event: SourceEvent | undefined;
  #failure: { readonly error: unknown } | undefined;
  #wake = () => {};
  /** What it does, for whom failures belong to. */
  activity: ErrorCause = 'catalog';
  hasCommitted = false;

  constructor(options: SessionOptions, state: IngestionState) {
    this.#options = options;
    this.#state = state;
    this.#failureEvents = new EventRate(options.clock, tableLimits.recordFailureEventsPerMinute);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { source } = this.#options;
    await this.#open();
    try {
      this.#checkFiles();
      this.activity = 'source';
      await this.#start();
      const positions = [...this.#state.partitions.values()].filter(({ stopped }) => stopped === undefined);
      this.#reader = source.open(new Map(positions.map(({ partition, position }) => [partition, position])));
      const wake = () => this.#wake();
      signal.addEventListener('abort', wake);
      try {
        this.#ask();
        await this.#loop(signal);
      } finally {
        signal.removeEventListener('abort', wake);
        this.#cancelTimer();
        await this.#reader.close();
      }
    } finally {
      await this.#files.abandon();
      await this.#keeper?.abandon();
    }
  }

  async #loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#isDue) await this.#commit();
      else if (this.#isStale) await this.#refresh();
      else if (this.#event !== undefined) {
        const event = this.#event;
        this.#event = undefined;
        await this.#take(event, signal);
        if (!signal.aborted) this.#ask();
      } else if (this.#failure !== undefined) throw this.#failure.error;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      this.activity = 'source';
    }
    await this.#commit();
  }

  /** Another job has changed the table, or its kept records. */
  refresh(): void {
    this.#isStale = true;
    this.#wake();
  }

  async #refresh(): Promise<void> {
    this.#isStale = false;
    const { catalog, name, log, onChanged } = this.#options;
    try {
      const table = await catalog.load(name);
      await this.#keeper?.refresh();
      // The next commit refuses another table.
      if (table.metadata.uuid !== this.#table.metadata.uuid) return;
      this.#table = table;
      this.#setTable();
      onChanged();
    } catch (error) {
      // What is shown is corrected by the next commit.
      log.debug('failed to refresh table', { error: String(error) });
    }
  }

  #ask(): void {
    this.#reader.next().then(
      (event) => {
        this.#event = event;
        this.#wake();
      },
      (error: unknown) => {
        this.#failure = { error };
        this.#wake();
      },
    );
  }

  async #open(): Promise<void> {
    const { definition, name, budget, emit } = this.#options;
    this.activity = 'catalog';
    const { columns, compression } = definition;
    this.#state.hasDefinition = false;
    this.#keeper =
      definition.deadLetters.mode === 'keep'
        ? await RecordKeeper.open({ ...this.#options, topic: definition.topic })
        : undefined;
    this.#table = await openTable(this.#options, wantedTable(definition, name), emit);
    const { metadata } = this.#table;
    await this.#keeper?.findKept(sourceOffsetsOf(metadata));
    await this.#findPartitions();
    this.#state.hasDefinition = true;
    this.#setTable();
    this.#files = new FileSet(metadata, fileColumns(columns.columns, currentSchema(metadata)), {
      ...this.#options,
      budget,
      compression,
    });
  }

  #setTable(): void {
    this.#state.setTable(this.#table, {
      partitionCount: this.#tablePartitions.size,
      partitionsMax: this.#partitionsMax(),
      filesMax: this.#filesMax(),
    });
    this.#state.keptRecords = this.#keeper?.total ?? 0;
  }

  async #findPartitions(): Promise<void> {
    const { metadata } = this.#table;
    this.#tablePartitions = new Set();
    if (defaultSpec(metadata).fields.length === 0) return;
    const { data } = await planFiles(this.#options.files, metadata, snapshotOfRef(metadata));
    for (const { file } of data)
      this.#tablePartitions.add(this.#partitionKey(file.partition.map(keyOf).join(''), file.specId));
  }

  #partitionKey(key: string, specId = this.#table.metadata.defaultSpecId): string {
    return `${specId}/${key}`;
  }

  async #start(): Promise<void> {
    const { source, definition } = this.#options;
    const { metadata } = this.#table;
    const topic = await source.describe();
    this.#topicId = topic.topicId;
    this.#stoppedBefore = stoppedOf(metadata);
    const offsets = sourceOffsetsOf(metadata);
    const starts = startsOf(definition.topic, topic, offsets, newestSummary(metadata, topicIdKey)?.value);
    const before = this.#state.partitions;
    this.#state.partitions = new Map(starts.map(({ state }) => [state.partition, state]));
    for (const { state, gap } of starts) {
      if (gap !== undefined) this.#passGap(gap);
      const { partition, stopped, position } = state;
      // A record that stopped an earlier session stops this one too.
      const known = before.get(partition)?.stopped;
      if (stopped === undefined && known !== undefined && known.offset === position) state.stopped = known;
      else if (stopped !== undefined && known?.error !== stopped.error) this.#emitStopped(state);
    }
    this.#options.onChanged();
  }

  async #take(event: SourceEvent, signal: AbortSignal): Promise<void> {
    this.#state.isFailing = false;
    if (event.kind === 'batch') await this.#takeBatch(event, signal);
    else if (event.kind === 'out-of-range') this.#takeOutOfRange(event);
    else this.#takeNewPartitions(event);
  }

  #takeNewPartitions({ partitions }: NewPartitions): void {
    const offsets = sourceOffsetsOf(this.#table.metadata);
    for (const found of partitions) {
      if (this.#state.partitions.has(found.partition)) continue;
      const { state } = startOf(this.#options.definition.topic, found, offsets.get(found.partition));
      this.#state.partitions.set(found.partition, state);
      if (state.stopped === undefined) this.#reader.seek(found.partition, state.position);
    }
  }

  #takeOutOfRange(found: OutOfRange): void {
    const state = this.#state.partitions.get(found.partition);
    if (state === undefined || state.stopped !== undefined) return;
    const { state: next, gap } = startOf(this.#options.definition.topic, found, state.position);
    state.position = next.position;
    state.endOffset = found.endOffset;
    if (gap !== undefined) {
      this.#passGap(gap);
      this.#moved();
    }
    if (next.stopped === undefined) this.#reader.seek(found.partition, state.position);
    else this.#stop(state, next.stopped.error);
  }

  #passGap({ partition, from, to }: SourceGap): void {
    const missed = to - from;
    this.#state.counts.missed += missed;
    this.#options.emit(
      'source_gap',
      `partition ${partition}: the topic begins at offset ${to}, so that ${missed} records from ${from} on are not in the table`,
      { isError: true, partition, offset: from },
    );
  }

  async #takeBatch({ partition, records, nextOffset, endOffset }: SourceBatch, signal: AbortSignal) {
    const state = this.#state.partitions.get(partition);
    if (state === undefined || state.stopped !== undefined || nextOffset <= state.position) return;
    const from = state.position;
    // A batch of the log may begin before the offset that was asked for. What is kept already is no row.
    const wanted = records.filter(
      ({ offset }) => offset >= from && this.#keeper?.isKept(partition, offset) !== true,
    );
    const read = wanted.length === 0 ? undefined : await this.#read(wanted, signal);
    if (wanted.length > 0 && read === undefined) return;
    state.endOffset = endOffset;
    const last = records.at(-1);
    const stoppedAt = read === undefined ? undefined : await this.#append(state, wanted, read);
    if (last !== undefined) state.lastMs = (stoppedAt ?? last).timestampMs;
    state.position = stoppedAt?.offset ?? nextOffset;
    if (state.position > from) this.#moved();
    this.#resume(state);
    const { tableCommitPartitionsMax, tableCommitKeptMax } = tableLimits;
    if (
      this.#commitPartitions.size > tableCommitPartitionsMax ||
      (this.#keeper?.uncommitted ?? 0) > tableCommitKeptMax
    )
      this.#isDue = true;
  }

  /** Tries until the records can be read, and commits meanwhile; `undefined` if it is to end. */
  async #read(records: readonly SourceRecord[], signal: AbortSignal): Promise<ReadRows | undefined> {
    const { rows, clock, random, log, onChanged } = this.#options;
    for (let retries = 0; !signal.aborted; retries++) {
      try {
        this.activity = 'records';
        const read = await rows.read(records);
        return withoutRefused(read, this.#files.refused(read.columns));
      } catch (error) {
        const { message } = error as Error;
        this.#state.fail(message, 'records', clock.nowMs());
        log.warn('failed to read records of table', { error: message });
        onChanged();
      }
      await pauseUnlessStopped(clock, jitteredBackOffMs(retries, readBackOff, random), signal);
      if (this.#isDue) await this.#commit();
    }
    return undefined;
  }

  /** Appends rows, and treats other records as the definition says. Returns the record that stops the partition. */
  async #append(
    state: PartitionState,
    records: readonly SourceRecord[],
    read: ReadRows,
  ): Promise<SourceRecord | undefined> {
    const { mode } = this.#options.definition.deadLetters;
    const { partition } = state;
    const { counts } = this.#state;
    const first = mode === 'stop' ? firstFailure(read.failures) : undefined;
    const taken = first === undefined ? read : rowsBefore(read, first.at);
    const rowCount = taken.recordAt.length;
    if (rowCount > 0) {
      this.activity = 'storage';
      for (const key of await this.#files.append(taken.columns, taken.bytes)) this.#addPartition(key);
      this.#uncommitted.rows += rowCount;
      this.#uncommitted.rowBytes += taken.bytes;
      for (const at of taken.recordAt)
        state.oldestMs = Math.min(state.oldestMs ?? Number.POSITIVE_INFINITY, records[at]!.timestampMs);
    }
    counts.filtered += taken.droppedCount;
    if (read.failures.length === 0) return undefined;
    if (first !== undefined) {
      const { offset } = records[first.at]!;
      const error = `record at offset ${offset} of partition ${partition} cannot be a row (${first.step}: ${first.message})`;
      this.#emitFailure(partition, records, first);
      this.#stop(state, `${error}; correct the definition, or choose dlq_mode skip or keep`, offset);
      return records[first.at];
    }
    for (const failure of read.failures) this.#emitFailure(partition, records, failure);
    if (this.#keeper === undefined) counts.skipped += read.failures.length;
    else {
      this.activity = 'storage';
      await this.#keeper.keep(read.failures.map((failure) => ({ record: records[failure.at]!, failure })));
    }
    return undefined;
  }

  #addPartition(rowsKey: string): void {
    const key = this.#partitionKey(rowsKey);
    this.#commitPartitions.add(key);
    this.#tablePartitions.add(key);
    const partitionsMax = this.#partitionsMax();
    if (this.#tablePartitions.size > partitionsMax)
      throw new TableBlocked(
        `the table would have more than ${partitionsMax} partitions; choose a coarser partition_by, such as day instead of hour, or fewer columns`,
      );
  }

  #partitionsMax(): number {
    return this.#options.partitionsMax ?? tableLimits.tablePartitionsMax;
  }

  #emitFailure(partition: number, records: readonly SourceRecord[], failure: RowFailure): void {
    const { offset } = records[failure.at]!;
    const left = this.#failureEvents.take();
    if (left === undefined) return;
    const more = left === 0 ? '' : `; ${left} other records failed since the last event`;
    this.#options.emit('record_ingestion_failed', `${failure.step}: ${failure.message}${more}`, {
      isError: true,
      partition,
      offset,
    });
  }

  #stop(state: PartitionState, error: string, offset = state.position): void {
    state.stopped = { offset, error };
    this.#reader.stop(state.partition);
    this.#emitStopped(state);
    this.#moved();
    this.#options.onChanged();
  }

  #emitStopped({ partition, stopped }: PartitionState): void {
    this.#options.emit('partition_stopped', stopped!.error, {
      isError: true,
      partition,
      offset: stopped!.offset,
    });
  }

  /** Says so if a partition passes the record that it was stopped at. */
  #resume({ partition, position }: PartitionState): void {
    const offset = this.#stoppedBefore.get(partition);
    if (offset === undefined || position <= offset) return;
    this.#stoppedBefore.delete(partition);
    this.#options.emit('partition_resumed', `partition ${partition} goes on after offset ${offset}`, {
      partition,
      offset,
    });
  }

  /** Sees to a commit: soon if there are rows. */
  #moved(): void {
    const { clock, definition } = this.#options;
    const { commitIntervalMs } = definition;
    const hasWork = this.#uncommitted.rows > 0 || (this.#keeper?.uncommitted ?? 0) > 0;
    const delayMs = hasWork ? commitIntervalMs : Math.max(commitIntervalMs, offsetsIntervalMs);
    const dueMs = clock.monotonicMs() + delayMs;
    if (dueMs >= this.#dueMs) return;
    this.#cancelTimer();
    this.#dueMs = dueMs;
    this.#cancelTimer = clock.after(delayMs, () => {
      this.#isDue = true;
      this.#wake();
    });
  }

  #positions(): SourceOffsets {
    return new Map(
      this.#state.partitions
        .values()
        .filter(({ committed, position }) => committed !== undefined || position > 0n)
        .map(({ partition, position }) => [partition, position]),
    );
  }

  async #commit(): Promise<void> {
    this.#cancelTimer();
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#isDue = false;
    const { catalog, name, clock, onChanged } = this.#options;
    const partitions = [...this.#state.partitions.values()];
    const stopped = new Map(this.#stoppedBefore);
    for (const { partition, stopped: at } of partitions)
      if (at !== undefined) stopped.set(partition, at.offset);
    const before = stoppedOf(this.#table.metadata);
    const hasNewStops = stopped.size !== before.size || !stopped.keys().every((one) => before.has(one));
    if (
      !hasNewStops &&
      partitions.every(({ committed, begun, position }) => position === (committed ?? begun))
    )
      return;
    this.activity = 'storage';
    const added = await this.#files.finish();
    const positions = this.#positions();
    this.activity = 'catalog';
    await this.#keeper?.commit(positions);
    const base = new Map(partitions.map(({ partition, committed }) => [partition, committed]));
    const commitId = randomId(this.#options.random);
    const topicId = this.#topicId === undefined ? {} : { [topicIdKey]: this.#topicId };
    const change = new FileChange(
      {
        operation: 'append',
        added,
        summary: (metadata) => ({
          ...carriedSummary(metadata),
          ...topicId,
          ...sourceOffsetsSummary(new Map([...sourceOffsetsOf(metadata), ...positions])),
          ...stoppedSummary(stopped),
          [commitIdKey]: commitId,
        }),
        validate: (metadata) => this.#validate(metadata, base),
      },
      this.#options,
    );
    this.#table = await commitChange(catalog, name, change, this.#options);
    for (const state of partitions) {
      state.committed = positions.get(state.partition);
      state.oldestMs = undefined;
    }
    this.hasCommitted = true;
    const { counts } = this.#state;
    counts.rows += this.#uncommitted.rows;
    counts.rowBytes += this.#uncommitted.rowBytes;
    counts.kept += this.#keeper?.takeCommitted() ?? 0;
    counts.commits++;
    this.#uncommitted = { rows: 0, rowBytes: 0 };
    this.#commitPartitions.clear();
    this.#state.isFailing = false;
    this.#state.lastCommitMs = clock.nowMs();
    this.#setTable();
    onChanged();
    this.#checkFiles();
  }

  /** Maintenance merges files meanwhile: the next session tries again. */
  #checkFiles(): void {
    const { fileCount = 0 } = this.#state.table ?? {};
    if (fileCount <= this.#filesMax()) return;
    this.activity = 'other';
    throw new Failure(
      `the table has ${fileCount} data files, and at most ${this.#filesMax()} while rows are added; they are added again when maintenance has merged enough of them: choose a coarser partition_by, a longer commit_interval or a retention`,
    );
  }

  #filesMax(): number {
    return this.#options.filesMax ?? tableLimits.tableFilesMax;
  }

  /** Refuses the commit if the table is another one, or another writer has passed the offsets. */
  #validate(metadata: TableMetadata, base: ReadonlyMap<number, bigint | undefined>): void {
    if (metadata.uuid !== this.#table.metadata.uuid)
      throw new ChangeRefused('the table was deleted and created anew; reading begins again');
    const offsets = sourceOffsetsOf(metadata);
    for (const [partition, committed] of base) {
      const found = offsets.get(partition);
      if (found !== committed)
        throw new ChangeRefused(
          `another writer has committed partition ${partition} up to offset ${found}; reading begins again there`,
        );
    }
  }
}

function firstFailure(failures: readonly RowFailure[]): RowFailure | undefined {
  return failures.reduce<RowFailure | undefined>(
    (first, one) => (first === undefined || one.at < first.at ? one : first),
    undefined,
  );
}
