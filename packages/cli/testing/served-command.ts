import assert from 'node:assert/strict';
import type { Clock } from '@weir/core';
import { runArguments } from './command-run.ts';

/** Everything that the test starts; stopped in reverse order. */
export function runningIn(t: { after(cleanUp: () => Promise<void>): void }): AsyncDisposableStack {
  const running = new AsyncDisposableStack();
  t.after(() => running.disposeAsync());
  return running;
}

interface ServeOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

/** Runs a server in this process until the test ends. Returns a function that finds a text in what it printed. */
export async function serve(
  running: AsyncDisposableStack,
  argv: readonly string[],
  isReady: RegExp,
  options: ServeOptions = {},
): Promise<(pattern: RegExp) => string> {
  const stop = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let printed = '';
  const ended = runArguments([...argv, '-logLevel', 'error'], {
    ...options,
    stop: stop.signal,
    onOut(text) {
      printed += text;
      if (isReady.test(printed)) resolve();
    },
  });
  ended.then(({ err }) => reject(new Error(`it has ended: ${err}`)), reject);
  running.defer(async () => {
    stop.abort();
    await ended;
  });
  await promise;
  return (pattern) => pattern.exec(printed)?.[1] ?? assert.fail(`${pattern} in ${printed}`);
}
