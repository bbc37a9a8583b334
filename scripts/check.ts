import { spawn, spawnSync } from 'node:child_process';
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
 * The one gate: format and lint, types, then every test, including the layer rule and the check that generated pages
 * match their source. `--all` adds the rest of CI: the simulation, interop tests and a million mutated frames.
 * `--properties` runs every file with property tests from a new seed, which is printed. With paths, runs only the tests
 * below them; with `--changed`, the tests of packages that differ from the main branch and of the packages that depend
 * on them.
 *
 * Ends with a plain line, `N passed, N failed`, in which a gate counts as one.
 */
const root = join(import.meta.dirname, '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

interface Step {
  readonly name: string;
  run(): Tally | Promise<Tally>;
}

function command(name: string, program: string, args: readonly string[]): Step {
  return {
    name,
    run() {
      const { status, error } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
      if (error !== undefined) printError(`${error.message}\n`);
      return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
    },
  };
}

/** Tests that need only this repository. */
const unitTests = [
  'packages/**/*.test.ts',
  'tests/house/*.test.ts',
  'tests/mcp-eval/*.test.ts',
  'tests/faults/**/*.test.ts',
  'bench/*.test.ts',
];

function tests(name: string, files: readonly string[], options: Partial<RunOptions> = {}): Step {
  return { name, run: () => runTests({ root, files, ...options }) };
}

// One checker instead of one per core: needs two thirds of the memory and is no slower on two cores.
const types = command('types', bin('tsc'), [
  ...['--project', root, '--checkers', '1', '--incremental'],
  ...['--tsBuildInfoFile', join(root, 'node_modules', '.cache', 'weir', 'types.tsbuildinfo')],
]);

function gate(options: Partial<RunOptions> = {}): Step[] {
  return [
    command('format and lint', bin('biome'), ['ci', '--log-level=warn', '.']),
    types,
    tests('tests', findTests(root, unitTests), options),
  ];
}

/** Builds and downloads for interop tests, in parallel with the rest of the gate and at a lower priority. */
function prepareInterop(): Promise<void> {
  const child = spawn(process.execPath, ['tests/interop/prepare.ts'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const behindOthers = 10;
  if (child.pid !== undefined) setPriority(child.pid, behindOthers);
  // Failures are ignored: tests prepare what is missing, or skip and report it.
  return new Promise((resolve) => child.on('error', () => resolve()).on('close', () => resolve()));
}

/** Runs the tests that may run two at a time, then the others one by one. */
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

const simulation: Step = tests('simulation', findTests(root, ['tests/sim/*.test.ts']), { workers: 1 });

const fuzz = command('fuzz', process.execPath, ['packages/wire/fuzz/run.ts', '--frames', '1000000']);

function stepsFor(args: readonly string[]): Step[] {
  const [option, ...rest] = args;
  if (option === undefined) return gate();
  if (rest.length === 0) {
    if (option === '--all') {
      // Builds for interop tests take processor time meanwhile, so that a test with a deadline can miss it.
      return [...gate({ repeatsAlone: true }), simulation, interop(prepareInterop()), fuzz];
    }
    if (option === '--interop') return [interop(prepareInterop())];
    if (option === '--sim') return [simulation];
    if (option === '--changed') return changedSteps();
    if (option === '--properties') return [propertyTests()];
  }
  if (args.some((path) => path.startsWith('-'))) {
    refuse(`${args.join(' ')}: only paths, --changed, --properties, --all, --interop and --sim are known`);
  }
  const files = findTests(
    root,
    args.flatMap((path) => (path.endsWith('.ts') ? [path] : [`${path.replace(/\/$/, '')}/**/*.test.ts`])),
  );
  if (files.length === 0) refuse(`${args.join(' ')}: no test there`);
  return [tests('tests', files)];
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
  return [types, tests('tests', files)];
}

function refuse(message: string): never {
  printError(`check: ${message}\n`);
  process.exit(2);
}

const sum = newTally();
for (const step of stepsFor(process.argv.slice(2))) {
  if (isOutputClosed()) break;
  print(step.name);
  const startMs = systemClock.monotonicMs();
  const tally = await step.run();
  addTally(sum, tally);
  const seconds = ((systemClock.monotonicMs() - startMs) / 1000).toFixed(1);
  print(`${step.name}: ${tally.failed === 0 ? 'ok' : 'FAILED'} in ${seconds} s`);
}
const skipped = sum.skipped === 0 ? '' : `, ${sum.skipped} skipped`;
print(`${sum.passed} passed, ${sum.failed} failed${skipped}`);
process.exitCode = isOutputClosed() ? closedStatus : sum.failed === 0 ? 0 : 1;
