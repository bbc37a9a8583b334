import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScenario } from '../../faults/run-scenario.ts';
import { scenarios } from '../../faults/scenarios.ts';
import { isWell } from '../../faults/summary.ts';

/** The short form of a scenario of `npm run test:faults`. */
test('pipelines lose nothing while agents, leaders and their processes are killed', {
  timeout: 480_000,
}, async () => {
  const scenario = scenarios.find(({ name }) => name === 'pipelines')!;
  const outcome = await runScenario(scenario, { seed: 14, troubleMs: 4_000 });
  assert.ok(!('skipped' in outcome));
  assert.ok(isWell(outcome), `${outcome.problem}\n${outcome.report}`);
});
