import { randomBytes } from 'node:crypto';
import type { Client } from '@weir/api';
import { apiClient, orFailure } from '../api-client.ts';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import { type Handler, stoppedStatus } from '../handler.ts';
import { escapeControls } from '../problem.ts';
import { styledDiff } from '../results/style.ts';
import { deletionWarnings } from './api/deletion-warnings.ts';
import { readActual } from './api/read-actual.ts';
import { type Outcomes, runPlan } from './api/run-plan.ts';
import { type MadeKey, workspaceAccess } from './api/workspace-access.ts';
import type { DesiredCluster } from './desired.ts';
import { type DocumentProblem, documentProblemLine } from './document/problem.ts';
import { readDocuments } from './document/read-documents.ts';
import { readSources } from './document/read-sources.ts';
import { withSchemaFiles } from './document/schema-files.ts';
import { planJson } from './json.ts';
import { failingPipelines } from './plan/failing-pipelines.ts';
import { type Plan, planChanges } from './plan/plan.ts';
import type { WritingStep } from './plan/step.ts';
import { countsOf, doneSummary, hasChanges, planSummary, planText } from './print.ts';
import { progressPrinter } from './progress.ts';
import { createSecretKeeper, type SecretKeeper } from './secrets/secret-keeper.ts';
import { secretProblems } from './secrets/secret-problems.ts';

type Values = CommandValues<'apply'>;

/** Exit status of a dry run that found changes, if the user asked for it. */
const changesStatus = 2;

const failedStatus = 1;

/** Makes the state behind the API match the files: reads both, plans, and executes the plan. */
export const apply: Handler<'apply'> = async (values, deps) => {
  const { environment, output } = deps;
  const secrets = createSecretKeeper({
    environment,
    randomBytes,
    print: (line) => output.err(`weir apply: ${escapeControls(line)}\n`),
  });
  const { sources, failures } = await readSources(values.file ?? [], deps.input);
  const read = readDocuments(sources);
  if (failures.length > 0 || 'problem' in read) {
    return refuse([...failures, ...('problem' in read ? read.problem : [])], deps);
  }
  const { clusters: wanted, problems: unread } = await withSchemaFiles(read.value);
  if (unread.length > 0) return refuse(unread, deps);
  const client = apiClient(values, deps);
  const access = await orFailure(
    workspaceAccess(client, wanted, {
      clientWith: (apiKey) => apiClient({ ...values, apiKey }, deps),
      freshWord: () => randomBytes(4).toString('hex'),
      nowMs: deps.clock.nowMs(),
    }),
  );
  if (access.problems.length > 0) return refuse(access.problems, deps);
  const work = { values, deps, client: access.client, secrets };
  let isKeyGone = true;
  let status: number;
  try {
    status = await agree(wanted, work);
  } finally {
    isKeyGone = await withoutKey(client, access.madeKey, deps);
  }
  return isKeyGone ? status : failedStatus;
};

async function agree(wanted: readonly DesiredCluster[], work: Work): Promise<number> {
  const { values, deps, client, secrets } = work;
  const options = { isPruning: values.prune };
  const actual = await orFailure(readActual(client, wanted, options));
  const plan = planChanges(actual, options);
  const obstacles = [...plan.obstacles, ...(await secretProblems(plan, secrets))];
  if (obstacles.length > 0) return refuse(obstacles, deps);
  for (const line of failingPipelines(actual, plan)) deps.output.err(`weir apply: ${escapeControls(line)}\n`);
  for (const line of await deletionWarnings(plan, client))
    deps.output.err(`weir apply: ${escapeControls(line)}\n`);
  return values.dryRun ? showPlan(plan, values, deps) : await carryOut(plan, work);
}

/** Deletes the key of this run; if that fails, reports its name. */
async function withoutKey(client: Client, key: MadeKey | undefined, { output }: Deps): Promise<boolean> {
  if (key === undefined) return true;
  try {
    await client.call('delete_api_key', { api_key_id: key.id });
    return true;
  } catch (error) {
    const why = escapeControls((error as Error).message);
    output.err(`weir apply: failed to delete key ${key.name} (${key.id}) of this run: ${why}\n`);
    return false;
  }
}

function refuse(problems: readonly (DocumentProblem | string)[], { output }: Deps): number {
  for (const problem of problems) {
    const line = typeof problem === 'string' ? problem : documentProblemLine(problem);
    output.err(`weir apply: ${escapeControls(line)}\n`);
    const details = typeof problem === 'string' ? [] : (problem.details ?? []);
    for (const detail of details) output.err(`  ${escapeControls(detail)}\n`);
  }
  return failedStatus;
}

function showPlan(plan: Plan, values: Values, { output }: Deps): number {
  const counts = countsOf(plan);
  output.out(
    values.output === 'json'
      ? planJson(plan, undefined)
      : styledDiff(planText(plan), output.colours?.out) + planSummary(counts),
  );
  return values.detailedExitCode && hasChanges(counts) ? changesStatus : 0;
}

interface Work {
  readonly values: Values;
  readonly deps: Deps;
  readonly client: Client;
  readonly secrets: SecretKeeper;
}

async function carryOut(plan: Plan, { values, deps, client, secrets }: Work): Promise<number> {
  const { output, stop } = deps;
  const isJson = values.output === 'json';
  const progress = progressPrinter(plan, (text) => {
    if (!isJson) output.out(styledDiff(text, output.colours?.out));
  });
  const outcomes = await runPlan(plan, { client, secrets, stop, onEnd: progress.end });
  if (isJson) output.out(planJson(plan, outcomes));
  const failed = stepsThat(outcomes, 'failed');
  const left = stepsThat(outcomes, 'not_done');
  if (failed.length === 0 && left.length === 0) {
    if (!isJson) output.out(doneSummary(stepsThat(outcomes, 'done'), countsOf(plan)));
    return 0;
  }
  for (const line of progress.unfinished(outcomes)) output.err(`weir apply: ${line}\n`);
  return stop.aborted ? stoppedStatus : failedStatus;
}

function stepsThat(outcomes: Outcomes, status: 'done' | 'failed' | 'not_done'): WritingStep[] {
  return [...outcomes].filter(([, outcome]) => outcome.status === status).map(([step]) => step);
}
