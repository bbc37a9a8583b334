import { KebabHorizontalIcon, PlusIcon } from '@primer/octicons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { counted, formatBytes, formatCount, formatTime } from '../../format/format.ts';
import { useContextOfCaller } from '../../session/context.ts';
import { useMissingRight } from '../../session/rights.ts';
import { useWorkspace } from '../../session/workspace-choice.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { lagText, worstLagSeconds } from '../tables/table-words.ts';
import { useTablesOf } from '../tables/use-tables.ts';
import { CloneCluster } from './clone-cluster.tsx';
import { type Cluster, clusterTypeTitles } from './cluster-types.ts';
import { CreateCluster } from './create-cluster.tsx';
import { DeleteCluster } from './delete-cluster.tsx';
import { DeletedClusters } from './deleted-clusters.tsx';

const rate = (value: number | null) => (value === null ? '–' : `${formatBytes(value)}/s`);

/** Every cluster with its health; clusters are made, cloned, deleted and restored here. */
export function Clusters() {
  const { show } = useSearch({ from: '/frame/clusters' });
  const navigate = useNavigate({ from: '/clusters' });
  const listed = useOperation('list_virtual_clusters', {}, { everyMs: 30_000 });
  const { data: context } = useContextOfCaller();
  const workspace = useWorkspace(context);
  const [act, setAct] = useState<{ readonly kind: 'clone' | 'delete'; readonly cluster: Cluster }>();
  const clusters = listed.data?.virtual_clusters.filter(
    ({ workspace_id }) => workspace === undefined || workspace_id === workspace.id,
  );
  const mayCreate = context === undefined || context.workspaces.some(({ grant }) => grant === 'admin');
  const showDialog = (next: 'create' | 'deleted' | undefined) =>
    void navigate({ search: { show: next }, replace: next === undefined });
  const closeDialog = () => showDialog(undefined);
  const createButton = (
    <Button kind="primary" icon={PlusIcon} disabled={!mayCreate} onClick={() => showDialog('create')}>
      Create cluster
    </Button>
  );
  return (
    <Page
      title="Clusters"
      facts={
        clusters && (
          <>
            {counted(clusters.length, 'cluster')}
            {!mayCreate &&
              '  · To create one you need the admin role in a workspace; ask an account administrator'}
          </>
        )
      }
      actions={
        <>
          <Button onClick={() => showDialog('deleted')}>Recently deleted</Button>
          {clusters?.length !== 0 && createButton}
        </>
      }
    >
      <Answer of={listed} what="list the clusters">
        {() =>
          clusters!.length === 0 ? (
            <Card>
              <Empty title="No clusters yet" action={createButton}>
                A cluster is a Kafka cluster, a schema registry or a data lake, with agents that connect to
                it.
              </Empty>
            </Card>
          ) : (
            <ul className="grid grid-cols-1 gap-3 lg:grid-cols-2 2xl:grid-cols-3">
              {clusters!.map((cluster) => (
                <li key={cluster.id}>
                  <ClusterCard cluster={cluster} onAct={(kind) => setAct({ kind, cluster })} />
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
      {show === 'create' && <CreateCluster onClose={closeDialog} />}
      {show === 'deleted' && <DeletedClusters onClose={closeDialog} />}
      {act?.kind === 'clone' && <CloneCluster cluster={act.cluster} onClose={() => setAct(undefined)} />}
      {act?.kind === 'delete' && <DeleteCluster cluster={act.cluster} onClose={() => setAct(undefined)} />}
    </Page>
  );
}

interface ClusterCardProps {
  readonly cluster: Cluster;
  readonly onAct: (act: 'clone' | 'delete') => void;
}

function ClusterCard({ cluster, onAct }: ClusterCardProps) {
  const isKafka = cluster.type === 'byoc';
  const isLake = cluster.type === 'byoc_data_lake';
  const tables = useTablesOf(cluster.id, isLake).data?.tables;
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
          <Link
            to={state?.agent_count === 0 ? '/clusters/$clusterId/agents' : '/clusters/$clusterId/diagnostics'}
            params={{ clusterId: cluster.id }}
            className="rounded-md px-1 py-0.5 hover:bg-hover"
          >
            <HealthOf
              failing={failing.data?.diagnostics.length}
              agents={state?.agent_count}
              isUnknown={overview.isError || failing.isError}
            />
          </Link>
          <ClusterMenu cluster={cluster} onAct={onAct} />
        </div>
        <dl className="grid grid-cols-3 gap-2 text-sm">
          <Fact name="Type" value={clusterTypeTitles[cluster.type]} />
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
          ) : isLake ? (
            <>
              <Fact name="Tables" value={tables && formatCount(tables.length)} />
              <Fact name="Largest lag" value={tables && lagText(worstLagSeconds(tables))} />
            </>
          ) : (
            <Fact name="Created" value={formatTime(cluster.created_at, 'local').slice(0, 10)} />
          )}
        </dl>
      </div>
    </Card>
  );
}

function ClusterMenu({ cluster, onAct }: ClusterCardProps) {
  const navigate = useNavigate();
  const missing = useMissingRight(cluster.id);
  const params = { clusterId: cluster.id };
  const clone = {
    id: 'clone',
    label: 'Clone',
    onSelect: () => onAct('clone'),
    disabledBecause: missing,
  } as const;
  return (
    <Menu
      trigger={<IconButton icon={KebabHorizontalIcon} label={`Actions for ${clusterLabel(cluster)}`} />}
      entries={[
        {
          id: 'settings',
          label: 'Settings',
          onSelect: () => void navigate({ to: '/clusters/$clusterId/settings', params }),
        },
        // A clone has no pipelines, and so nothing of a data lake.
        ...(cluster.type === 'byoc_data_lake' ? [] : [clone]),
        { id: 'line', line: true },
        {
          id: 'delete',
          label: 'Delete',
          isDanger: true,
          onSelect: () => onAct('delete'),
          disabledBecause: missing,
        },
      ]}
    />
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
  /** Whether the question failed. */
  readonly isUnknown: boolean;
}

function HealthOf({ failing, agents, isUnknown }: HealthProps) {
  if (isUnknown) return <Status kind="muted">unknown</Status>;
  if (failing === undefined || agents === undefined) return <Status kind="muted">…</Status>;
  if (agents === 0) return <Status kind="warn">no agents</Status>;
  if (failing > 0) return <Status kind="warn">{counted(failing, 'problem')}</Status>;
  return <Status kind="ok">healthy</Status>;
}
