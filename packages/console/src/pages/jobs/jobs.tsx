import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useOperation } from '../../api/use-operation.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Freshness } from '../../ui/freshness.tsx';
import { FilterBox, matching } from '../../ui/list-page.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { jobColumns } from './job-columns.tsx';
import { JobSheet } from './job-sheet.tsx';
import { type Job, type JobKind, jobStates, kindMeaning, stateCounts, takersText } from './job-words.ts';

const from = '/frame/clusters/$clusterId/jobs';

/** The background jobs of a cluster. */
export function Jobs() {
  const { clusterId } = useParams({ from });
  const search = useSearch({ from });
  const navigate = useNavigate({ from: '/clusters/$clusterId/jobs' });
  const listed = useOperation('list_jobs', { virtual_cluster_id: clusterId }, { everyMs: 2_000 });
  const { data } = listed;
  const set = (change: Partial<typeof search>) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true });
  const columns = useMemo(() => jobColumns(clusterId, data?.kinds ?? []), [clusterId, data?.kinds]);
  const shown = data && jobsOf(data.jobs, search);
  const open = data?.jobs.find(({ job_id }) => job_id === search.job);
  const isFiltered = [search.q, search.state, search.kind, search.agent].some((one) => one !== undefined);
  return (
    <Page
      title="Jobs"
      facts={data && (stateCounts(data.jobs) || 'no jobs')}
      actions={<Freshness of={listed} />}
    >
      <div className="flex flex-wrap items-center gap-2">
        <FilterBox
          label="Filter jobs by text"
          value={search.q ?? ''}
          onChange={(q) => set({ q: q === '' ? undefined : q })}
        />
        <Select
          aria-label="State"
          className="max-w-40"
          value={search.state ?? ''}
          onChange={({ target }) => set({ state: jobStates.find(({ name }) => name === target.value)?.name })}
          options={[['', 'Any state'], ...jobStates.map(({ name }) => [name, name] as const)]}
        />
        <Select
          aria-label="Kind"
          className="max-w-52"
          value={search.kind ?? ''}
          onChange={({ target }) => set({ kind: target.value === '' ? undefined : target.value })}
          options={[['', 'Any kind'], ...kindNames(data, search.kind).map((kind) => [kind, kind] as const)]}
        />
        {isFiltered && (
          <Button onClick={() => set({ q: undefined, state: undefined, kind: undefined, agent: undefined })}>
            Clear
          </Button>
        )}
        {search.agent !== undefined && (
          <span className="text-sm break-all text-muted">Only of the agent {search.agent}</span>
        )}
      </div>
      <Card>
        <Answer of={listed} what="list the jobs">
          {({ jobs, kinds }) =>
            jobs.length === 0 ? (
              <Empty title="No jobs">
                {kinds.some(({ agent_count }) => agent_count > 0)
                  ? 'Nothing to merge, delete or copy now. Finished jobs stay here for a while.'
                  : 'No agent with the jobs role is connected. Start one with -roles proxy,jobs.'}
              </Empty>
            ) : shown!.length === 0 ? (
              <Empty title="No job matches the filter">Change the filter above to see more.</Empty>
            ) : (
              <DataTable
                label="Jobs"
                columns={columns}
                rows={shown!}
                keyOf={({ job_id }) => job_id}
                sort={search.sort}
                onSort={(sort) => set({ sort })}
                onOpen={({ job_id }) => set({ job: job_id })}
              />
            )
          }
        </Answer>
      </Card>
      {data !== undefined && <Kinds kinds={data.kinds} jobs={data.jobs} />}
      {open !== undefined && data !== undefined && (
        <JobSheet
          clusterId={clusterId}
          job={open}
          kinds={data.kinds}
          onClose={() => set({ job: undefined })}
        />
      )}
    </Page>
  );
}

interface Wanted {
  readonly q?: string | undefined;
  readonly state?: Job['state'] | undefined;
  readonly kind?: string | undefined;
  readonly agent?: string | undefined;
}

function jobsOf(jobs: readonly Job[], { q, state, kind, agent }: Wanted): readonly Job[] {
  const chosen = jobs.filter(
    (job) =>
      (state === undefined || job.state === state) &&
      (kind === undefined || job.kind === kind) &&
      (agent === undefined || job.agent_id === agent),
  );
  return matching(
    chosen,
    (job) => [job.job_id, job.kind, job.scope, job.agent_id ?? '', job.message].join(' '),
    q,
  );
}

/** Kinds that the leader plans, and the one of the link. */
function kindNames(
  data: { readonly kinds: readonly JobKind[]; readonly jobs: readonly Job[] } | undefined,
  chosen: string | undefined,
): readonly string[] {
  const names = [...(data?.kinds ?? []), ...(data?.jobs ?? [])].map(({ kind }) => kind);
  return [...new Set(chosen === undefined ? names : [...names, chosen])].sort();
}

function Kinds({ kinds, jobs }: { readonly kinds: readonly JobKind[]; readonly jobs: readonly Job[] }) {
  return (
    <Card title="Agents by kind of job">
      <ul className="divide-y divide-line">
        {kinds.map((kind) => {
          const takers = takersText(kind);
          const counts = stateCounts(jobs.filter((job) => job.kind === kind.kind));
          return (
            <li key={kind.kind} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2 text-sm">
              <span className="w-36 shrink-0 font-medium text-ink">{kind.kind}</span>
              <span className="min-w-60 flex-1 text-body">{kindMeaning(kind.kind)}</span>
              <span className="text-muted">{counts || 'nothing to do'}</span>
              <span className="w-44 shrink-0 sm:text-right">
                <Status kind={takers.status}>
                  <span className="whitespace-normal">{takers.text}</span>
                </Status>
              </span>
            </li>
          );
        })}
      </ul>
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        The leader of the cluster has this list in memory: a new leader begins with an empty one.
      </p>
    </Card>
  );
}
