import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { systemClock } from '@weir/core';
import { runTests, type Tally } from './test-run.ts';

/**
 * The one gate: format and lint, types, then every test, among them the layer rule and the comparison of generated pages
 * with their source. With `--all`, what CI adds: the simulation, foreign implementations as judges, and a million mutated
 * frames.
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
      if (error !== undefined) process.stderr.write(`${error.message}\n`);
      return { passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
    },
  };
}

const gate: Step[] = [
  command('format and lint', bin('biome'), ['ci', '--log-level=warn', '.']),
  command('types', bin('tsc'), ['--project', root]),
  {
    name: 'tests',
    run: () =>
      runTests(root, [
        'packages/**/*.test.ts',
        'tests/house/*.test.ts',
        'tests/mcp-eval/*.test.ts',
        'bench/*.test.ts',
      ]),
  },
];

const judges: Step = { name: 'interop', run: () => runTests(root, ['tests/interop/**/*.test.ts']) };

const simulation: Step = { name: 'simulation', run: () => runTests(root, ['tests/sim/*.test.ts']) };

/** Real processes under a new seed each time; a finding is worth a look and must not hold up an unrelated change. */
const chaos: Step = { name: 'chaos', run: () => runTests(root, ['tests/chaos/*.test.ts']) };

const extra: Step[] = [
  simulation,
  judges,
  command('fuzz', process.execPath, ['packages/wire/fuzz/run.ts', '--frames', '1000000']),
];

function stepsFor(args: readonly string[]): Step[] {
  if (args.length === 0) return gate;
  if (args.length === 1 && args[0] === '--all') return [...gate, ...extra];
  if (args.length === 1 && args[0] === '--interop') return [judges];
  if (args.length === 1 && args[0] === '--sim') return [simulation];
  if (args.length === 1 && args[0] === '--chaos') return [chaos];
  process.stderr.write(`check: ${args.join(' ')}: only --all, --interop, --sim and --chaos are known\n`);
  process.exit(2);
}

const sum: Tally = { passed: 0, failed: 0, skipped: 0 };
for (const step of stepsFor(process.argv.slice(2))) {
  process.stdout.write(`${step.name}\n`);
  const startMs = systemClock.monotonicMs();
  const tally = await step.run();
  sum.passed += tally.passed;
  sum.failed += tally.failed;
  sum.skipped += tally.skipped;
  const seconds = ((systemClock.monotonicMs() - startMs) / 1000).toFixed(1);
  process.stdout.write(`${step.name}: ${tally.failed === 0 ? 'ok' : 'FAILED'} in ${seconds} s\n`);
}
const skipped = sum.skipped === 0 ? '' : `, ${sum.skipped} skipped`;
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
process.exitCode = sum.failed === 0 ? 0 : 1;
