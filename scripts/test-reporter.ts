import { readFileSync } from 'node:fs';

/**
 * A reporter for Node's test runner that prints one JSON line per result, for `test-run.ts` in the parent process.
 * Lines carry a mark, because tests may print too.
 */
export const resultMark = '\u0001weir-test ';

/** One result of a test, a suite or a file. */
export interface TestResult {
  readonly name: string;
  readonly file: string;
  readonly passed: boolean;
  readonly durationMs: number;
  /** Processor time so far of the process, its threads and its children that have ended, where the system counts it. */
  readonly processorMs?: number;
  /** Reason for the skip. */
  readonly skipped?: string;
  readonly isSuite: boolean;
  /** Whether it failed only because a test within it failed. */
  readonly isEcho: boolean;
  readonly error?: string;
}

interface RunnerEvent {
  readonly type: string;
  readonly data: {
    readonly name: string;
    readonly file?: string;
    readonly skip?: string | boolean;
    readonly details: {
      readonly type?: string;
      readonly duration_ms: number;
      readonly error?: Error & { readonly cause?: unknown; readonly failureType?: string };
    };
  };
}

export async function* report(source: AsyncIterable<RunnerEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, file, skip, details } = data;
    const result: TestResult = {
      name,
      file: file ?? name,
      passed: type === 'test:pass',
      durationMs: details.duration_ms,
      ...processorTime(),
      ...(skip !== undefined && skip !== false && { skipped: skip === true ? 'no reason given' : skip }),
      isSuite: details.type === 'suite',
      isEcho: details.error?.failureType === 'subtestsFailed',
      ...(details.error !== undefined && { error: explain(details.error) }),
    };
    yield `\n${resultMark}${JSON.stringify(result)}\n`;
  }
}

function explain(error: Error & { readonly cause?: unknown }): string {
  const cause = error.cause ?? error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

/** Linux counts in hundredths of a second. Node itself cannot ask about children. */
const tickMs = 10;

function processorTime(): { readonly processorMs?: number } {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The name of the program, which may have spaces, ends with the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { processorMs: ticks * tickMs };
  } catch {
    return {};
  }
}
