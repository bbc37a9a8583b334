import type { OutputOf } from '@weir/api/client';
import { counted, formatCount } from '../../format/format.ts';
import type { StatusKind } from '../../ui/status.tsx';

export type Job = OutputOf<'list_jobs'>['jobs'][number];
export type JobKind = OutputOf<'list_jobs'>['kinds'][number];

/** In the order in which they matter. */
export const jobStates = [
  { name: 'running', status: 'info' },
  { name: 'waiting', status: 'muted' },
  { name: 'failing', status: 'warn' },
  { name: 'stopped', status: 'fail' },
  { name: 'done', status: 'ok' },
] as const satisfies readonly {
  readonly name: Job['state'];
  readonly status: StatusKind;
}[];

/** `2 running, 1 waiting, 40 done`: states without jobs are left out. */
export function stateCounts(jobs: readonly Pick<Job, 'state'>[]): string {
  return jobStates
    .flatMap(({ name }) => {
      const count = jobs.filter(({ state }) => state === name).length;
      return count === 0 ? [] : [`${formatCount(count)} ${name}`];
    })
    .join(', ');
}

const meanings: Readonly<Record<string, string>> = {
  file_compaction: 'Merges small files into larger ones, so that reads need fewer requests',
  key_compaction: 'Removes superseded records from compacted topics',
  file_deletion: 'Deletes files without live records',
  dead_file_scan: 'Scans the bucket for files that were never committed',
  sequence_replay: 'Commits files of lightning topics that an agent acknowledged before it was gone',
  schema_linking: 'Copies schemas from another registry',
  schema_export: 'Copies schemas to another registry',
  table_ingestion: 'Writes the records of a topic to a table',
  table_replay: 'Makes rows of records that a table kept because they could not be rows',
  table_removal: 'Deletes the files of a table that was deleted',
  table_maintenance: 'Merges small files of a table, and removes snapshots and files that are not needed',
};

/** What a kind of job is for; empty for one of a later release. */
export function kindMeaning(kind: string): string {
  return Object.hasOwn(meanings, kind) ? meanings[kind]! : '';
}

/** What a person needs to know about who takes jobs of a kind. */
export function takersText({ agent_count: agents, paused_agent_count: paused }: JobKind): {
  readonly status: StatusKind;
  readonly text: string;
} {
  if (agents === 0 && paused > 0)
    return {
      status: 'warn',
      text: `${counted(paused, 'agent')} paused until clients write less to their disks`,
    };
  if (agents === 0) return { status: 'warn', text: 'no agent runs them' };
  return {
    status: 'ok',
    text: paused === 0 ? counted(agents, 'agent') : `${counted(agents, 'agent')}, ${paused} more paused`,
  };
}

/** `12 of 40`, `3,000 so far`; `undefined` if nothing is known yet. */
export function progressText({ done_count: done, total_count: total }: Job): string | undefined {
  if (total !== undefined) return `${formatCount(done)} of ${formatCount(total)}`;
  return done === 0 ? undefined : `${formatCount(done)} so far`;
}

/** Why a job is where it is, in one line. */
export function reasonText(job: Job, kinds: readonly JobKind[]): string {
  if (job.state !== 'waiting' || job.message !== '') return job.message;
  const takers = kinds.find(({ kind }) => kind === job.kind);
  if (takers === undefined) return '';
  if (takers.agent_count > 0) return 'waiting for an agent with free capacity';
  return takers.paused_agent_count === 0 ? 'no agent runs jobs of this kind' : takersText(takers).text;
}
