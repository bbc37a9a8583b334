/** Tables that are written in this process, as in the process of agents: one writer and one budget for all. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metrics, MiB, silentLog, systemClock, systemEnvironment, systemRandom } from '@weir/core';
import { ObjectStoreCatalog, storeDataFiles, storeFiles } from '@weir/iceberg';
import { createBucket, openStore } from '@weir/storage';
import {
  DuckDbWriter,
  RowBudget,
  type Source,
  TableIngestion,
  type TableIngestionOptions,
  type TableProgress,
} from '@weir/tables';
import { readDefinitions } from '@weir/tables/definition';
import { benchFields } from './generated-topic.ts';

const configuration = (topic: string, commitIntervalMs: number) => ({
  source_clusters: [{ name: 'bench', bootstrap_brokers: [{ hostname: '127.0.0.1', port: 9092 }] }],
  tables: [
    {
      source_cluster_name: 'bench',
      source_topic: topic,
      schema: { fields: benchFields },
      commit_interval: `${commitIntervalMs}ms`,
    },
  ],
});

async function benchDefinition(topic: string, commitIntervalMs: number) {
  const reading = readDefinitions(JSON.stringify(configuration(topic, commitIntervalMs)));
  if ('problems' in reading) throw new Error(reading.problems.map(({ message }) => message).join('; '));
  const openRegistry = () => {
    throw new Error('no registry is needed');
  };
  return { definition: await reading.definitions[0]!.resolve({ openRegistry }), openRegistry };
}

type TableDeps = Pick<TableIngestionOptions, 'catalog' | 'clock' | 'dataFiles' | 'files' | 'log' | 'random'>;

export class WrittenTables {
  readonly #folder: string;
  readonly #parquet: DuckDbWriter;
  readonly #deps: TableDeps;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  readonly #budget = new RowBudget({ bytesMax: 256 * MiB, filesMax: 1000 });

  static async open(): Promise<WrittenTables> {
    const folder = await mkdtemp(join(tmpdir(), 'bench-tables-'));
    const root = `file://${folder}/bucket`;
    await mkdir(join(folder, 'writer'));
    await createBucket(root);
    const store = await openStore(root, {
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      environment: systemEnvironment,
      metrics: new Metrics(),
    });
    const files = storeFiles(store, root);
    const deps = { files, clock: systemClock, random: systemRandom, log: silentLog };
    const catalog = new ObjectStoreCatalog({ ...deps, root });
    return new WrittenTables(folder, { ...deps, catalog, dataFiles: storeDataFiles(store, root) });
  }

  private constructor(folder: string, deps: TableDeps) {
    this.#folder = folder;
    this.#deps = deps;
    this.#parquet = new DuckDbWriter({
      directory: join(folder, 'writer'),
      memoryBytesMax: 256 * MiB,
      spillBytesMax: 1024 * MiB,
    });
  }

  async start(
    source: Source,
    table: { readonly topic: string; readonly commitIntervalMs: number },
    onProgress: (progress: TableProgress) => void = () => {},
  ): Promise<TableIngestion> {
    const { definition, openRegistry } = await benchDefinition(table.topic, table.commitIntervalMs);
    const ingestion = new TableIngestion({
      ...this.#deps,
      definition,
      name: { namespace: [], name: definition.name },
      source,
      rows: definition.openRows({ openRegistry }),
      parquet: this.#parquet,
      budget: this.#budget,
      onEvent: ({ isError, message }) => {
        if (isError) throw new Error(message);
      },
      onProgress,
    });
    this.#running.push(ingestion.run({ signal: this.#stop.signal }));
    return ingestion;
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    await this.#parquet.close();
    await this.discard();
  }

  /** Deletes the files alone, for a process that ends now. */
  async discard(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
