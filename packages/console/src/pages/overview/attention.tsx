import { Link } from '@tanstack/react-router';
import type { OutputOf } from '@weir/api/client';
import { clusterKind } from '@weir/core';
import type { ReactNode } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { formatCount, formatShort, formatTime } from '../../format/format.ts';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Card } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Severity } from '../diagnostics/severity.tsx';
import { TableHealth } from '../tables/table-health.tsx';
import { behindText } from '../tables/table-words.ts';
import type { Table } from '../tables/use-tables.ts';

const rowsShown = 10;

interface AttentionProps {
  readonly failing: OutputOf<'list_diagnostics'>['diagnostics'] | undefined;
  readonly behind?: OutputOf<'describe_cluster_overview'>['lagging_groups'] | undefined;
  /** Of a data lake, instead of groups. */
  readonly tables?: readonly Table[] | undefined;
  readonly lost: OutputOf<'describe_cluster_overview'>['lost_agents'] | undefined;
}

/** What needs attention: failing diagnostics, groups or tables that fall behind, and agents that are gone. */
export function Attention({ failing, behind, tables, lost }: AttentionProps) {
  const clusterId = useClusterId();
  const isLake = clusterKind(clusterId) === 'data lake';
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      <List
        title="Failing diagnostics"
        nothing="No failing diagnostics."
        rows={failing?.map((diagnostic) => (
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
      {isLake ? <TroubledTables tables={tables} /> : <LaggingGroups behind={behind} />}
      {lost !== undefined && lost.length > 0 && (
        <List
          title="Silent agents"
          nothing=""
          rows={lost.slice(0, 5).map(({ agent_id, last_seen_at }) => (
            <li key={agent_id} className="flex items-center gap-3 px-4 py-2">
              <span className="min-w-0 flex-1 truncate font-mono text-xs text-ink" title={agent_id}>
                {agent_id}
              </span>
              <time dateTime={last_seen_at} title={last_seen_at} className="text-muted">
                last seen {formatTime(last_seen_at, 'local')}
              </time>
            </li>
          ))}
        />
      )}
    </div>
  );
}

function LaggingGroups({ behind }: Pick<AttentionProps, 'behind'>) {
  return (
    <List
      title="Groups falling behind"
      nothing="No group has a lag of 1,000 records or more."
      rows={behind?.map(({ group, lag, produced_records_per_second, consumed_records_per_second }) => (
        <li key={group} className="flex items-center gap-3 px-4 py-2">
          <ObjectLink
            of={{ kind: 'group', name: group }}
            className="min-w-0 flex-1 truncate text-ink hover:underline"
          />
          <span className="text-muted tabular-nums">
            {formatCount(lag)} records
            {produced_records_per_second !== null && consumed_records_per_second !== null
              ? `, consumes ${formatShort(consumed_records_per_second)} of ${formatShort(produced_records_per_second)} records/s`
              : ''}
          </span>
        </li>
      ))}
    />
  );
}

function TroubledTables({ tables }: Pick<AttentionProps, 'tables'>) {
  return (
    <List
      title="Tables that need attention"
      nothing="All tables are written as they should."
      rows={tables?.slice(0, rowsShown).map(({ table_name, table_uuid, status }) => (
        <li key={table_uuid} className="flex flex-wrap items-center gap-x-3 px-4 py-2">
          <span className="w-20 shrink-0">
            <TableHealth status={status} />
          </span>
          <ObjectLink
            of={{ kind: 'table', name: table_name }}
            className="min-w-0 flex-1 basis-40 truncate text-ink hover:underline"
          />
          <span className="text-muted tabular-nums">{status && behindText(status)}</span>
        </li>
      ))}
    />
  );
}

interface ListProps {
  readonly title: string;
  readonly nothing: string;
  readonly rows: readonly ReactNode[] | undefined;
}

function List({ title, nothing, rows }: ListProps) {
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
