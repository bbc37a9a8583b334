import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemRandom } from '@weir/core';
import { type Outcome, runScenario } from './run-scenario.ts';
import { scenarios } from './scenarios.ts';
import { isWell, summaryOf } from './summary.ts';

/**
 * `npm run test:faults`: runs clients against real processes with injected faults, and checks what the clients saw. `--
 * --scenario leader-killed` runs one scenario (several are separated by commas), `--seed 7` repeats its random choices
 * (but not the timing of the machine), `--minutes 30` sets the total duration.
 */
const usualMinutes = 6;
/** Time of a scenario without its faults: start, recovery and final read. */
const overheadMs = 12_000;
const troubleMsMin = 6_000;

function fail(problem: string): never {
  process.stderr.write(`test:faults: ${problem}\n`);
  process.exit(2);
}

function optionsOf(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string' },
        scenario: { type: 'string' },
        minutes: { type: 'string' },
      },
    }).values;
  } catch (error) {
    return fail(`${(error as Error).message}; known are --seed, --scenario and --minutes`);
  }
}

function numberOf(name: string, text: string, least: number): number {
  const number = Number(text);
  return number >= least ? number : fail(`--${name} ${text}: must be a number of at least ${least}`);
}

const { seed: seedText, scenario: names, minutes: minutesText } = optionsOf(process.argv.slice(2));
const seed = seedText === undefined ? systemRandom.below(2 ** 31) : numberOf('seed', seedText, 0);
const minutes = minutesText === undefined ? usualMinutes : numberOf('minutes', minutesText, 0.1);
const chosen = (names?.split(',') ?? scenarios.map(({ name }) => name)).map(
  (name) =>
    scenarios.find((scenario) => scenario.name === name) ??
    fail(`--scenario ${name}: known are ${scenarios.map((scenario) => scenario.name).join(', ')}`),
);
// Without `--minutes`, each scenario takes as long as in a whole run.
const count = minutesText === undefined ? scenarios.length : chosen.length;
const troubleMs = Math.max(troubleMsMin, (minutes * 60_000) / count - overheadMs);

// An interrupted run stops the processes that it started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const write = (text: string) => process.stdout.write(`${text}\n`);
const outcomes = new Map<string, Outcome>();
const findingsShownMax = 10;
write(`seed ${seed}, ${Math.round(troubleMs / 1_000)} s of trouble each`);
for (const scenario of chosen) {
  const outcome = await runScenario(scenario, { seed, troubleMs });
  outcomes.set(scenario.name, outcome);
  if ('skipped' in outcome) {
    write(`${scenario.name}: skipped: ${outcome.skipped}`);
    continue;
  }
  write(`${scenario.name}: ${isWell(outcome) ? 'ok' : 'FAILED'} in ${Math.round(outcome.seconds)} s`);
  if (isWell(outcome)) continue;
  if (outcome.problem !== undefined) write(`  ${outcome.problem}`);
  const { findings } = outcome.verdict;
  for (const { defect, detail } of findings.slice(0, findingsShownMax)) write(`  ${defect}: ${detail}`);
  if (findings.length > findingsShownMax) write(`  and ${findings.length - findingsShownMax} more`);
  const folder = mkdtempSync(join(tmpdir(), `weir-faults-${scenario.name}-`));
  writeFileSync(
    join(folder, 'history.jsonl'),
    outcome.history.map((event) => `${JSON.stringify(event)}\n`).join(''),
  );
  writeFileSync(join(folder, 'report.txt'), outcome.report);
  write(`  history and logs: ${folder}`);
  write(`  again: npm run test:faults -- --seed ${seed} --scenario ${scenario.name}`);
}
const failed = [...outcomes.values()].filter((outcome) => !isWell(outcome)).length;
write(`\n${summaryOf(outcomes)}\n`);
write(`seed ${seed}: ${outcomes.size - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
