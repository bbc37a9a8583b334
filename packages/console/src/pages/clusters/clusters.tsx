import { Link } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { formatBytes, formatCount, formatTime } from '../../format/format.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { useWorkspace } from '../../session/workspace-choice.ts';
import { CopyableId } from '../../ui/copy-button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';

type Cluster = OutputOf<'list_virtual_clusters'>['virtual_clusters'][number];

const typeNames: Readonly<Record<Cluster['type'], string>> = {
  byoc: 'Kafka',
  byoc_schema_registry: 'Schema registry',
  byoc_data_lake: 'Data lake',
};

const rate = (value: number | null) => (value === null ? '–' : `${formatBytes(value)}/s`);

/** Every cluster with its health. */
export function Clusters() {
  const { data, isError, error, refetch } = useOperation('list_virtual_clusters', {}, { everyMs: 30_000 });
  const workspace = useWorkspace(useContextOfCaller().data);
  const clusters = data?.virtual_clusters.filter(
    ({ workspace_id }) => workspace === undefined || workspace_id === workspace.id,
  );
  return (
    <Page
      title="Clusters"
      facts={clusters && (clusters.length === 1 ? '1 cluster' : `${clusters.length} clusters`)}
    >
      {clusters === undefined ? (
        isError ? (
          <Failure what="list the clusters" error={error} onRetry={() => refetch()} />
        ) : (
          <Skeleton />
        )
      ) : clusters.length === 0 ? (
        <Card>
          <Empty title="No clusters yet">
            A cluster is a Kafka, a schema registry or a data lake of its own, with agents that connect to it.
            The operation create_virtual_cluster of the API makes one.
          </Empty>
        </Card>
      ) : (
        <ul className="grid grid-cols-1 gap-3 lg:grid-cols-2 2xl:grid-cols-3">
          {clusters.map((cluster) => (
            <li key={cluster.id}>
              <ClusterCard cluster={cluster} />
            </li>
          ))}
        </ul>
      )}
    </Page>
  );
}

function ClusterCard({ cluster }: { readonly cluster: Cluster }) {
  const isKafka = cluster.type === 'byoc';
  const input = { virtual_cluster_id: cluster.id };
  const overview = useOperation('describe_cluster_overview', input, { everyMs: 10_000 });
  const state = overview.data;
  const failing = useOperation('list_diagnostics', { ...input, state: 'failing' }, { everyMs: 10_000 });
  return (
    <Card>
      <div className="flex flex-col gap-3 p-4">
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <Link
              to="/clusters/$clusterId"
              params={{ clusterId: cluster.id }}
              className="block min-h-7 truncate text-lg font-semibold text-ink hover:underline"
              title={cluster.name}
            >
              {clusterLabel(cluster)}
            </Link>
            <CopyableId text={cluster.id} what="the cluster id" />
          </div>
          <HealthOf failing={failing.data?.diagnostics.length} agents={state?.agent_count} />
        </div>
        <dl className="grid grid-cols-3 gap-2 text-sm">
          <Fact name="Kind" value={typeNames[cluster.type]} />
          <Fact name="Agents" value={state?.agent_count} />
          {isKafka ? (
            <>
              <Fact name="Topics" value={state && formatCount(state.topic_count)} />
              <Fact name="In" value={state && rate(state.in_bytes_per_second)} />
              <Fact name="Out" value={state && rate(state.out_bytes_per_second)} />
              <Fact
                name="Lag"
                value={state && (state.total_lag === null ? '–' : formatCount(state.total_lag))}
              />
            </>
          ) : (
            <Fact name="Since" value={formatTime(cluster.created_at, 'local').slice(0, 10)} />
          )}
        </dl>
      </div>
    </Card>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string | number | undefined }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="text-ink">{value ?? '…'}</dd>
    </div>
  );
}

interface HealthProps {
  readonly failing: number | undefined;
  readonly agents: number | undefined;
}

function HealthOf({ failing, agents }: HealthProps) {
  if (failing === undefined || agents === undefined) return <Status kind="muted">…</Status>;
  if (agents === 0) return <Status kind="warn">no agents</Status>;
  if (failing > 0) return <Status kind="warn">{failing === 1 ? '1 problem' : `${failing} problems`}</Status>;
  return <Status kind="ok">healthy</Status>;
}
