import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { type Environment, systemEnvironment } from '@weir/core';
import { outputOf } from '../child-output.ts';

/**
 * A program that runs scenarios on a third-party client against a broker.
 *
 * It takes `{"broker": "host:port"}` on standard input and prints a line `{"scenario": …, "error": null | text}` for
 * each.
 */
interface ScenarioProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly variables?: Environment;
}

interface Outcome {
  readonly scenario: string;
  readonly error: string | null;
}

/** Name of the test that checks the program and not the client. */
export const completeness = 'no scenario without a name here';

/** Timeout for hanging programs; scenarios have their own deadlines. */
const timeoutMs = 300_000;

/**
 * Runs the program once and creates a test for each scenario. All scenarios are listed here, so that a scenario that
 * the program does not reach, or no longer has, fails.
 */
export function testScenarios(
  client: string,
  scenarios: readonly string[],
  skip: string | false,
  start: () => Promise<{ readonly program: ScenarioProgram; readonly broker: string }>,
): void {
  let running: ReturnType<typeof runProgram> | undefined;
  const outcomes = () => {
    running ??= start().then(({ program, broker }) => runProgram(program, broker));
    return running;
  };
  for (const scenario of scenarios) {
    test(`${client}: ${scenario}`, { skip, timeout: timeoutMs }, async () => {
      const { found, end } = await outcomes();
      const outcome = found.get(scenario);
      if (outcome === undefined) throw new Error(`the program told nothing of this scenario; ${end}`);
      if (outcome.error !== null) throw new Error(outcome.error);
    });
  }
  test(`${client}: ${completeness}`, { skip, timeout: timeoutMs }, async () => {
    const { found, end, status } = await outcomes();
    const unknown = [...found.keys()].filter((scenario) => !scenarios.includes(scenario));
    if (unknown.length > 0) throw new Error(`unknown scenarios: ${unknown.join(', ')}`);
    if (status !== 0) throw new Error(end);
  });
}

async function runProgram({ command, args, variables }: ScenarioProgram, broker: string) {
  const { PATH, HOME } = systemEnvironment;
  const child = spawn(command, args, {
    env: { PATH, HOME, ...variables },
    timeout: timeoutMs - 10_000,
    killSignal: 'SIGKILL',
  });
  const { status, out, err } = await outputOf(child, JSON.stringify({ broker }));
  const found = new Map<string, Outcome>();
  for (const line of out.split('\n')) {
    if (!line.startsWith('{')) continue;
    const outcome = JSON.parse(line) as Outcome;
    found.set(outcome.scenario, outcome);
  }
  return { found, status, end: `it ended with ${status}: ${err.slice(-4_000)}` };
}
