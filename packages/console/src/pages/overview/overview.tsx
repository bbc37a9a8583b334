import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { clusterLabel } from '../../format/cluster-label.ts';
import { formatCount, formatShort } from '../../format/format.ts';
import { CopyableId } from '../../ui/copy-button.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Command, Failure, Skeleton } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Severity } from '../diagnostics/severity.tsx';
import { statusSentence } from './status-sentence.ts';

const everyMs = 5_000;
/** Groups with less lag than this are not worth a line. */
const worthMentioningLag = 1_000;

export function Overview() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/' });
  const input = { virtual_cluster_id: clusterId };
  const described = useOperation('describe_virtual_cluster', input);
  const cluster = described.data?.virtual_cluster;
  const isKafka = cluster?.type === 'byoc';
  const agents = useOperation('list_agents', input, { everyMs });
  const failing = useOperation('list_diagnostics', { ...input, state: 'failing' }, { everyMs });
  const topics = useOperation('list_topics', input, { everyMs: 30_000, isEnabled: isKafka });
  const lagging = useOperation(
    'list_consumer_groups',
    { ...input, sort_by: 'lag', limit: 5 },
    { everyMs, isEnabled: isKafka },
  );
  if (cluster === undefined)
    return described.isError ? (
      <Failure what="describe the cluster" error={described.error} onRetry={() => described.refetch()} />
    ) : (
      <Skeleton />
    );
  const behind = (lagging.data?.groups ?? []).filter(
    ({ total_lag }) => (total_lag ?? 0) >= worthMentioningLag,
  );
  const sentence = statusSentence({
    agents: agents.data?.agents.length,
    failing: failing.data?.diagnostics.map(({ severity }) => severity),
    behind: behind.length,
  });
  const bootstrap = agents.data?.agents.find(({ kafka_port }) => kafka_port !== undefined);
  return (
    <Page title={clusterLabel(cluster)} facts={<CopyableId text={cluster.id} what="the cluster id" />}>
      <p className="text-lg text-ink">
        <Status kind={sentence.kind}>
          <span className="whitespace-normal text-ink">{sentence.text}</span>
        </Status>
      </p>
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure name="Agents" value={agents.data?.agents.length} />
        {isKafka && <Figure name="Topics" value={topics.data?.topics.length} />}
        {isKafka && (
          <Figure
            name="Partitions"
            value={topics.data?.topics.reduce((sum, { shard_count }) => sum + shard_count, 0)}
          />
        )}
        {isKafka && (
          <Figure
            name="Largest lag"
            unit="records"
            value={lagging.data && Math.max(0, ...lagging.data.groups.map(({ total_lag }) => total_lag ?? 0))}
          />
        )}
      </dl>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <Attention
          title="Failing diagnostics"
          nothing="No diagnostic fails."
          rows={failing.data?.diagnostics.map((diagnostic) => (
            <li key={diagnostic.diagnostic_id} className="flex items-center gap-3 px-4 py-2">
              <span className="w-20 shrink-0">
                <Severity diagnostic={diagnostic} />
              </span>
              <Link
                to="/clusters/$clusterId/diagnostics/$diagnosticId"
                params={{ clusterId, diagnosticId: diagnostic.diagnostic_id }}
                className="min-w-0 truncate text-ink hover:underline"
                title={diagnostic.cause ?? diagnostic.title}
              >
                {diagnostic.cause ?? diagnostic.title}
              </Link>
            </li>
          ))}
        />
        {isKafka && (
          <Attention
            title="Groups that fall behind"
            nothing={`No group is ${formatCount(worthMentioningLag)} records behind.`}
            rows={
              lagging.data &&
              behind.map(({ name, total_lag }) => (
                <li key={name} className="flex items-center gap-3 px-4 py-2">
                  <Link
                    to="/clusters/$clusterId/consumer-groups/$group"
                    params={{ clusterId, group: name }}
                    className="min-w-0 flex-1 truncate text-ink hover:underline"
                    title={name}
                  >
                    {name}
                  </Link>
                  <span className="text-muted tabular-nums">{formatCount(total_lag ?? 0)} records</span>
                </li>
              ))
            }
          />
        )}
      </div>
      {bootstrap !== undefined && (
        <Card title="Connect">
          <div className="flex flex-col gap-2 p-4">
            <Command
              text={`weir cli list-topics -bootstrap-host ${bootstrap.host}:${bootstrap.kafka_port}`}
            />
            <Command text={`kcat -b ${bootstrap.host}:${bootstrap.kafka_port} -L`} />
          </div>
        </Card>
      )}
    </Page>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: number | undefined;
  readonly unit?: string;
}

function Figure({ name, value, unit }: FigureProps) {
  return (
    <div className="rounded-md border border-line bg-surface px-4 py-3">
      <dt className="text-xs text-muted">{name}</dt>
      <dd
        className="text-2xl font-semibold text-ink tabular-nums"
        title={value === undefined ? undefined : formatCount(value)}
      >
        {value === undefined ? '…' : formatShort(value)}
        {unit !== undefined && <span className="ml-1.5 text-sm font-normal text-muted">{unit}</span>}
      </dd>
    </div>
  );
}

interface AttentionProps {
  readonly title: string;
  readonly nothing: string;
  readonly rows: readonly ReactNode[] | undefined;
}

function Attention({ title, nothing, rows }: AttentionProps) {
  return (
    <Card title={title}>
      {rows === undefined ? (
        <Skeleton rows={2} />
      ) : rows.length === 0 ? (
        <p className="px-4 py-3 text-muted">{nothing}</p>
      ) : (
        <ul className="divide-y divide-line">{rows}</ul>
      )}
    </Card>
  );
}
