import { CheckCircleIcon } from '@primer/octicons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useClusterId, useClusterOperation } from '../../api/use-cluster.ts';
import { formatTime } from '../../format/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Answer, Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
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
      cell: (diagnostic) => <TitleLink clusterId={clusterId} of={diagnostic} />,
    },
    {
      id: 'cause',
      title: 'Finding',
      width: 'minmax(18rem, 2fr)',
      cell: ({ cause }) => <span title={cause ?? undefined}>{cause ?? ''}</span>,
    },
    {
      id: 'since',
      title: 'Since',
      width: '12rem',
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

/** The worst first, and muted ones last. */
function rank({ muted, severity }: DiagnosticRow): number {
  return (muted ? 10 : 0) + severities.indexOf(severity);
}

export function Diagnostics() {
  const listed = useClusterOperation('list_diagnostics', {}, { everyMs: 5_000 });
  const diagnostics = listed.data?.diagnostics ?? [];
  const found = diagnostics.filter(({ successful }) => !successful).toSorted((a, b) => rank(a) - rank(b));
  const passing = diagnostics.filter(({ successful }) => successful);
  const failing = found.filter(({ muted }) => !muted).length;
  return (
    <Page title="Diagnostics" facts={diagnostics.length > 0 && `${failing} of ${diagnostics.length} failing`}>
      <Answer of={listed} what="list the diagnostics">
        {() =>
          diagnostics.length === 0 ? (
            <Empty title="No diagnostics yet">
              The control plane checks the cluster for known problems every few seconds. What it finds is
              here.
            </Empty>
          ) : (
            <>
              <Card title="Failing">
                {found.length === 0 ? (
                  <p className="px-4 py-3">
                    <Status kind="ok">No problems found</Status>
                  </p>
                ) : (
                  <Found rows={found} />
                )}
              </Card>
              {passing.length > 0 && <Passing rows={passing} />}
            </>
          )
        }
      </Answer>
    </Page>
  );
}

interface RowsProps {
  readonly rows: readonly DiagnosticRow[];
}

function Found({ rows }: RowsProps) {
  const clusterId = useClusterId();
  const navigate = useNavigate();
  return (
    <DataTable
      label="Diagnostics"
      columns={columnsOf(clusterId)}
      rows={rows}
      keyOf={({ diagnostic_id }) => diagnostic_id}
      onOpen={({ diagnostic_id }) =>
        void navigate({
          to: '/clusters/$clusterId/diagnostics/$diagnosticId',
          params: { clusterId, diagnosticId: diagnostic_id },
        })
      }
    />
  );
}

/** Titles name problems, so those that are not there stand apart, below a heading that says so. */
function Passing({ rows }: RowsProps) {
  const clusterId = useClusterId();
  return (
    <Card title={`Passing (${rows.length})`}>
      <ul className="gap-x-8 px-4 py-2 text-sm sm:columns-2 xl:columns-3">
        {rows.map((diagnostic) => (
          <li
            key={diagnostic.diagnostic_id}
            className="flex min-w-0 break-inside-avoid items-center gap-2 py-1"
          >
            <CheckCircleIcon aria-hidden="true" className="size-3.5 shrink-0 text-ok" />
            <TitleLink clusterId={clusterId} of={diagnostic} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function TitleLink({
  clusterId,
  of: { diagnostic_id, title },
}: {
  readonly clusterId: string;
  readonly of: DiagnosticRow;
}) {
  return (
    <Link
      to="/clusters/$clusterId/diagnostics/$diagnosticId"
      params={{ clusterId, diagnosticId: diagnostic_id }}
      title={title}
      className="min-w-0 truncate font-medium text-ink hover:underline"
    >
      {title}
    </Link>
  );
}
