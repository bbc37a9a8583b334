import { constants, setPriority } from 'node:os';
import { systemClock } from '@weir/core';
import type { FromHost, ToHost } from './host-messages.ts';
import { InstanceFailed, runInThread } from './run-in-thread.ts';
import type { ThreadStart } from './thread-messages.ts';

/** The process that has the threads of pipelines; `PipelineHosts` is its owner. */

interface Running {
  readonly stop: AbortController;
  drainMsMax: number | undefined;
  /** Calls of `take` that wait, the oldest first. */
  readonly waiting: (() => void)[];
}

const running = new Map<number, Running>();
const send = (message: FromHost) => {
  if (process.connected) process.send!(message, () => {});
};

// Clients of the agent come first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

process.on('message', (message: ToHost) => {
  if (message.kind === 'start') void run(message.id, message.start);
  else if (message.kind === 'stop') stop(message.id, message.drainMsMax);
  else running.get(message.id)?.waiting.shift()?.();
});
// Without its agent it has nothing to do.
process.on('disconnect', () => process.exit());

function stop(id: number, drainMsMax: number | undefined): void {
  const instance = running.get(id);
  if (instance === undefined) return;
  instance.drainMsMax = drainMsMax;
  instance.stop.abort();
}

async function run(id: number, start: ThreadStart): Promise<void> {
  const instance: Running = { stop: new AbortController(), drainMsMax: undefined, waiting: [] };
  running.set(id, instance);
  try {
    await runInThread(start, {
      clock: systemClock,
      signal: instance.stop.signal,
      drainMsMax: () => instance.drainMsMax,
      onLog: (level, message, fields) => send({ kind: 'log', id, level, message, fields }),
      onCounts: (counts) => send({ kind: 'counts', id, counts }),
      take: (bytes) =>
        new Promise((resolve) => {
          instance.waiting.push(resolve);
          send({ kind: 'take', id, bytes });
        }),
    });
    send({ kind: 'ended', id });
  } catch (error) {
    const { message } = error as Error;
    const needsOperator = error instanceof InstanceFailed && error.needsOperator;
    send({ kind: 'failed', id, message, needsOperator });
  } finally {
    running.delete(id);
  }
}
