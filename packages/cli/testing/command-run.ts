import { type Clock, type Environment, systemClock } from '@weir/core';
import type { Deps } from '../src/deps.ts';
import { run } from '../src/run.ts';

export interface RunOptions {
  readonly environment?: Environment;
  /** Standard input. */
  readonly input?: readonly (string | Uint8Array)[];
  readonly clock?: Clock;
  readonly stop?: AbortSignal;
  /** Called with every piece of output. */
  readonly onOut?: (text: string) => void;
  /** Called with every piece of standard error. */
  readonly onErr?: (text: string) => void;
  /** Whether the output is a terminal; false by default. */
  readonly isTerminal?: boolean;
  /** Whether standard error is a terminal; false by default. */
  readonly isErrTerminal?: boolean;
  readonly hasColours?: boolean;
}

/** A clock that advances by a fixed step at every read, so that timeouts expire after a known number of reads. */
export function leapingClock(stepMs: number): Clock {
  let nowMs = 0;
  return {
    ...systemClock,
    monotonicMs() {
      nowMs += stepMs;
      return nowMs;
    },
  };
}

/** Runs a command line in this process and returns what the user would see. */
export async function runArguments(argv: readonly string[], options: RunOptions = {}) {
  const written = { out: '', err: '' };
  const deps: Deps = {
    environment: options.environment ?? {},
    output: {
      out(text) {
        written.out += text;
        options.onOut?.(text);
      },
      err(text) {
        written.err += text;
        options.onErr?.(text);
      },
      isTerminal: options.isTerminal ?? false,
      isErrTerminal: options.isErrTerminal ?? false,
      colours: { out: options.hasColours ?? false, err: options.hasColours ?? false },
      async drained() {},
    },
    input: inputOf(options.input ?? []),
    clock: options.clock ?? systemClock,
    stop: options.stop ?? new AbortController().signal,
  };
  const status = await run(argv, deps);
  return { status, ...written };
}

/** Like `runArguments`, for a line whose words contain no spaces. */
export function runLine(line: string, options: RunOptions = {}) {
  return runArguments(line.split(' ').filter(Boolean), options);
}

async function* inputOf(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk as string);
}
