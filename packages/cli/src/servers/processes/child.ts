/**
 * The composition root of one agent process under a supervisor. It gets its settings from the supervisor and ends with
 * it.
 */

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type { FromProcess, ToProcess } from './messages.ts';

enableCompileCache(join(import.meta.dirname, '../../../../../node_modules/.cache/weir'));

/** Without a supervisor the configured deadline is unknown, and the next agent needs the ports. */
const orphanStopMs = 5_000;

const stop = new AbortController();
let isOrphan = false;
let isRunning = false;

/** While modules are still loading, there is nothing to finish. */
function stopAgent(): void {
  if (!isRunning) process.exit(0);
  stop.abort();
}

// Ctrl-C reaches all processes of a terminal at once, and so does the signal of some service managers. The supervisor
// sends `stop` as well; repeated stops have no effect.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stopAgent);
process.on('disconnect', () => {
  isOrphan = true;
  stopAgent();
  // A hanging store or client must not keep an orphan alive.
  void import('@weir/core').then(({ systemClock }) =>
    systemClock.after(2 * orphanStopMs, () => process.exit(1)),
  );
});
// The log pipe breaks when the supervisor is killed; no reader is left.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.on('message', (message: ToProcess) => {
  if (message.kind === 'stop') stopAgent();
  else void run(message);
});

async function run({ values, place }: Extract<ToProcess, { kind: 'start' }>): Promise<void> {
  // Imported late, so that a signal or the end of the supervisor is noticed meanwhile.
  const { jsonLog, systemClock, systemEnvironment } = await import('@weir/core');
  const { loopTurn } = await import('../../loop-turn.ts');
  await loopTurn(systemClock);
  const { runAgent } = await import('../run-agent.ts');
  const { portOf } = await import('../../rules/processes.ts');
  const log = jsonLog(
    { level: values.logLevel, nowMs: systemClock.nowMs, write: (line) => process.stderr.write(`${line}\n`) },
    { agentId: place.agentId },
  );
  await loopTurn(systemClock);
  let status = 0;
  isRunning = true;
  try {
    await runAgent({
      values: {
        ...values,
        kafkaPort: place.kafkaPort,
        schemaRegistryPort: place.registryPort,
        tableflowInternalHTTPPort: place.tablesPort,
        httpPort: place.httpPort,
        internalTLSPort: portOf(values.internalTLSPort, place.number - 1),
      },
      agentId: place.agentId,
      // One event loop uses one core, so per-core settings apply per process.
      cpuCount: 1,
      onReady: (ports) => send({ kind: 'ready', ports }),
      stopDeadlineMs: () => (isOrphan ? orphanStopMs : values.gracefulShutdownDuration),
      stop: stop.signal,
      clock: systemClock,
      environment: systemEnvironment,
      log,
    });
  } catch (error) {
    status = 1;
    log.error('failed to run agent process', { error: error instanceof Error ? error.stack : String(error) });
    await send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
  process.exit(status);
}

function send(message: FromProcess): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send!(message, () => resolve());
    else resolve();
  });
}
