import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemEnvironment } from '@weir/core';
import { changedPackages } from './changed-packages.ts';
import { interopWorkers, runsAlone } from './interop-files.ts';
import { closedStatus, isOutputClosed, print, printError } from './output.ts';
import { propertySeedVariable } from './property-seed.ts';
import { addTally, findTests, newTally, type RunOptions, runTests, type Tally } from './test-run.ts';

/**
 * The one gate: format and lint, types, and every test, including the layer rule and the check that generated pages
 * match their source. `--all` adds the rest of CI: interop tests, the simulation, a run of every benchmark and a
 * million mutated frames. `--properties` runs every file with property tests from a new seed, which is printed. With
 * paths, runs only the tests below them; with `--changed`, lint, types, house rules, and the tests of packages that
 * differ from the main branch and of the packages that depend on them.
 *
 * Ends with a plain line, `N passed, N failed`, in which a gate counts as one.
 */
const root = join(import.meta.dirname, '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

interface Step {
  readonly name: string;
  run(): Promise<Tally>;
}

/** Priority of work that may not delay tests with deadlines: the lowest. */
const behindOthers = 19;

function command(name: string, program: string, args: readonly string[], priority = 0): Step {
  return {
    name,
    async run() {
      const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
      if (child.pid !== undefined && priority > 0) setPriority(child.pid, priority);
      // Printed as a whole, because other steps print too.
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      }
      const isOk = await new Promise<boolean>((resolve) => {
        child.once('error', ({ message }) => {
          output += `${message}\n`;
          resolve(false);
        });
        child.once('close', (status) => resolve(status === 0));
      });
      if (output !== '') print(output.trimEnd());
      return { passed: isOk ? 1 : 0, failed: isOk ? 0 : 1, skipped: 0 };
    },
  };
}

/** Runs steps one after the other. */
async function inTurn(steps: readonly Step[]): Promise<Tally> {
  const sum = newTally();
  for (const { name, run } of steps) {
    if (isOutputClosed()) break;
    print(name);
    const startMs = systemClock.monotonicMs();
    const tally = await run();
    addTally(sum, tally);
    const seconds = ((systemClock.monotonicMs() - startMs) / 1000).toFixed(1);
    print(`${name}: ${tally.failed === 0 ? 'ok' : 'FAILED'} in ${seconds} s`);
  }
  return sum;
}

async function sumOf(tallies: Iterable<Promise<Tally>>): Promise<Tally> {
  const sum = newTally();
  for (const tally of await Promise.all(tallies)) addTally(sum, tally);
  return sum;
}

/** Tests that need only this repository. */
const unitTests = [
  'packages/**/*.test.ts',
  'tests/house/*.test.ts',
  'tests/mcp-eval/*.test.ts',
  'tests/faults/**/*.test.ts',
  'bench/*.test.ts',
];

/** Runs every benchmark once, which takes longer than any other file; only CI does. */
const benchmarkSmoke = 'bench/bench.test.ts';

function tests(name: string, files: readonly string[], options: Partial<RunOptions> = {}): Step {
  return { name, run: () => runTests({ root, files, ...options }) };
}

// Its output passes through a pipe, so it cannot find out about colours by itself.
const colors = process.stdout.isTTY ? 'force' : 'off';
const lintArgs = ['ci', '--log-level=warn', `--colors=${colors}`, '.'];
const formatAndLint = command('format and lint', bin('biome'), lintArgs);

/**
 * Both projects in one pass: pages run in a browser, which has other types. One checker instead of one per core needs
 * two thirds of the memory and is no slower on two cores.
 */
const types = command('types', bin('tsc'), [
  ...['--build', root, join(root, 'packages/console')],
  ...['--checkers', '1', '--builders', '1'],
]);

/** Files that may fail beside others and pass alone. More are a defect of the tests or of what they test. */
const passedOnlyAloneMax = 3;

/** Format, lint and types take one core, and the tests all of them from then on. */
function gate(options: Partial<RunOptions> & { readonly isAll?: boolean } = {}): Promise<Tally> {
  const checks = inTurn([formatAndLint, types]);
  const files = findTests(root, unitTests).filter(
    (file) => options.isAll === true || file !== benchmarkSmoke,
  );
  const unit = tests('tests', files, {
    repeatsAlone: true,
    isQuick: true,
    passedOnlyAloneMax,
    ...options,
    oneWorkerAfter: checks,
  });
  return sumOf([checks, inTurn([unit])]);
}

/** Builds and downloads for interop tests, in parallel with the rest of the gate and at a lower priority. */
function prepareInterop(): Promise<void> {
  const child = spawn(process.execPath, ['tests/interop/prepare.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const behindTests = 10;
  if (child.pid !== undefined) setPriority(child.pid, behindTests);
  // Failures are ignored: tests prepare what is missing, or skip and report it.
  return new Promise((resolve) => child.on('error', () => resolve()).on('close', () => resolve()));
}

/** Runs the tests that may run beside others, then the rest one by one. */
function interop(prepared: Promise<void>): Step {
  const files = findTests(root, ['tests/interop/**/*.test.ts']);
  return {
    name: 'interop',
    async run() {
      await prepared;
      const sum = newTally();
      const together = files.filter((file) => !runsAlone(file));
      addTally(sum, await runTests({ root, files: together, workers: interopWorkers, repeatsAlone: true }));
      addTally(sum, await runTests({ root, files: files.filter(runsAlone), workers: 1 }));
      return sum;
    },
  };
}

function simulation(options: Partial<RunOptions> = {}): Step {
  return tests('simulation', findTests(root, ['tests/sim/*.test.ts']), { workers: 1, ...options });
}

/** A thousand, which `npm run test:sim` runs, would take longer than everything beside it. */
const simulatedInCi = '400';

/** Everything that CI runs. */
async function all(): Promise<Tally> {
  const prepared = prepareInterop();
  // Builds for interop tests take processor time meanwhile, so that a test with a deadline can miss it.
  const first = await gate({ isAll: true });
  const frames = ['packages/wire/fuzz/run.ts', '--frames', '1000000'];
  const fuzz = command('fuzz', process.execPath, frames, behindOthers);
  // Interop tests run beside it, so that it has twice the limit, and the same inputs in every run.
  const search = ['tests/cost/run.ts', '--minutes', '2', '--seed', '830', '--limitMs', '200'];
  const costs = command('costs', process.execPath, search, behindOthers);
  // Interop tests mostly wait; simulation and fuzz have no deadlines and take the time that is left.
  const behind = { priority: behindOthers, variables: { WEIR_SIMULATED_CLUSTERS: simulatedInCi } };
  const rest = [inTurn([interop(prepared)]), inTurn([simulation(behind), fuzz, costs])];
  return sumOf([Promise.resolve(first), ...rest]);
}

function run(args: readonly string[]): Promise<Tally> {
  const [option, ...rest] = args;
  if (option === undefined) return gate();
  if (rest.length === 0) {
    if (option === '--all') return all();
    if (option === '--interop') return inTurn([interop(prepareInterop())]);
    if (option === '--sim') return inTurn([simulation()]);
    if (option === '--changed') return inTurn(changedSteps());
    if (option === '--properties') return inTurn([propertyTests()]);
  }
  if (args.some((path) => path.startsWith('-'))) {
    refuse(`${args.join(' ')}: only paths, --changed, --properties, --all, --interop and --sim are known`);
  }
  const files = findTests(
    root,
    args.flatMap((path) => (path.endsWith('.ts') ? [path] : [`${path.replace(/\/$/, '')}/**/*.test.ts`])),
  );
  if (files.length === 0) refuse(`${args.join(' ')}: no test there`);
  return inTurn([tests('tests', files)]);
}

/** A seed from the environment repeats a run. */
function propertyTests(): Step {
  const propertySeed = systemEnvironment[propertySeedVariable] ?? String(randomInt(2 ** 31));
  print(`${propertySeedVariable}=${propertySeed}`);
  const files = findTests(root, unitTests).filter((file) =>
    readFileSync(join(root, file), 'utf8').includes("from 'fast-check'"),
  );
  return { name: 'property tests', run: () => runTests({ root, files, propertySeed }) };
}

function changedSteps(): Step[] {
  const folders = changedPackages(root);
  if (folders.length === 0) {
    print('no package differs from the main branch');
    return [];
  }
  print(`changed, or depending on what changed: ${folders.join(', ')}`);
  const files = findTests(
    root,
    folders.map((folder) => `${folder}/**/*.test.ts`),
  ).filter((file) => !file.startsWith('tests/interop/'));
  const houseRules = findTests(root, ['tests/house/*.test.ts']);
  return [formatAndLint, types, tests('house rules', houseRules), tests('tests', files)];
}

function refuse(message: string): never {
  printError(`check: ${message}\n`);
  process.exit(2);
}

const { passed, failed, skipped } = await run(process.argv.slice(2));
print(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`);
process.exitCode = isOutputClosed() ? closedStatus : failed === 0 ? 0 : 1;
