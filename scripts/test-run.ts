import { globSync } from 'node:fs';
import { run } from 'node:test';

/** What a suite or a gate contributes to the closing line. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly skip?: string | boolean;
  readonly details: {
    readonly type?: string;
    readonly duration_ms: number;
    readonly error?: Error & { readonly cause?: unknown; readonly failureType?: string };
  };
}

/**
 * Runs test files with Node's own runner, one process per file, and prints one line per file, every failure in full and
 * every skipped test by its name.
 */
export async function runTests(root: string, patterns: readonly string[]): Promise<Tally> {
  const files = globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**'] })
    .map((path) => `${root}/${path}`)
    .sort();
  const total: Tally = { passed: 0, failed: 0, skipped: 0 };
  if (files.length === 0) throw new Error(`no test file matches ${patterns.join(', ')}`);

  const perFile = new Map<string, Tally>();
  const stream = run({ files, concurrency: true, cwd: root });
  for await (const { type, data } of stream) {
    if (type === 'test:stderr') process.stderr.write(String((data as { message: string }).message));
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const event = data as unknown as TestEvent;
    if (isContainer(event) && !isSkipped(event)) continue;
    const file = shortName(root, event.file ?? event.name);
    const tally = perFile.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
    perFile.set(file, tally);
    if (isSkipped(event)) {
      tally.skipped++;
      print(`  skipped: ${event.name} (${file}): ${event.skip === true ? 'no reason given' : event.skip}`);
    } else if (type === 'test:pass') {
      tally.passed++;
    } else {
      tally.failed++;
      print(`  FAILED: ${event.name} (${file})\n${indent(explain(event))}`);
    }
  }
  for (const [file, { passed, failed, skipped }] of [...perFile].sort()) {
    const also = `${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    print(`  ${file}: ${passed} passed${also}`);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}

/** A suite that is skipped has no tests to say so in its place. */
function isSkipped({ skip }: TestEvent): boolean {
  return skip !== undefined && skip !== false;
}

/** Suites only repeat what their tests said, and so does the entry of a whole file, unless it failed by itself. */
function isContainer({ details, name, file }: TestEvent): boolean {
  const ownFailure = details.error !== undefined && details.error.failureType !== 'subtestsFailed';
  return (details.type === 'suite' || name === file) && !ownFailure;
}

function explain({ details }: TestEvent): string {
  const cause = details.error?.cause ?? details.error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}

function shortName(root: string, path: string): string {
  return path.startsWith(root) ? path.slice(root.length + 1) : path;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
