import * as z from 'zod';
import { count, examples, list, prose, text, time } from '../fields.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

/** More than a leader lists. */
const jobsMax = 5_000;
/** More than there are. */
const kindsMax = 64;
const nameCharsMax = 256;

const job = z
  .object({
    job_id: text(nameCharsMax).describe('The job.'),
    kind: text(64).describe(
      'The kind: file_compaction, key_compaction, file_deletion, dead_file_scan, sequence_replay, pipeline, schema_linking, schema_export, table_ingestion, table_maintenance or table_removal.',
    ),
    scope: text(nameCharsMax).describe('The object that it works on; empty for the whole cluster.'),
    state: z
      .enum(['waiting', 'running', 'done', 'failing', 'stopped'])
      .describe(
        'waiting: no agent has taken it yet. failing: the last attempt failed, and it is retried. stopped: several attempts in a row failed, and it is retried rarely.',
      ),
    agent_id: text(128).optional().describe('The agent that runs it or ran it last.'),
    planned_at: time().describe('When it was planned.'),
    started_at: time().optional().describe('When the agent started it.'),
    ended_at: time().optional().describe('When it ended or last failed.'),
    done_count: count().describe('Progress, in files or objects.'),
    total_count: count().optional().describe('The total, if known.'),
    failure_count: count().describe('The number of consecutive failures.'),
    retry_at: time().optional().describe('The earliest retry of a failed job.'),
    message: prose().describe('The result, or why it failed.'),
  })
  .meta({ id: 'Job', description: 'A background job of a virtual cluster.' });

export const jobOperations = [
  defineClusterOperation({
    name: 'list_jobs',
    title: 'List jobs',
    summary:
      'List the background jobs of a virtual cluster: waiting, running, failing and recently ended ones. A new leader of the cluster starts with an empty list.',
    input: clusterInput({
      kind: text(64).optional().describe('Only jobs of this kind.'),
      state: job.shape.state.optional().describe('Only jobs in this state.'),
    }),
    output: z.object({
      jobs: list(job, jobsMax).describe(
        'Waiting and running jobs, then failing ones, then ended ones, newest first.',
      ),
      kinds: list(
        z.object({
          kind: text(64).describe('The kind of job.'),
          agent_count: count().describe('The number of agents that take such jobs.'),
          paused_agent_count: count().describe(
            'The number of agents that run such jobs but take none now, for example while clients write heavily to their disk.',
          ),
        }),
        kindsMax,
      ).describe(
        'The kinds that the leader plans, regardless of filters. Jobs of a kind without agents wait.',
      ),
    }),
    example: {
      input: { state: 'done' },
      output: {
        jobs: [
          {
            job_id: 'file_deletion-3-17',
            kind: 'file_deletion',
            scope: '',
            state: 'done',
            agent_id: examples.agent,
            planned_at: examples.time,
            started_at: examples.time,
            ended_at: examples.time,
            done_count: 212,
            total_count: 212,
            failure_count: 0,
            message: 'deleted 212 files',
          },
        ],
        kinds: [{ kind: 'file_deletion', agent_count: 1, paused_agent_count: 0 }],
      },
    },
  }),
] as const;
