import { visibleText } from '../../format/visible-text.ts';
import { AgentLink } from '../../ui/agent-link.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Status } from '../../ui/status.tsx';
import { type Job, type JobKind, jobStates, kindMeaning, progressText, reasonText } from './job-words.ts';

const rankOf = (state: Job['state']) => jobStates.findIndex(({ name }) => name === state);

/** When the state that a job is in began. */
const sinceOf = (job: Job) => job.ended_at ?? job.started_at ?? job.planned_at;

export function JobState({ state }: Pick<Job, 'state'>) {
  return <Status kind={jobStates[rankOf(state)]!.status}>{state}</Status>;
}

export function jobColumns(kinds: readonly JobKind[]): readonly Column<Job>[] {
  return [
    {
      id: 'state',
      title: 'State',
      width: '7rem',
      sortBy: ({ state }) => rankOf(state),
      cell: ({ state }) => <JobState state={state} />,
    },
    {
      id: 'kind',
      title: 'Job',
      width: 'minmax(10rem, 1fr)',
      sortBy: ({ kind }) => kind,
      cell: ({ kind }) => (
        <span title={kindMeaning(kind)} className="font-medium text-ink">
          {kind}
        </span>
      ),
    },
    {
      id: 'scope',
      title: 'Scope',
      width: 'minmax(9rem, 1fr)',
      sortBy: ({ scope }) => scope,
      cell: ({ scope }) =>
        scope === '' ? (
          <span className="text-muted">cluster</span>
        ) : (
          <bdi title={scope}>{visibleText(scope)}</bdi>
        ),
    },
    {
      id: 'agent',
      title: 'Agent',
      width: 'minmax(11rem, 1fr)',
      sortBy: ({ agent_id }) => agent_id ?? '',
      cell: ({ agent_id }) => (agent_id === undefined ? '–' : <AgentLink agentId={agent_id} />),
    },
    timeColumn('since', 'Since', '8rem', sinceOf, { isNumber: true, isAgo: true }),
    {
      id: 'progress',
      title: 'Progress',
      width: 'minmax(9rem, 1fr)',
      isNumber: true,
      sortBy: ({ done_count, total_count }) => (total_count ? done_count / total_count : -1),
      cell: (job) => <Progress job={job} />,
    },
    {
      id: 'why',
      title: 'Details',
      width: 'minmax(16rem, 3fr)',
      cell: (job) => {
        const reason = reasonText(job, kinds);
        return <span title={reason}>{visibleText(reason)}</span>;
      },
    },
  ];
}

function Progress({ job }: { readonly job: Job }) {
  const text = progressText(job);
  if (text === undefined) return '–';
  const { done_count: done, total_count: total = 0, state } = job;
  return (
    <span className="flex items-center justify-end gap-2">
      {state === 'running' && total > 0 && (
        <span aria-hidden="true" className="h-1.5 w-16 overflow-hidden rounded bg-pressed">
          <span
            className="block h-full bg-accent"
            style={{ width: `${Math.min(100, (done / total) * 100)}%` }}
          />
        </span>
      )}
      {text}
    </span>
  );
}
