import { clusterTypeOf, type OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import { type ClusterPort, type ReportedTable, tablePath } from '@weir/cluster';
import { timeText } from '@weir/core';
import { nameInCatalog, parseCatalog } from '@weir/tables/definition';
import type { Table, Tables, TablesPlace } from '../../accounts/workspaces/tables.ts';
import type { TablePipelines } from '../../tables/table-pipelines.ts';
import { type KnownState, tableStatus } from '../../tables/table-status.ts';
import { shortest } from '../cluster/wire-values.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';

/** What a leader says of tables. */
export type TablesPort = Pick<
  ClusterPort,
  'listJobs' | 'planPipelines' | 'listReportedTables' | 'describeReportedTable'
>;

interface TableHandlersOptions {
  readonly tables: Pick<Tables, 'list' | 'get' | 'getByName' | 'delete' | 'requestReplay'>;
  readonly tablePipelines: Pick<TablePipelines, 'configured'>;
  /** Absent if nothing runs jobs. */
  readonly portOf?: ((clusterId: string) => TablesPort) | undefined;
}

type TableResponse = OutputOf<'dl/get_table'>['table'];

export function tableHandlers({ tables, tablePipelines, portOf }: TableHandlersOptions) {
  /** A leader that does not answer says nothing; what users decided is known without it. */
  const ask = <Answer>(clusterId: string, question: (port: TablesPort) => Promise<Answer>) =>
    portOf === undefined ? undefined : question(portOf(clusterId)).catch(() => undefined);
  const stateOf = async (place: TablesPlace): Promise<KnownState> => ({
    pipelines: await tablePipelines.configured(place),
    jobs: await ask(place.clusterId, (port) => port.listJobs()),
  });
  return {
    async 'dl/list_tables'({ virtual_cluster_id, include_status }, { accountId }) {
      const place = tablesPlaceOf(virtual_cluster_id, accountId);
      const found = await tables.list(place);
      if (found.length === 0) return { tables: [] };
      const reports = new Map(
        (await ask(virtual_cluster_id, (port) => port.listReportedTables()))?.map((one) => [
          one.tableUuid,
          one,
        ]),
      );
      const state = include_status ? await stateOf(place) : undefined;
      return {
        tables: found.map((table) => {
          const report = reports.get(table.uuid);
          return {
            ...toTableResponse(table, report),
            ...(state === undefined ? {} : { status: tableStatus(table, state, report) }),
          };
        }),
      };
    },

    async 'dl/get_table'({ virtual_cluster_id, table_uuid, table_name, include_status }, { accountId }) {
      const place = tablesPlaceOf(virtual_cluster_id, accountId);
      const table =
        table_uuid === undefined
          ? await tables.getByName(place, table_name!)
          : await tables.get(place, table_uuid);
      const report =
        (await ask(virtual_cluster_id, (port) => port.describeReportedTable(table.uuid))) ?? undefined;
      return {
        table: toTableResponse(table, report),
        ...(include_status ? { status: tableStatus(table, await stateOf(place), report) } : {}),
      };
    },

    async 'dl/delete_table'({ virtual_cluster_id, table_uuid }, { accountId }) {
      await tables.delete(tablesPlaceOf(virtual_cluster_id, accountId), table_uuid);
      // The leader plans at its next interval anyway.
      void ask(virtual_cluster_id, (port) => port.planPipelines());
      return {};
    },

    async 'dl/replay_table_failures'({ virtual_cluster_id, table_uuid }, { accountId }) {
      await tables.requestReplay(tablesPlaceOf(virtual_cluster_id, accountId), table_uuid);
      void ask(virtual_cluster_id, (port) => port.planPipelines());
      return {};
    },
  } satisfies SomeHandlers;
}

export function tablesPlaceOf(clusterId: string, accountId: string): TablesPlace {
  if (clusterTypeOf(clusterId) !== 'byoc_data_lake')
    throw new OperationFailed(
      'unsupported_cluster_type',
      'Only data lake clusters (byoc_data_lake) have tables; give the id of one.',
    );
  return { accountId, clusterId };
}

function toTableResponse(table: Table, report: ReportedTable | undefined): TableResponse {
  const { name, uuid, pipelineId, sourceCluster, topic, createdMs } = table;
  return {
    table_name: name,
    table_uuid: uuid,
    table_location: locationOf(table, report).slice(0, apiLimits.apiUrlCharsMax),
    ...catalogOf(table),
    source_stream_name: topic,
    source_cluster_name: sourceCluster,
    pipeline_id: pipelineId,
    stats_estimated_byte_count: Math.max(0, report?.byteCount ?? 0),
    stats_estimated_row_count: Math.max(0, report?.rowCount ?? 0),
    created_at_unix_nanos: shortest(BigInt(createdMs) * 1_000_000n),
    created_at: timeText(createdMs),
  };
}

function catalogOf({ name, catalog }: Table): Pick<TableResponse, 'catalog'> {
  const settings = parseCatalog(catalog);
  if (settings === undefined) return {};
  const { kind, namespace } = settings;
  const address = kind === 'rest' ? settings.uri : (settings.endpoint ?? settings.region);
  const table = [...namespace, nameInCatalog(settings, name)].join('.');
  return {
    catalog: {
      type: kind,
      address: address.slice(0, apiLimits.apiUrlCharsMax),
      table: table.slice(0, apiLimits.tableMessageCharsMax),
    },
  };
}

/** As the agent that writes it says; before that, of the URL of its bucket only the place. */
function locationOf({ name, uuid, bucketUrl, catalog }: Table, report: ReportedTable | undefined): string {
  const digest = parseCatalog(catalog)?.digest;
  const inBucket = tablePath({ tableName: name, tableUuid: uuid });
  const path = digest === undefined ? inBucket : `${inBucket}-${digest}`;
  const reported = report?.metadataLocation;
  const end = reported?.lastIndexOf('/metadata/') ?? -1;
  if (reported !== undefined && end > 0) return reported.slice(0, end);
  if (bucketUrl === undefined) return path;
  const url = URL.parse(bucketUrl);
  if (url === null) return path;
  const folder = `${url.pathname}/${url.searchParams.get('prefix') ?? ''}`
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  return `${url.protocol}//${url.host}${folder}/${path}`;
}
