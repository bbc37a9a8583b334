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

// biome-ignore lint/style/noDefaultExport: the test runner takes the default export of a reporter
export default async function* report(source: AsyncIterable<RunnerEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, file, skip, details } = data;
    const result: TestResult = {
      name,
      file: file ?? name,
      passed: type === 'test:pass',
      durationMs: details.duration_ms,
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
