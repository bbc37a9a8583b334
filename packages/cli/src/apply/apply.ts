import { randomBytes } from 'node:crypto';
import type { Client } from '@weir/api';
import { apiClient, orFailure } from '../api-client.ts';
import { type Handler, stoppedStatus } from '../commands/handler.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import { escapeControls } from '../flags/problem.ts';
import type { Surroundings } from '../surroundings.ts';
import { readActual } from './api/read-actual.ts';
import { type Outcomes, runPlan } from './api/run-plan.ts';
import { type DocumentProblem, documentProblemLine } from './document/problem.ts';
import { readDocuments } from './document/read-documents.ts';
import { readSources } from './document/read-sources.ts';
import { planJson } from './json.ts';
import { type Plan, planChanges } from './plan/plan.ts';
import type { WritingStep } from './plan/step.ts';
import { countsOf, doneSummary, hasChanges, planSummary, planText } from './print.ts';
import { progressPrinter } from './progress.ts';
import { createSecretKeeper, type SecretKeeper } from './secrets/secret-keeper.ts';
import { secretProblems } from './secrets/secret-problems.ts';

type Values = CommandValues<'apply'>;

/** A dry run that was asked to say so found something to do. */
const changesStatus = 2;

const failedStatus = 1;

/** Makes what the API has agree with what files say: reads both, plans, and carries the plan out. */
export const apply: Handler<'apply'> = async (values, surroundings) => {
  const { environment, output } = surroundings;
  const secrets = createSecretKeeper({
    environment,
    randomBytes,
    tell: (line) => output.err(`weir apply: ${escapeControls(line)}\n`),
  });
  const read = readDocuments(await readSources(values.file ?? [], surroundings.input));
  if ('problem' in read) return refuse(read.problem, surroundings);
  const client = apiClient(values, surroundings);
  const options = { isPruning: values.prune };
  const plan = planChanges(await orFailure(readActual(client, read.value, options)), options);
  const obstacles = [...plan.obstacles, ...(await secretProblems(plan, secrets))];
  if (obstacles.length > 0) return refuse(obstacles, surroundings);
  return values.dryRun
    ? showPlan(plan, values, surroundings)
    : await carryOut(plan, { values, surroundings, client, secrets });
};

function refuse(problems: readonly DocumentProblem[], { output }: Surroundings): number {
  for (const problem of problems) output.err(`weir apply: ${escapeControls(documentProblemLine(problem))}\n`);
  return failedStatus;
}

function showPlan(plan: Plan, values: Values, { output }: Surroundings): number {
  const counts = countsOf(plan);
  output.out(values.output === 'json' ? planJson(plan, undefined) : planText(plan) + planSummary(counts));
  return values.detailedExitCode && hasChanges(counts) ? changesStatus : 0;
}

interface Work {
  readonly values: Values;
  readonly surroundings: Surroundings;
  readonly client: Client;
  readonly secrets: SecretKeeper;
}

async function carryOut(plan: Plan, { values, surroundings, client, secrets }: Work): Promise<number> {
  const { output, stop } = surroundings;
  const isJson = values.output === 'json';
  const progress = progressPrinter(plan, (text) => {
    if (!isJson) output.out(text);
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
