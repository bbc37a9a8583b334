import { secretsDigest, type TableTask } from '@weir/cluster';
import { type Log, secretNamesIn } from '@weir/core';
import type { RemovedTable, WantedTable } from '@weir/metadata';
import { readYaml } from '@weir/pipelines/yaml';
import type { Pipeline, PipelineConfiguration, Pipelines } from '../accounts/workspaces/pipelines.ts';
import { revisionOf, type Secrets } from '../accounts/workspaces/secrets.ts';
import type { Tables, TablesPlace } from '../accounts/workspaces/tables.ts';
import { textsIn } from '../pipelines/tenant-references.ts';
import { catalogOfTask } from './catalog-of-task.ts';
import { configuredTables, type TableOfConfiguration } from './configured-tables.ts';

interface TableStores {
  readonly pipelines: Pick<Pipelines, 'list' | 'configurations'>;
  readonly secrets: Pick<Secrets, 'list' | 'open'>;
  readonly tables: Pick<Tables, 'ensure' | 'deleted' | 'forget' | 'endReplay'>;
}

/** A configuration as it was read: its tables by name. It never changes. */
interface ReadConfiguration {
  readonly tables: ReadonlyMap<string, TableOfConfiguration>;
  readonly secretNames: readonly string[];
}

/** A pipeline with a deployed configuration. */
export interface ConfiguredPipeline extends ReadConfiguration {
  readonly pipeline: Pipeline;
  readonly configurationId: string;
}

/** Clusters whose configurations stay read. */
const clustersMax = 1_000;

/** The tables of clusters that should be written, by their pipelines. */
export class TablePipelines {
  readonly #stores: TableStores;
  readonly #log: Log;
  /**
   * By cluster, the one that was not asked for longest first, then by id of the configuration: those that were deployed
   * at the last look. Reading a large one takes milliseconds.
   */
  readonly #read = new Map<string, ReadonlyMap<string, ReadConfiguration>>();

  constructor(stores: TableStores, log: Log) {
    this.#stores = stores;
    this.#log = log;
  }

  /** Creates the tables that are configured and that there are not. */
  async wanted(place: TablesPlace): Promise<readonly WantedTable[]> {
    const { secrets, tables } = this.#stores;
    const running = (await this.configured(place)).filter(({ pipeline }) => pipeline.state === 'running');
    if (running.length === 0) return [];
    const configured = running.flatMap(({ pipeline, tables: named }) =>
      Array.from(named.values(), (table) => ({ ...table, pipelineId: pipeline.id })),
    );
    const ensured = await tables.ensure(place, configured);
    const known = new Map((await secrets.list(place)).map((secret) => [secret.name, revisionOf(secret)]));
    const byPipeline = new Map(
      running.map(({ pipeline: { id, name }, configurationId, tables: named, secretNames }) => {
        const common: Pick<TableTask, 'pipelineId' | 'pipelineName' | 'configurationId' | 'secretsDigest'> = {
          pipelineId: id,
          pipelineName: name,
          configurationId,
          secretsDigest: secretsDigest(secretNames, (secret) => known.get(secret)),
        };
        const openSecrets = secretNames.length === 0 ? undefined : () => secrets.open(place, secretNames);
        return [id, { common, named, openSecrets }] as const;
      }),
    );
    return ensured.map(({ uuid, name, pipelineId, replayRequestedMs }) => {
      const { common, named, openSecrets } = byPipeline.get(pipelineId)!;
      const { yaml } = named.get(name)!;
      return { task: { ...common, tableUuid: uuid, tableName: name, yaml }, openSecrets, replayRequestedMs };
    });
  }

  /** The pipelines with a deployed configuration, also those that are paused, and their tables. */
  async configured({ accountId, clusterId }: TablesPlace): Promise<readonly ConfiguredPipeline[]> {
    const { pipelines } = this.#stores;
    const before = this.#read.get(clusterId);
    const now = new Map<string, ReadConfiguration>();
    const found: ConfiguredPipeline[] = [];
    for (const pipeline of await pipelines.list(accountId, clusterId)) {
      const { id: pipelineId, type, deployed } = pipeline;
      if (type !== 'data_lake' || deployed === undefined) continue;
      const read =
        before?.get(deployed.id) ??
        this.#readConfiguration(
          deployed.id,
          await pipelines.configurations({ accountId, clusterId, pipelineId }),
        );
      now.set(deployed.id, read);
      found.push({ pipeline, configurationId: deployed.id, ...read });
    }
    this.#read.delete(clusterId);
    if (now.size > 0) this.#read.set(clusterId, now);
    if (this.#read.size > clustersMax) this.#read.delete(this.#read.keys().next().value!);
    return found;
  }

  async removed(place: TablesPlace): Promise<readonly RemovedTable[]> {
    const { tables, secrets } = this.#stores;
    const deleted = await tables.deleted(place);
    return Promise.all(
      deleted.map(async ({ uuid, name, bucketUrl, catalog, deletedMs }) => ({
        task: {
          tableUuid: uuid,
          tableName: name,
          bucketUrl,
          ...(await catalogOfTask(catalog, place, secrets)),
        },
        removedMs: deletedMs,
      })),
    );
  }

  endReplay(place: TablesPlace, tableUuid: string, requestedMs: number): Promise<void> {
    return this.#stores.tables.endReplay(place, tableUuid, requestedMs);
  }

  forget(place: TablesPlace, tableUuid: string): Promise<void> {
    return this.#stores.tables.forget(place, tableUuid);
  }

  #readConfiguration(
    configurationId: string,
    configurations: readonly PipelineConfiguration[],
  ): ReadConfiguration {
    const yaml = configurations.find(({ id }) => id === configurationId)?.yaml ?? '';
    try {
      const tables = new Map(configuredTables(yaml).map((table) => [table.name, table]));
      const reading = readYaml(yaml);
      return { tables, secretNames: 'problems' in reading ? [] : secretNamesIn(textsIn(reading.value)) };
    } catch (error) {
      // An earlier release may have taken it.
      this.#log.warn('failed to read tables of configuration', { configurationId, error: String(error) });
      return { tables: new Map(), secretNames: [] };
    }
  }
}
