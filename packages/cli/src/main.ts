/**
 * The composition root: the only place that accesses the arguments, the streams, the signals and the exit status of the
 * process.
 */

import { once } from 'node:events';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/** Commands that serve until they are stopped, so being stopped is a success. */
const servers: readonly string[] = ['local', 'playground', 'demo', 'agent', 'control-plane', 'metrics'];

// The first signal asks the command to stop, the second ends the process at once. Installed first, because loading the
// rest takes seconds on a busy machine. Before a command runs, there is nothing to finish.
const stop = new AbortController();
let isRunning = false;
for (const [signal, status] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    if (!isRunning) process.exit(servers.includes(process.argv[2] ?? '') ? 0 : status);
    if (stop.signal.aborted) process.exit(status);
    stop.abort();
  });
}

// Type stripping and compiling take most of the time of a short command, and are needed only once per change of a file.
// If the directory is not writable, Node continues without the cache.
enableCompileCache(join(import.meta.dirname, '../../../node_modules/.cache/weir'));
const { systemClock, systemEnvironment } = await import('@weir/core');
const { loopTurn } = await import('./loop-turn.ts');
await loopTurn(systemClock);
const { run } = await import('./run.ts');
const { hasColours } = await import('./results/style.ts');
await loopTurn(systemClock);

// A reader that closes the pipe early, as `head` does, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

/** Standard input, which ends when the command is stopped. The stream is not touched before the first read. */
async function* standardInput(): AsyncGenerator<Uint8Array, void, undefined> {
  stop.signal.addEventListener('abort', () => process.stdin.destroy());
  try {
    for await (const chunk of process.stdin) yield chunk as Buffer;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  }
}

isRunning = true;
process.exitCode = await run(process.argv.slice(2), {
  environment: systemEnvironment,
  output: {
    out: (text) => process.stdout.write(text),
    outBytes: (bytes) => process.stdout.write(bytes),
    err: (text) => process.stderr.write(text),
    isTerminal: process.stdout.isTTY === true,
    isErrTerminal: process.stderr.isTTY === true && systemEnvironment.TERM !== 'dumb',
    colours: {
      out: hasColours(systemEnvironment, process.stdout.isTTY === true),
      err: hasColours(systemEnvironment, process.stderr.isTTY === true),
    },
    async drained() {
      if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
    },
  },
  input: standardInput(),
  clock: systemClock,
  stop: stop.signal,
});

// Unfinished work of a stopped command, or of a server that failed to start, must not keep the process alive.
if (stop.signal.aborted || servers.includes(process.argv[2] ?? '')) process.exit();
