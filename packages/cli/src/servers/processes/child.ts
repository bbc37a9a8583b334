/** The composition root of one agent process under a supervisor. It takes its settings from the supervisor and lives no longer. */

import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type { FromProcess, ToProcess } from './messages.ts';

enableCompileCache(join(import.meta.dirname, '../../../../../node_modules/.cache/weir'));

/** Without a supervisor there is nobody to say how long clients may take to move on, and whoever starts next wants the ports. */
const orphanStopMs = 5_000;

const stop = new AbortController();
let isOrphan = false;
let isRunning = false;

/** As long as the rest is being loaded, there is nothing to finish. */
function stopAgent(): void {
  if (!isRunning) process.exit(0);
  stop.abort();
}

// Ctrl-C goes to all processes of a terminal at once, and so does the signal of some service managers. The supervisor says `stop` as
// well; how often it is said makes no difference.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stopAgent);
process.on('disconnect', () => {
  isOrphan = true;
  stopAgent();
  // What hangs on the store or on a client must not keep an orphan alive.
  void import('@weir/core').then(({ systemClock }) =>
    systemClock.after(2 * orphanStopMs, () => process.exit(1)),
  );
});
// The pipe for the log breaks when the supervisor is killed. There is nobody left to tell.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

process.on('message', (message: ToProcess) => {
  if (message.kind === 'stop') stopAgent();
  else void run(message);
});

async function run({ values, place }: Extract<ToProcess, { kind: 'start' }>): Promise<void> {
  // Loaded late, so that a signal, or a supervisor that goes away, is noticed meanwhile.
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
        httpPort: place.httpPort,
        internalTLSPort: portOf(values.internalTLSPort, place.number - 1),
      },
      agentId: place.agentId,
      // One event loop uses one processor, so that everything that is meant per processor is meant per process.
      cpuCount: 1,
      onReady: (ports) => tell({ kind: 'ready', ports }),
      stopDeadlineMs: () => (isOrphan ? orphanStopMs : values.gracefulShutdownDuration),
      stop: stop.signal,
      clock: systemClock,
      environment: systemEnvironment,
      log,
    });
  } catch (error) {
    status = 1;
    log.error('failed to run agent process', { error: error instanceof Error ? error.stack : String(error) });
    await tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
  process.exit(status);
}

function tell(message: FromProcess): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send!(message, () => resolve());
    else resolve();
  });
}
