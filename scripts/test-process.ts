/**
 * Runs test files in this process, one after the other, and reports to `test-run.ts`.
 *
 * Node's runner follows every promise, so that it can say which test an error belongs to that no code has caught. That
 * makes each `await` twenty times as expensive: a fifth of the processor time of tests that call servers. With
 * `--quick` it follows other resources only. Such an error then ends the process, and `test-run.ts` runs the files
 * again without it (ADR 0265).
 */
import { createHook } from 'node:async_hooks';
import { run } from 'node:test';
import { printError } from './output.ts';
import './property-seed.ts';
import { report } from './test-reporter.ts';

const args = process.argv.slice(2);
if (args[0] === '--quick') {
  args.shift();
  followNoPromises();
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.once(event, endWith);
}

const results = run({ files: args, isolation: 'none' });
results.on('test:summary', ({ success }) => {
  if (!success) process.exitCode = 1;
});
results.compose(report).pipe(process.stdout);

/**
 * The runner's hook cannot be configured, but a hook has a property for this, which is found by comparing two. Without
 * it, on another version of Node, tests only take longer.
 */
function followNoPromises(): void {
  const [quick, usual] = [
    createHook({ trackPromises: false }),
    createHook({ trackPromises: true }),
  ] as unknown as [Record<symbol, unknown>, Record<symbol, unknown>];
  const property = Object.getOwnPropertySymbols(quick).find((symbol) => quick[symbol] !== usual[symbol]);
  if (property === undefined) return;
  const hooks = Object.getPrototypeOf(quick) as { enable(): unknown };
  const { enable } = hooks;
  hooks.enable = function (this: Record<symbol, unknown>) {
    this[property] = quick[property];
    return enable.call(this);
  };
}

function endWith(error: unknown): void {
  printError(`no test caught this: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
