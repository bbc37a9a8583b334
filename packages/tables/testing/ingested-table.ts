/** A table in a bucket in memory, written from a topic in memory. */
import { type Log, MiB, seededRandom, silentLog } from '@weir/core';
import { HandClock, pause } from '@weir/core/testing';
import {
  ObjectStoreCatalog,
  parsePrimitive,
  planFiles,
  snapshotOfRef,
  storeDataFiles,
  storeFiles,
  type TableMetadata,
  type TableName,
} from '@weir/iceberg';
import type { ObjectStore } from '@weir/storage';
import { emptyMemoryStore } from '@weir/storage/testing';
import { RowBudget } from '../src/append/row-budget.ts';
import { type SourceOffsets, sourceOffsetsOf } from '../src/append/summary-keys.ts';
import { keptTableName } from '../src/dead-letters/kept-records.ts';
import type { TableEvent } from '../src/ingestion/progress.ts';
import { TableIngestion, type TableIngestionOptions } from '../src/ingestion/table-ingestion.ts';
import type { Column, RowValue } from '../src/parquet/parquet-writer.ts';
import type { RowFailure, RowReader } from '../src/rows/row-reader.ts';
import type { RowDeps, TableDefinition } from '../src/table-definition.ts';
import { JsonParquet, type JsonRow, readRows } from './json-parquet.ts';
import { MemoryTopic } from './memory-source.ts';

const root = 'mem://lake/service/_tableflow';

export function column(name: string, type: string, isRequired = false): Column {
  return { id: 0, name, isRequired, type: parsePrimitive(type, name) };
}

const kafkaColumns = [
  column('kafka_partition', 'int', true),
  column('kafka_offset', 'long', true),
  column('kafka_timestamp', 'timestamptz', true),
];

export function definition(parts: Partial<TableDefinition> & { readonly own?: readonly Column[] } = {}) {
  const { own = [column('id', 'long'), column('note', 'string')], ...others } = parts;
  const columns = [...own, ...kafkaColumns].map((one, at) => ({ ...one, id: at + 1 }));
  const made: TableDefinition = {
    name: 'shop__orders',
    source: { name: 'shop', brokers: [], credentials: undefined },
    topic: 'orders',
    format: 'json',
    columns: { kind: 'struct', columns },
    partitionBy: [],
    deadLetters: { mode: 'skip', retentionMs: undefined },
    retentionMs: undefined,
    commitIntervalMs: 1000,
    compression: 'zstd',
    destinationBucketUrl: undefined,
    catalog: undefined,
    openRows: () => rowsOf(made),
    ...others,
  };
  return made;
}

/** JSON objects become rows; `bad` fails, `drop` is filtered. Numbers are made to fit int and long. */
export function rowsOf({ columns }: Pick<TableDefinition, 'columns'>): RowReader {
  const own = columns.columns.slice(0, -kafkaColumns.length);
  return {
    async read(records) {
      const values: RowValue[][] = columns.columns.map(() => []);
      const recordAt: number[] = [];
      const failures: RowFailure[] = [];
      let droppedCount = 0;
      for (const [at, { partition, offset, timestampMs, value }] of records.entries()) {
        const text = value === null ? 'drop' : Buffer.from(value).toString();
        if (text === 'drop') droppedCount++;
        else if (text.startsWith('bad')) failures.push({ at, step: 'decode', message: `${text} is no JSON` });
        else {
          const parsed = JSON.parse(text) as Record<string, number | string | null>;
          const row = [
            ...own.map(({ name, type }) => {
              const found = parsed[name] ?? null;
              return type.kind === 'long' && typeof found === 'number' ? BigInt(found) : found;
            }),
            ...[partition, offset, BigInt(timestampMs) * 1000n],
          ];
          for (const [place, one] of row.entries()) values[place]!.push(one);
          recordAt.push(at);
        }
      }
      return { columns: values, recordAt, failures, droppedCount, bytes: 50 * recordAt.length };
    },
  };
}

/** Rows of these tests need no registry. */
export const noDeps: RowDeps = {
  openRegistry: () => {
    throw new Error('there is no registry');
  },
};

interface IngestedTableOptions {
  readonly topic?: MemoryTopic;
  readonly store?: ObjectStore;
  readonly seed?: number;
}

export class IngestedTable {
  readonly name: TableName = { namespace: [], name: 'shop__orders-1234' };
  readonly clock = new HandClock();
  readonly topic: MemoryTopic;
  readonly store: ObjectStore;
  readonly files;
  readonly catalog: ObjectStoreCatalog;
  readonly events: TableEvent[] = [];
  readonly parquet = new JsonParquet();
  readonly budget = new RowBudget({ bytesMax: 100 * MiB, filesMax: 100 });
  #seed: number;

  constructor({
    topic = new MemoryTopic(2),
    store = emptyMemoryStore(),
    seed = 1,
  }: IngestedTableOptions = {}) {
    this.topic = topic;
    this.store = store;
    this.#seed = seed;
    this.files = storeFiles(store, root);
    this.catalog = this.catalogOver(store);
  }

  catalogOver(store: ObjectStore, log: Log = silentLog): ObjectStoreCatalog {
    return new ObjectStoreCatalog({ files: storeFiles(store, root), root, clock: this.clock, log });
  }

  /** What one writer needs; another store may fail it. */
  options(parts: Partial<TableIngestionOptions> = {}, store = this.store): TableIngestionOptions {
    const made = parts.definition ?? definition();
    return {
      definition: made,
      name: this.name,
      source: this.topic,
      rows: made.openRows(noDeps),
      parquet: this.parquet,
      dataFiles: storeDataFiles(store, root),
      budget: this.budget,
      catalog: this.catalogOver(store),
      files: storeFiles(store, root),
      clock: this.clock,
      random: seededRandom(this.#seed++),
      log: silentLog,
      onEvent: (event) => void this.events.push(event),
      ...parts,
    };
  }

  /** Starts a writer; `stop` ends it as a job ends. */
  start(parts: Partial<TableIngestionOptions> = {}, store = this.store) {
    const ingestion = new TableIngestion(this.options(parts, store));
    const stopping = new AbortController();
    const ended = ingestion.run({ signal: stopping.signal });
    ended.catch(() => {});
    const stop = async () => {
      stopping.abort();
      await this.settled(ended);
    };
    return { ingestion, ended, stop, signal: stopping };
  }

  /** Lets time pass until it holds. */
  async until(isDone: () => boolean | Promise<boolean>, turnsMax = 3000): Promise<void> {
    for (let turn = 0; !(await isDone()); turn++) {
      if (turn === turnsMax) throw new Error('what the test waits for does not happen');
      if (turn > 2) this.clock.advance(200);
      await pause(0);
    }
  }

  async settled(promise: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const mark = () => {
      isSettled = true;
    };
    promise.then(mark, mark);
    await this.until(() => isSettled);
    await promise;
  }

  /** What the table has of a partition. */
  async offset(partition: number): Promise<bigint> {
    return (await this.#offsets()).get(partition) ?? 0n;
  }

  async #offsets(): Promise<SourceOffsets> {
    return await this.metadata().then(sourceOffsetsOf, () => new Map());
  }

  /** Whether the table has all records of the topic. */
  async hasAll(): Promise<boolean> {
    const offsets = await this.#offsets();
    for (let partition = 0; partition < this.topic.partitionCount; partition++)
      if ((offsets.get(partition) ?? 0n) < this.topic.log(partition).end) return false;
    return true;
  }

  async metadata(name = this.name): Promise<TableMetadata> {
    return (await this.catalog.load(name)).metadata;
  }

  /** Rows of the newest snapshot, by partition and offset. */
  async rows(name = this.name): Promise<JsonRow[]> {
    const metadata = await this.metadata(name);
    const { data } = await planFiles(this.files, metadata, snapshotOfRef(metadata));
    const rows: JsonRow[] = [];
    for (const { file } of data) rows.push(...readRows((await this.files.read(file.path, MiB))!));
    const place = (row: JsonRow) =>
      Number(row.kafka_partition ?? row.partition) * 1e9 + Number(row.kafka_offset ?? row.offset);
    return rows.sort((one, other) => place(one) - place(other));
  }

  /** The places of the rows, such as `0/17`. */
  async places(): Promise<string[]> {
    return (await this.rows()).map(
      ({ kafka_partition, kafka_offset }) => `${kafka_partition}/${kafka_offset}`,
    );
  }

  async keptPlaces(): Promise<string[]> {
    return (await this.rows(keptTableName(this.name))).map(
      ({ partition, offset }) => `${partition}/${offset}`,
    );
  }

  /** The places of all records of the topic that satisfy a condition, in order. */
  placesOf(isWanted: (text: string | undefined) => boolean = () => true): string[] {
    const places: string[] = [];
    for (let partition = 0; partition < this.topic.partitionCount; partition++)
      for (const { offset, value } of this.topic.log(partition).records)
        if (isWanted(value === null ? undefined : Buffer.from(value).toString()))
          places.push(`${partition}/${offset}`);
    return places;
  }
}
