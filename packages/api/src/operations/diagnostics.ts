import * as z from 'zod';
import {
  count,
  examples,
  list,
  pageInput,
  pageOutput,
  prose,
  text,
  time,
  timeOfCaller,
  word,
} from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

export const severities = ['low', 'medium', 'high', 'critical'] as const;
const diagnosticTransitions = ['failed', 'recovered', 'muted', 'unmuted'] as const;

const diagnosticId = () => word(/^[a-zA-Z0-9_.:-]{1,128}$/, 128, 'is not the id of a diagnostic');
const actorName = () => text(apiLimits.emailCharsMax);

const finding = z.object({
  key: text(256).describe('What the finding is about; stable between checks.'),
  message: text().describe('What was found, with numbers.'),
  since: time().describe('When it was first found.'),
});

const summaryFields = {
  diagnostic_id: diagnosticId().describe('The diagnostic.'),
  name: text(128).describe('The check that it comes from.'),
  type: text(64).describe('The group of checks.'),
  source: text(64).describe('What ran the check, such as `control_plane`.'),
  severity: z.enum(severities).describe('The severity of a failure.'),
  title: text(256).describe('A title for people.'),
  successful: z.boolean().describe('Whether the check passes.'),
  muted: z.boolean().describe('Whether it is muted, so that a failure raises no alert.'),
  muted_until: time().nullable().describe('When muting ends, or `null`.'),
  first_failed_at: time().nullable().describe('When it began to fail, or `null`.'),
  updated_at: time().describe('When it last changed.'),
};

const listed = z
  .object({
    ...summaryFields,
    cause: text().describe('The first finding in one line; empty if the check passes.'),
  })
  .meta({ id: 'DiagnosticListing', description: 'A diagnostic in a list.' });

const diagnostic = z
  .object({
    ...summaryFields,
    explanation: prose().describe('What it checks and why that matters.'),
    fix: prose().describe('What to do.'),
    groups: list(finding, apiLimits.diagnosticGroupsMax).describe('The findings, worst first.'),
    groups_left_out: count().describe('The number of findings not listed.'),
    muted_by: actorName().nullable().describe('Who muted it.'),
    mute_reason: text().nullable().describe('Why.'),
  })
  .meta({ id: 'Diagnostic', description: 'What a check found.' });

const transition = z
  .object({
    diagnostic_id: diagnosticId().describe('The diagnostic.'),
    name: text(128).describe('The check.'),
    type: text(64).describe('The group of checks.'),
    severity: z.enum(severities).describe('The severity.'),
    transition: z.enum(diagnosticTransitions).describe('What happened.'),
    time: time().describe('When.'),
    message: text().describe('The finding, or the reason that the user gave.'),
    actor: actorName().nullable().describe('Who did it, or `null` if it happened automatically.'),
  })
  .meta({ id: 'DiagnosticTransition', description: 'A change of a diagnostic.' });

const exampleSummary = {
  diagnostic_id: 'no_jobs_agent',
  name: 'no_jobs_agent',
  type: 'agents',
  source: 'control_plane',
  severity: 'high',
  title: 'No agent has the jobs role',
  successful: false,
  muted: false,
  muted_until: null,
  first_failed_at: examples.time,
  updated_at: examples.time,
} as const;
const exampleCause = 'None of 3 agents has the role jobs.';

const target = { diagnostic_id: diagnosticId().describe('The diagnostic.') };
const exampleTarget = { diagnostic_id: 'no_jobs_agent' };

export const diagnosticOperations = [
  defineClusterOperation({
    name: 'list_diagnostics',
    title: 'List diagnostics',
    summary: 'List the diagnostics of a virtual cluster.',
    input: clusterInput({
      state: z
        .enum(['all', 'failing', 'muted'])
        .default('all')
        .describe('All, failing and not muted, or muted.'),
      severity: z.enum(severities).optional().describe('Only those of this severity.'),
    }),
    output: z.object({
      diagnostics: list(listed, apiLimits.diagnosticsMax).describe('Failing ones first, by severity.'),
    }),
    example: {
      input: { state: 'failing' },
      output: { diagnostics: [{ ...exampleSummary, cause: exampleCause }] },
    },
  }),
  defineClusterOperation({
    name: 'get_diagnostic',
    title: 'Describe a diagnostic',
    summary: 'Describe what a diagnostic found, why that matters and what to do.',
    input: clusterInput(target),
    output: z.object({ diagnostic: diagnostic.describe('The diagnostic.') }),
    example: {
      input: exampleTarget,
      output: {
        diagnostic: {
          ...exampleSummary,
          explanation:
            'Agents with the role jobs publish the events of the control plane and the metrics of the cluster.',
          fix: 'Start an agent with -roles proxy,jobs.',
          groups: [{ key: 'cluster', message: exampleCause, since: examples.time }],
          groups_left_out: 0,
          muted_by: null,
          mute_reason: null,
        },
      },
    },
  }),
  defineClusterOperation({
    name: 'mute_diagnostic',
    title: 'Mute a diagnostic',
    summary: 'Mute a diagnostic until a given time or until it is unmuted.',
    description: 'A muted diagnostic still runs and records failures and recoveries.',
    input: clusterInput({
      ...target,
      until: timeOfCaller()
        .optional()
        .describe('When muting ends; by default, when the diagnostic is unmuted.'),
      reason: text(1024).optional().describe('The reason, for others.'),
    }),
    example: {
      input: { ...exampleTarget, until: '2026-02-01T00:00:00Z', reason: 'Planned maintenance.' },
    },
  }),
  defineClusterOperation({
    name: 'unmute_diagnostic',
    title: 'Unmute a diagnostic',
    summary: 'Unmute a diagnostic.',
    input: clusterInput(target),
    example: { input: exampleTarget },
  }),
  defineClusterOperation({
    name: 'list_diagnostic_history',
    title: 'List changes of diagnostics',
    summary: 'List when diagnostics of a virtual cluster failed, recovered or were muted, newest first.',
    input: clusterInput({
      diagnostic_id: diagnosticId().optional().describe('Only this diagnostic.'),
      ...pageInput(100),
    }),
    output: z.object({
      transitions: list(transition, apiLimits.apiPageRowsMax).describe('The changes.'),
      ...pageOutput,
    }),
    example: {
      output: {
        transitions: [
          {
            diagnostic_id: 'no_jobs_agent',
            name: 'no_jobs_agent',
            type: 'agents',
            severity: 'high',
            transition: 'failed',
            time: examples.time,
            message: exampleCause,
            actor: null,
          },
        ],
        next_cursor: null,
      },
    },
  }),
] as const;
