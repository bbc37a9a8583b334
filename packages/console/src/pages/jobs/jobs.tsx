import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/fields.tsx';
import { Freshness } from '../../ui/freshness.tsx';
import { ListTable, useListSearch } from '../../ui/list-page.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { jobColumns } from './job-columns.tsx';
import { JobSheet } from './job-sheet.tsx';
import { type Job, type JobKind, jobStates, kindMeaning, stateCounts, takersText } from './job-words.ts';

const from = '/frame/clusters/$clusterId/jobs';

/** The background jobs of a cluster. */
export function Jobs() {
  const search = useSearch({ from });
  const listed = useClusterOperation('list_jobs', {}, { everyMs: 2_000 });
  const { data } = listed;
  const { set } = useListSearch();
  const columns = useMemo(() => jobColumns(data?.kinds ?? []), [data?.kinds]);
  const open = data?.jobs.find(({ job_id }) => job_id === search.job);
  const isFiltered = [search.q, search.state, search.kind, search.agent].some((one) => one !== undefined);
  return (
    <Page
      title="Jobs"
      facts={data && (stateCounts(data.jobs) || 'no jobs')}
      actions={<Freshness of={listed} />}
    >
      <ListTable
        label="Jobs"
        of={listed}
        what="list the jobs"
        rowsOf={({ jobs }) => jobs}
        filter={{
          label: 'Filter jobs by text',
          noun: 'job',
          textOf: (job) => [job.job_id, job.kind, job.scope, job.agent_id ?? '', job.message].join(' '),
          keeps: (job) =>
            (search.state ?? job.state) === job.state &&
            (search.kind ?? job.kind) === job.kind &&
            (search.agent ?? job.agent_id) === job.agent_id,
          controls: (
            <>
              <Select
                aria-label="State"
                className="max-w-40"
                value={search.state ?? ''}
                onChange={({ target }) => set({ state: target.value || undefined })}
                options={[['', 'Any state'], ...jobStates.map(({ name }) => [name, name] as const)]}
              />
              <Select
                aria-label="Kind"
                className="max-w-52"
                value={search.kind ?? ''}
                onChange={({ target }) => set({ kind: target.value || undefined })}
                options={[
                  ['', 'Any kind'],
                  ...kindNames(data, search.kind).map((kind) => [kind, kind] as const),
                ]}
              />
              {isFiltered && (
                <Button
                  onClick={() => set({ q: undefined, state: undefined, kind: undefined, agent: undefined })}
                >
                  Clear
                </Button>
              )}
              {search.agent !== undefined && (
                <span className="text-sm break-all text-muted">Only of the agent {search.agent}</span>
              )}
            </>
          ),
        }}
        columns={columns}
        keyOf={({ job_id }) => job_id}
        onOpen={({ job_id }) => set({ job: job_id })}
      >
        <Empty title="No jobs">
          {data?.kinds.some(({ agent_count }) => agent_count > 0)
            ? 'Nothing to merge, delete or copy now. Finished jobs stay here for a while.'
            : 'No agent with the jobs role is connected. Start one with -roles proxy,jobs.'}
        </Empty>
      </ListTable>
      {data !== undefined && <Kinds kinds={data.kinds} jobs={data.jobs} />}
      {open !== undefined && data !== undefined && (
        <JobSheet job={open} kinds={data.kinds} onClose={() => set({ job: undefined })} />
      )}
    </Page>
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
                <Status kind={takers.status} wraps>
                  {takers.text}
                </Status>
              </span>
            </li>
          );
        })}
      </ul>
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        The leader of the cluster keeps this list in memory; a new leader starts with an empty one.
      </p>
    </Card>
  );
}
