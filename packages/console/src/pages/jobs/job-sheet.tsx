import { printLiteral } from '@weir/events';
import type { ReactNode } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { formatCount } from '../../format/format.ts';
import { visibleText } from '../../format/visible-text.ts';
import { AgentLink } from '../../ui/agent-link.tsx';
import { CopyableId } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { JobState } from './job-columns.tsx';
import { type Job, type JobKind, kindMeaning, progressText, reasonText } from './job-words.ts';

interface JobSheetProps {
  readonly job: Job;
  readonly kinds: readonly JobKind[];
  readonly onClose: () => void;
}

/** All that is known of a job. */
export function JobSheet({ job, kinds, onClose }: JobSheetProps) {
  const clusterId = useClusterId();
  const reason = reasonText(job, kinds);
  const time = (of: string | undefined) => (of === undefined ? '–' : <Time of={of} />);
  const facts: readonly (readonly [name: string, value: ReactNode])[] = [
    ['State', <JobState key="state" state={job.state} />],
    ['Job', <CopyableId key="id" text={job.job_id} what="the job id" />],
    ['Scope', job.scope === '' ? 'cluster' : <bdi key="scope">{visibleText(job.scope)}</bdi>],
    ['Agent', job.agent_id === undefined ? '–' : <AgentLink key="a" agentId={job.agent_id} />],
    ['Planned', time(job.planned_at)],
    ['Taken', time(job.started_at)],
    ['Ended', time(job.ended_at)],
    ['Progress', progressText(job) ?? '–'],
    ['Consecutive failures', formatCount(job.failure_count)],
    ['Next attempt', time(job.retry_at)],
  ];
  return (
    <Dialog isOpen isSheet onClose={onClose} title={job.kind} description={kindMeaning(job.kind)}>
      <div className="flex flex-col gap-4">
        {reason !== '' && (
          <p className="rounded-md border border-line bg-page p-3 text-sm break-words text-ink">
            {visibleText(reason)}
          </p>
        )}
        <dl className="grid grid-cols-[9rem_1fr] gap-y-2 text-sm">
          {facts.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 break-words text-ink">{value}</dd>
            </div>
          ))}
        </dl>
        {job.agent_id !== undefined && (
          <TextLink
            to="/clusters/$clusterId/events"
            params={{ clusterId }}
            search={{ types: 'agent_logs', filter: `data.agent_id == ${printLiteral(job.agent_id)}` }}
            className="w-fit text-sm"
          >
            Logs of the agent
          </TextLink>
        )}
      </div>
    </Dialog>
  );
}
