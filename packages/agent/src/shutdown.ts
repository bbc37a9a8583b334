import type { AgentOptions } from './agent-options.ts';
import type { Readiness } from './readiness/readiness.ts';
import { ShutdownLock } from './shutdown-lock.ts';
import { leaveMsMax, within } from './start-and-stop.ts';
import type { StopDeadline } from './stop-deadline.ts';

interface Shutdown {
  readonly options: Pick<AgentOptions, 'cluster' | 'agentId' | 'group' | 'clock' | 'log' | 'locksShutdown'>;
  readonly readiness: Readiness;
  readonly stop: StopDeadline;
  readonly running: AsyncDisposable;
  readonly deadlineMs: number;
  /** How long it waits for agents of its group that stop. */
  readonly lockMsMax: number;
}

/** Stops all components of an agent, if it locks its shutdown not at the same time as others of its group. */
export async function shutDown({ options, readiness, stop, running, deadlineMs, lockMsMax }: Shutdown) {
  const { cluster: port, agentId, group, clock, log } = options;
  stop.set(deadlineMs);
  readiness.stop();
  const lock = options.locksShutdown ? new ShutdownLock({ port, agentId, group, clock, log }) : undefined;
  await lock?.take(lockMsMax);
  await running[Symbol.asyncDispose]();
  if (lock !== undefined) await within(clock, leaveMsMax, lock.release());
}
