import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useOperation } from '../../api/use-operation.ts';
import { formatTime } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { type DiagnosticRow, Severity } from './severity.tsx';

function columnsOf(clusterId: string): readonly Column<DiagnosticRow>[] {
  return [
    {
      id: 'severity',
      title: 'State',
      width: '8rem',
      cell: (diagnostic) => <Severity diagnostic={diagnostic} />,
    },
    {
      id: 'title',
      title: 'Diagnostic',
      width: 'minmax(16rem, 1fr)',
      cell: ({ diagnostic_id, title }) => (
        <Link
          to="/clusters/$clusterId/diagnostics/$diagnosticId"
          params={{ clusterId, diagnosticId: diagnostic_id }}
          title={title}
          className="font-medium text-ink hover:underline"
        >
          {title}
        </Link>
      ),
    },
    {
      id: 'cause',
      title: 'What it found',
      width: 'minmax(18rem, 2fr)',
      cell: ({ cause }) => <span title={cause ?? undefined}>{cause ?? ''}</span>,
    },
    {
      id: 'since',
      title: 'Since',
      width: '11rem',
      isNumber: true,
      cell: ({ first_failed_at, successful }) =>
        successful || first_failed_at === null ? (
          ''
        ) : (
          <span title={first_failed_at}>{formatTime(first_failed_at, 'local')}</span>
        ),
    },
  ];
}

const severities: readonly DiagnosticRow['severity'][] = ['critical', 'high', 'medium', 'low'];

/** Failing ones first, the worst of them at the top. */
function rank({ successful, muted, severity }: DiagnosticRow): number {
  return (successful ? 20 : muted ? 10 : 0) + severities.indexOf(severity);
}

export function Diagnostics() {
  const { clusterId } = useParams({ from: '/frame/clusters/$clusterId/diagnostics' });
  const navigate = useNavigate();
  const { data, isError, error, refetch } = useOperation(
    'list_diagnostics',
    { virtual_cluster_id: clusterId },
    { everyMs: 5_000 },
  );
  const diagnostics = data?.diagnostics;
  const failing = diagnostics?.filter(({ successful, muted }) => !successful && !muted).length ?? 0;
  return (
    <Page
      title="Diagnostics"
      facts={
        diagnostics &&
        diagnostics.length > 0 &&
        `${failing === 0 ? 'None' : failing} of ${diagnostics.length} fail`
      }
    >
      <Card>
        {diagnostics === undefined ? (
          isError ? (
            <Failure what="list the diagnostics" error={error} onRetry={() => refetch()} />
          ) : (
            <Skeleton />
          )
        ) : diagnostics.length === 0 ? (
          <Empty title="Nothing was checked yet">
            The control plane looks for known problems of the cluster every few seconds. What it finds is
            here.
          </Empty>
        ) : (
          <DataTable
            label="Diagnostics"
            columns={columnsOf(clusterId)}
            rows={diagnostics.toSorted((a, b) => rank(a) - rank(b))}
            keyOf={({ diagnostic_id }) => diagnostic_id}
            onOpen={({ diagnostic_id }) =>
              void navigate({
                to: '/clusters/$clusterId/diagnostics/$diagnosticId',
                params: { clusterId, diagnosticId: diagnostic_id },
              })
            }
          />
        )}
      </Card>
    </Page>
  );
}
