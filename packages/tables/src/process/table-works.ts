/** What the process of tables does: jobs of tables, and questions about them. */
import { join } from 'node:path';
import {
  type AskedTable,
  type ReplayState,
  type TableRemovalTask,
  type TableState,
  type TableTask,
  tableReportIntervalMs,
} from '@weir/cluster';
import { AllowedHosts } from '@weir/cluster/outbound';
import { type Clock, isSecretReference, type Log, type Random } from '@weir/core';
import type { DataFiles } from '@weir/iceberg';
import type { EndedRequest } from '@weir/storage';
import { RowBudget } from '../append/row-budget.ts';
import { TableBlocked } from '../append/table-blocked.ts';
import { keptTableName } from '../dead-letters/kept-records.ts';
import { type ReplayLeft, replayKept } from '../dead-letters/replay-kept.ts';
import { parseCatalog } from '../definition/catalog-fields.ts';
import { openTableRegistry } from '../definition/open-registry.ts';
import { readDefinitions } from '../definition/read-definitions.ts';
import { SchemaRefused } from '../definition/source-schema.ts';
import { TableIngestion } from '../ingestion/table-ingestion.ts';
import { tableLimits } from '../limits.ts';
import { dropTable } from '../maintenance/drop-table.ts';
import { maintenanceSettings, type VerifierOutcome } from '../maintenance/maintenance.ts';
import { TableMaintainer } from '../maintenance/table-maintainer.ts';
import { DuckDbWriter } from '../parquet/duckdb-writer.ts';
import { TableQuestions } from '../questions/table-questions.ts';
import { SourceClusters } from '../source/source-clusters.ts';
import type { Credential, RowDeps, TableConfiguration } from '../table-definition.ts';
import type { TableEventMessage, TablesSettings, TopicCounts } from './process-messages.ts';
import { type PlacedTable, TableBuckets } from './table-buckets.ts';
import { TableCatalogs } from './table-catalogs.ts';
import { tableStateOf } from './table-state.ts';

interface TableWorksOptions {
  readonly settings: TablesSettings;
  readonly onStates: (tables: readonly TableState[]) => void;
  readonly onReplays: (replays: readonly ReplayState[]) => void;
  readonly onCounts: (counts: readonly TopicCounts[]) => void;
  readonly onVerified: (outcome: VerifierOutcome) => void;
  readonly onRequest: (bucket: string, request: EndedRequest) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

interface WorkOptions {
  readonly signal: AbortSignal;
  readonly onEvent: (event: TableEventMessage) => void;
}

/** A table that is written. */
interface Written {
  readonly topic: string;
  readonly refresh: () => void;
  readonly state: () => TableState;
  readonly taken: () => TopicCounts;
}

export class TableWorks {
  readonly #options: TableWorksOptions;
  readonly #buckets: TableBuckets;
  readonly #catalogs: TableCatalogs;
  readonly #sources: SourceClusters;
  readonly #hosts: AllowedHosts;
  readonly #budget = new RowBudget({
    bytesMax: tableLimits.openRowBytesMax,
    filesMax: tableLimits.parquetOpenFilesMax,
  });
  readonly #written = new Map<string, Written>();
  readonly #changed = new Set<string>();
  #parquet: DuckDbWriter | undefined;
  #maintainer: TableMaintainer | undefined;
  #questions: TableQuestions | undefined;
  #cancelStates: (() => void) | undefined;

  constructor(options: TableWorksOptions) {
    const { settings, onRequest, clock, random, log } = options;
    this.#options = options;
    this.#hosts = new AllowedHosts(settings.allowedHosts);
    const { bucket } = settings;
    this.#catalogs = new TableCatalogs({ bucket, hosts: this.#hosts, clock, random, log });
    this.#buckets = new TableBuckets({ bucket, catalogs: this.#catalogs, onRequest, clock, random, log });
    this.#sources = new SourceClusters({ hosts: this.#hosts, clock, log });
  }

  /** Writes a table until the signal is aborted, and then what it has read. Throws `TableBlocked`. */
  async ingest(task: TableTask, { signal, onEvent }: WorkOptions): Promise<string> {
    const { clock, random } = this.#options;
    const { tableUuid, tableName } = task;
    const log = this.#options.log.with({ table: tableName });
    const configuration = readTask(task);
    const place = await this.#placeOf(task, configuration);
    const deps = this.#rowDeps(task);
    const definition = await configuration.resolve(deps);
    const source = this.#sources.open(definition.source, definition.topic, (credential) =>
      this.#credential(task, credential),
    );
    const written = countedFiles(place.dataFiles);
    const ingestion = new TableIngestion({
      definition,
      name: place.name,
      source,
      rows: definition.openRows(deps),
      parquet: this.#writer(),
      dataFiles: written,
      budget: this.#budget,
      catalog: place.catalog,
      files: place.files,
      clock,
      random,
      log,
      onEvent: ({ type, isError, message, partition, offset }) =>
        onEvent({
          type,
          isError,
          message,
          partition,
          offset: offset === undefined ? undefined : Number(offset),
        }),
      onProgress: () => this.#noteChange(tableUuid),
    });
    const before = { rows: 0, filtered: 0, skipped: 0, kept: 0 };
    this.#written.set(tableUuid, {
      topic: definition.topic,
      refresh: () => ingestion.refresh(),
      state: () => tableStateOf(task, definition.topic, ingestion.progress(), source.problems()),
      taken: () => {
        const { rows, filtered, skipped, kept } = ingestion.progress().counts;
        const now = { rows, filtered, skipped, kept };
        const counts = { topic: definition.topic, ...written.take(), ...differences(now, before) };
        Object.assign(before, now);
        return counts;
      },
    });
    this.#statesLater();
    try {
      await ingestion.run({ signal });
    } finally {
      this.#sendStates([tableUuid]);
      this.#written.delete(tableUuid);
      await source.close();
    }
    return `wrote ${ingestion.progress().counts.rows} rows`;
  }

  /** Does what is due for a table and for its kept records. */
  async maintain(task: TableTask, { signal, onEvent }: WorkOptions): Promise<string> {
    const configuration = readTask(task);
    const { catalog, files, dataFiles, name: table } = await this.#placeOf(task, configuration);
    const settings = maintenanceSettings(configuration);
    const onVerified = (outcome: VerifierOutcome, missing: readonly string[]) => {
      this.#options.onVerified(outcome);
      if (missing.length === 0) return;
      const message = `${missing.length} files are missing that the table refers to, so that rows are lost: ${missing[0]}; a program deleted them, or a lifecycle rule of the bucket`;
      onEvent({ type: 'files_missing', isError: true, message });
    };
    const common = { catalog, files, dataFiles, signal, onVerified };
    const { summary } = await this.#maintenance().maintain({ ...common, table, settings: settings.rows });
    await this.#maintenance().maintain({
      ...common,
      table: keptTableName(table),
      settings: settings.deadLetters,
    });
    this.#written.get(task.tableUuid)?.refresh();
    return summary;
  }

  /** Makes rows of the kept records of a table, by its configuration as it is now. */
  async replay(task: TableTask, { signal, onEvent }: WorkOptions): Promise<string> {
    const { clock, random } = this.#options;
    const configuration = readTask(task);
    const { catalog, files, dataFiles, name } = await this.#placeOf(task, configuration);
    const deps = this.#rowDeps(task);
    const definition = await configuration.resolve(deps);
    const { tableUuid } = task;
    let left: ReplayLeft | undefined;
    const report = () =>
      this.#options.onReplays([
        {
          tableUuid,
          lagRecords: left?.records ?? 0,
          lagMs:
            left?.oldestMs === undefined ? undefined : Math.max(0, Math.round(clock.nowMs() - left.oldestMs)),
        },
      ]);
    const cancel = this.#repeat(report);
    const { replayed, failed, waiting } = await replayKept({
      definition,
      name,
      rows: definition.openRows(deps),
      parquet: this.#writer(),
      dataFiles,
      budget: this.#budget,
      catalog,
      files,
      clock,
      random,
      log: this.#options.log.with({ table: task.tableName }),
      signal,
      onLeft: (now) => {
        const isFirst = left === undefined;
        left = now;
        if (isFirst) report();
      },
    }).finally(() => {
      cancel();
      left = undefined;
      report();
    });
    this.#written.get(tableUuid)?.refresh();
    const message = [
      `${replayed} kept records became rows`,
      ...(failed === 0 ? [] : [`${failed} failed again`]),
      ...(waiting === 0 ? [] : [`${waiting} wait until the table has passed them`]),
    ].join(', ');
    onEvent({ type: 'records_replayed', isError: failed > 0, message });
    return message;
  }

  /** Deletes the files of a table that is not wanted any more. */
  async remove(task: TableRemovalTask, { signal }: WorkOptions): Promise<string> {
    const { log } = this.#options;
    const place = await this.#placeOfTask(task, { ignoresOthers: true });
    const { catalog, files, name, location, keptLocation } = place;
    let deleted = 0;
    for (const one of [
      { table: name, location },
      { table: keptTableName(name), location: keptLocation },
    ])
      deleted += await dropTable({ ...one, catalog, files, log, signal });
    return `deleted ${deleted} files`;
  }

  /** Answers a question about tables, as JSON. */
  async ask(
    text: string,
    options: { readonly signal: AbortSignal; readonly limitMs: number },
  ): Promise<string> {
    const { settings, clock, log } = this.#options;
    this.#questions ??= new TableQuestions({
      placeOf: async (table) => {
        const { files, dataFiles, catalog, name } = await this.#placeOfTask(table);
        return { files: { ...files, readRange: dataFiles.readRange }, catalog, name };
      },
      directory: join(settings.directory, 'questions'),
      clock,
      log,
    });
    return await this.#questions.answer(text, options);
  }

  async close(): Promise<void> {
    this.#cancelStates?.();
    await this.#questions?.close();
    await this.#parquet?.close();
    await this.#buckets.close();
    this.#catalogs.close();
  }

  #placeOf(
    task: TableTask,
    { destinationBucketUrl: bucketUrl, catalog: settings }: TableConfiguration,
  ): Promise<PlacedTable> {
    return this.#buckets.placeOf(task, { bucketUrl, settings, credentialOf: this.#credentialsOf(task) });
  }

  /** Of a table without its configuration. */
  #placeOfTask(
    task: AskedTable,
    { ignoresOthers = false }: { readonly ignoresOthers?: boolean } = {},
  ): Promise<PlacedTable> {
    const settings = parseCatalog(task.catalog);
    const { bucketUrl } = task;
    const credentialOf = this.#credentialsOf(task);
    return this.#buckets.placeOf(task, { bucketUrl, settings, credentialOf, ignoresOthers });
  }

  #credentialsOf(task: Pick<TableTask, 'secrets'>): (credential: Credential) => string {
    return (credential) => this.#credential(task, credential);
  }

  #rowDeps(task: TableTask): RowDeps {
    const { clock, random } = this.#options;
    return {
      openRegistry: (address) =>
        openTableRegistry(address, {
          variable: (name) => this.#value(task, name),
          allowedHosts: this.#hosts,
          clock,
          random,
        }),
    };
  }

  #credential(task: Pick<TableTask, 'secrets'>, { variable: name }: Credential): string {
    const value = this.#value(task, name);
    if (value === undefined && isSecretReference(name))
      throw new TableBlocked(`the configuration refers to ${name}, which is gone; create the secret again`);
    if (value === undefined)
      throw new TableBlocked(
        `the agents have no environment variable ${name} that configurations may read; set it, and list it in -allowedPipelineVariables`,
      );
    return value;
  }

  #value({ secrets = {} }: Pick<TableTask, 'secrets'>, name: string): string | undefined {
    const { variables } = this.#options.settings;
    const secret = /^\$\{secret:([^}]+)\}$/.exec(name)?.[1];
    if (secret !== undefined) return Object.hasOwn(secrets, secret) ? secrets[secret] : undefined;
    return Object.hasOwn(variables, name) ? variables[name] : undefined;
  }

  #writer(): DuckDbWriter {
    this.#parquet ??= new DuckDbWriter({
      directory: join(this.#options.settings.directory, 'files'),
      memoryBytesMax: tableLimits.writerMemoryBytesMax,
      spillBytesMax: tableLimits.writerSpillBytesMax,
    });
    return this.#parquet;
  }

  #maintenance(): TableMaintainer {
    const { settings, clock, random, log } = this.#options;
    this.#maintainer ??= new TableMaintainer({
      directory: join(settings.directory, 'maintenance'),
      memoryBytesMax: tableLimits.maintenanceMemoryBytesMax,
      spillBytesMax: tableLimits.maintenanceSpillBytesMax,
      clock,
      random,
      log,
    });
    return this.#maintainer;
  }

  /** A change is reported soon, and all tables at intervals: lags change with time alone. */
  #noteChange(tableUuid: string): void {
    const isFirst = this.#changed.size === 0;
    this.#changed.add(tableUuid);
    if (isFirst) this.#options.clock.after(soonMs, () => this.#sendStates([...this.#changed]));
  }

  /** Calls at the interval of reports. Returns what ends it. */
  #repeat(report: () => void): () => void {
    let cancel = () => {};
    const next = () => {
      cancel = this.#options.clock.after(tableReportIntervalMs, () => {
        next();
        report();
      });
    };
    next();
    return () => cancel();
  }

  #statesLater(): void {
    this.#cancelStates ??= this.#options.clock.after(tableReportIntervalMs, () => {
      this.#cancelStates = undefined;
      if (this.#written.size === 0) return;
      this.#sendStates([...this.#written.keys()]);
      this.#statesLater();
    });
  }

  #sendStates(tableUuids: readonly string[]): void {
    const written = tableUuids.flatMap((uuid) => this.#written.get(uuid) ?? []);
    for (const uuid of tableUuids) this.#changed.delete(uuid);
    if (written.length === 0) return;
    this.#options.onStates(written.map(({ state }) => state()));
    const counts = written.map(({ taken }) => taken()).filter(hasCounts);
    if (counts.length > 0) this.#options.onCounts(counts);
  }
}

/** How soon a change is reported. */
const soonMs = 500;

function readTask({ yaml, tableName }: TableTask): TableConfiguration {
  const reading = readDefinitions(yaml);
  if ('problems' in reading) {
    const [{ place, message }] = reading.problems as [(typeof reading.problems)[number]];
    throw new TableBlocked(`line ${place.line}, column ${place.column}: ${message}`);
  }
  const found = reading.definitions.find(({ name }) => name === tableName);
  if (found === undefined) throw new TableBlocked(`the configuration has no table ${tableName}`);
  return found;
}

/** Whether a failure lasts until someone changes something. */
export function needsOperator(error: unknown): boolean {
  return error instanceof TableBlocked || error instanceof SchemaRefused;
}

type Numbers = Readonly<Record<string, number>>;

function differences<Counts extends Numbers>(now: Counts, before: Numbers): Counts {
  return Object.fromEntries(
    Object.entries(now).map(([name, value]) => [name, value - (before[name] ?? 0)]),
  ) as unknown as Counts;
}

function hasCounts({ topic: _, ...counts }: TopicCounts): boolean {
  return Object.values(counts).some((count) => count > 0);
}

interface CountedFiles extends DataFiles {
  /** Files and bytes that were stored since the last call. */
  take(): { readonly files: number; readonly bytes: number };
}

function countedFiles(dataFiles: DataFiles): CountedFiles {
  let counts = { files: 0, bytes: 0 };
  return {
    readRange: (...range) => dataFiles.readRange(...range),
    async beginWrite(path, signal) {
      const file = await dataFiles.beginWrite(path, signal);
      let written = 0;
      return {
        write(bytes) {
          written += bytes.length;
          return file.write(bytes);
        },
        async finish() {
          await file.finish();
          counts = { files: counts.files + 1, bytes: counts.bytes + written };
        },
        abort: () => file.abort(),
      };
    },
    take() {
      const taken = counts;
      counts = { files: 0, bytes: 0 };
      return taken;
    },
  };
}
