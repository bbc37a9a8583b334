import { ApiError, type PipelineState, type PipelineType, pipelineTypes } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { freshId } from '../common/ids.ts';
import { byName, checkedName, requireRoomInCluster } from '../common/names.ts';
import { notFound } from '../common/not-found.ts';
import { AccountStore } from '../database/account-store.ts';
import { pipelineTable, virtualClusterTable } from '../database/account-table.ts';
import type {
  Database,
  DatabaseTransaction,
  PipelineConfigurationRow,
  PipelineRow,
  VirtualClusterRow,
} from '../database/schema.ts';
import { namesOf } from './secret-uses.ts';
import { requireSecrets } from './secrets.ts';

export interface Pipeline {
  /** `pi_…` */
  readonly id: string;
  readonly clusterId: string;
  readonly name: string;
  readonly type: PipelineType;
  readonly state: PipelineState;
  /** The deployed configuration, if there is one. */
  readonly deployed: { readonly id: string; readonly version: number } | undefined;
  readonly createdMs: number;
}

export interface ConfigurationPart {
  readonly name: string;
  readonly yaml: string;
}

/** A configuration of a pipeline. The caller validates it. */
export interface NewConfiguration {
  /** Whether it must not be stored without a key that seals it. */
  readonly hasSecrets?: boolean | undefined;
  /** If it was sent in parts, all of them merged. */
  readonly yaml: string;
  readonly parts?: readonly ConfigurationPart[] | undefined;
  /** The secrets that it refers to. */
  readonly secretNames?: readonly string[] | undefined;
}

/** Immutable. */
export interface PipelineConfiguration extends Pick<NewConfiguration, 'yaml' | 'parts'> {
  /** `pci_…` */
  readonly id: string;
  readonly version: number;
  readonly createdMs: number;
}

export interface PipelineChange {
  readonly state?: PipelineState | undefined;
  readonly deployedConfigurationId?: string | undefined;
}

/** Where a pipeline is. In another cluster or account it is not found. */
export interface PipelinePlace {
  readonly accountId: string;
  readonly clusterId: string;
  readonly pipelineId: string;
}

/** The pipelines of clusters, and their configurations. */
export class Pipelines extends AccountStore {
  /** By name. */
  async list(accountId: string, clusterId: string): Promise<Pipeline[]> {
    const rows = await overviews(this.database)
      .where('pipelines.account_id', '=', accountId)
      .where('pipelines.cluster_id', '=', clusterId)
      .execute();
    return rows.map(pipelineOf).sort(byName);
  }

  async get({ accountId, clusterId, pipelineId }: PipelinePlace): Promise<Pipeline> {
    const row = await overviews(this.database)
      .where('pipelines.account_id', '=', accountId)
      .where('pipelines.cluster_id', '=', clusterId)
      .where('pipelines.id', '=', pipelineId)
      .executeTakeFirst();
    if (row === undefined) throw notFound('pipeline');
    return pipelineOf(row);
  }

  /** The oldest first. */
  async configurations(place: PipelinePlace): Promise<PipelineConfiguration[]> {
    const { id } = await this.get(place);
    const rows = await this.database
      .selectFrom('weir_pipeline_configurations')
      .selectAll()
      .where('pipeline_id', '=', id)
      .orderBy('version')
      .execute();
    return rows.map((row) => this.#configurationOf(row));
  }

  /** Creates a pipeline, paused and without a configuration. */
  create(accountId: string, clusterId: string, name: string, type: PipelineType): Promise<Pipeline> {
    return this.changeAccount(accountId, async (transaction) => {
      const cluster = await virtualClusterTable.require(transaction, accountId, clusterId);
      refuseMisfit(type, cluster);
      const others = await pipelineTable.list(transaction, accountId, { cluster_id: clusterId });
      refuseTaken(others, name, type);
      const { clock, random } = this.deps;
      const row: PipelineRow = {
        id: freshId('pipeline', random),
        account_id: accountId,
        cluster_id: clusterId,
        name: checkedName('pipeline', name),
        type,
        state: 'paused',
        deployed_configuration_id: null,
        last_version: 0,
        created_ms: clock.nowMs(),
      };
      await transaction.insertInto('weir_pipelines').values(row).execute();
      return pipelineOf({ ...row, deployed_version: null });
    });
  }

  /** Stores another configuration. The oldest ones that are not deployed are deleted to make room. */
  async addConfiguration(place: PipelinePlace, given: NewConfiguration): Promise<PipelineConfiguration> {
    const { yaml, parts, hasSecrets, secretNames = [] } = given;
    if (hasSecrets === true && this.deps.secretBox === undefined) throw new ApiError('no_sealing_keys');
    return this.changeAccount(place.accountId, async (transaction) => {
      const pipeline = await requirePipeline(transaction, place);
      await requireSecrets(transaction, place, secretNames);
      const version = pipeline.last_version + 1;
      const { clock, random } = this.deps;
      const id = freshId('pipelineConfiguration', random);
      const row: PipelineConfigurationRow = {
        id,
        pipeline_id: pipeline.id,
        version,
        yaml: this.#sealed(yaml, id),
        parts: parts === undefined ? null : this.#sealed(JSON.stringify(parts), id),
        created_ms: clock.nowMs(),
        secret_names: secretNames.length === 0 ? null : JSON.stringify(secretNames),
      };
      await transaction
        .updateTable('weir_pipelines')
        .set({ last_version: version })
        .where('id', '=', pipeline.id)
        .execute();
      await transaction.insertInto('weir_pipeline_configurations').values(row).execute();
      await transaction
        .deleteFrom('weir_pipeline_configurations')
        .where('pipeline_id', '=', pipeline.id)
        .where('version', '<=', version - apiLimits.pipelineConfigurationsMax)
        .where('id', '!=', pipeline.deployed_configuration_id ?? '')
        .execute();
      await this.#sealOlder(transaction, pipeline.id);
      return this.#configurationOf(row);
    });
  }

  /** Starts, pauses or deploys; all requested changes or none. */
  async change(place: PipelinePlace, { state, deployedConfigurationId }: PipelineChange): Promise<void> {
    await this.changeAccount(place.accountId, async (transaction) => {
      const pipeline = await requirePipeline(transaction, place);
      if (deployedConfigurationId !== undefined) {
        const configuration = await requireConfiguration(transaction, pipeline.id, deployedConfigurationId);
        await requireSecrets(transaction, place, namesOf(configuration.secret_names));
      }
      const changed = {
        state: state ?? pipeline.state,
        deployed_configuration_id: deployedConfigurationId ?? pipeline.deployed_configuration_id,
      };
      if (changed.state === 'running' && changed.deployed_configuration_id === null)
        throw new ApiError(
          'conflict',
          `The pipeline "${pipeline.name}" has no deployed configuration to run; set deployed_configuration_id too.`,
        );
      await transaction.updateTable('weir_pipelines').set(changed).where('id', '=', pipeline.id).execute();
    });
  }

  /** Configurations of earlier releases are not sealed. */
  async #sealOlder(transaction: DatabaseTransaction, pipelineId: string): Promise<void> {
    if (this.deps.secretBox === undefined) return;
    const rows = await transaction
      .selectFrom('weir_pipeline_configurations')
      .selectAll()
      .where('pipeline_id', '=', pipelineId)
      .where('yaml', 'not like', `${sealedPrefix}%`)
      .execute();
    for (const { id, yaml, parts } of rows)
      await transaction
        .updateTable('weir_pipeline_configurations')
        .set({ yaml: this.#sealed(yaml, id), parts: parts === null ? null : this.#sealed(parts, id) })
        .where('id', '=', id)
        .execute();
  }

  /** Without a key, as with PostgreSQL and no file of keys, there are no secrets in it. */
  #sealed(text: string, id: string): string {
    const { secretBox } = this.deps;
    return secretBox === undefined ? text : sealedPrefix + secretBox.seal(text, purposeOf(id));
  }

  #opened(text: string, id: string): string {
    if (!sealedText.test(text)) return text;
    const { secretBox } = this.deps;
    if (secretBox === undefined) throw new ApiError('no_sealing_keys');
    return secretBox.open(text.slice(sealedPrefix.length), purposeOf(id));
  }

  #configurationOf({
    id,
    version,
    yaml,
    parts,
    created_ms,
  }: PipelineConfigurationRow): PipelineConfiguration {
    return {
      id,
      version,
      yaml: this.#opened(yaml, id),
      parts: parts === null ? undefined : (JSON.parse(this.#opened(parts, id)) as ConfigurationPart[]),
      createdMs: created_ms,
    };
  }

  async delete(place: PipelinePlace): Promise<void> {
    await this.changeAccount(place.accountId, async (transaction) => {
      const { id } = await requirePipeline(transaction, place);
      await transaction.deleteFrom('weir_pipelines').where('id', '=', id).execute();
    });
  }
}

/** No configuration looks like this: one that is only a word is refused by every type. */
const sealedPrefix = 'sealed:';
const sealedText = /^sealed:v1\.[0-9a-f]{12}\.[\w-]+$/;

function purposeOf(id: string): string {
  return `pipeline configuration ${id}`;
}

/** Pipelines with their deployed versions. */
function overviews(database: Database) {
  return database
    .selectFrom('weir_pipelines as pipelines')
    .leftJoin(
      'weir_pipeline_configurations as deployed',
      'deployed.id',
      'pipelines.deployed_configuration_id',
    )
    .selectAll('pipelines')
    .select('deployed.version as deployed_version');
}

function pipelineOf(row: PipelineRow & { readonly deployed_version: number | null }): Pipeline {
  const { deployed_configuration_id: deployedId, deployed_version: version } = row;
  return {
    id: row.id,
    clusterId: row.cluster_id,
    name: row.name,
    type: row.type,
    state: row.state,
    deployed: deployedId === null || version === null ? undefined : { id: deployedId, version },
    createdMs: row.created_ms,
  };
}

function requirePipeline(
  transaction: DatabaseTransaction,
  { accountId, clusterId, pipelineId }: PipelinePlace,
): Promise<PipelineRow> {
  return pipelineTable.require(transaction, accountId, pipelineId, { cluster_id: clusterId });
}

async function requireConfiguration(
  transaction: DatabaseTransaction,
  pipelineId: string,
  configurationId: string,
): Promise<Pick<PipelineConfigurationRow, 'secret_names'>> {
  const row = await transaction
    .selectFrom('weir_pipeline_configurations')
    .select('secret_names')
    .where('pipeline_id', '=', pipelineId)
    .where('id', '=', configurationId)
    .executeTakeFirst();
  if (row === undefined) throw notFound('pipeline configuration');
  return row;
}

function refuseMisfit(
  type: PipelineType,
  { name, type: clusterType }: Pick<VirtualClusterRow, 'name' | 'type'>,
) {
  if (pipelineTypes[type].clusterType === clusterType) return;
  const fitting = (Object.keys(pipelineTypes) as PipelineType[]).filter(
    (one) => pipelineTypes[one].clusterType === clusterType,
  );
  throw new ApiError(
    'unsupported_cluster_type',
    `${name} is a ${clusterType} cluster, which does not support pipelines of the type ${type}; set pipeline_type to ${fitting.join(' or ')}.`,
  );
}

function refuseTaken(others: readonly PipelineRow[], name: string, type: PipelineType): void {
  requireRoomInCluster(others, { what: 'pipeline', name, max: apiLimits.pipelinesPerClusterMax });
  const same = pipelineTypes[type].isSingle ? others.find((row) => row.type === type) : undefined;
  if (same !== undefined)
    throw new ApiError(
      'limit_exceeded',
      `A cluster has at most one ${type} pipeline, and "${same.name}" is one; change its configuration, or delete it.`,
    );
}
