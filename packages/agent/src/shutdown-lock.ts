import { type ClusterPort, shutdownLockIntervalMs } from '@weir/cluster';
import type { Clock, Log } from '@weir/core';

interface ShutdownLockOptions {
  readonly port: ClusterPort;
  readonly agentId: string;
  readonly group: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Lets only one agent of a group shut down at a time, so that a rolling restart that is too fast does not stop all of
 * them at once. Waiting is bounded, because orchestrators kill processes that take too long.
 */
export class ShutdownLock {
  readonly #options: ShutdownLockOptions;
  #cancel: (() => void) | undefined;
  #isReleased = false;

  constructor(options: ShutdownLockOptions) {
    this.#options = options;
  }

  /** Waits until the agent has the lock, at most `waitMsMax`; it may stop in either case. */
  async take(waitMsMax: number): Promise<void> {
    const { clock, log } = this.#options;
    const endMs = clock.monotonicMs() + waitMsMax;
    let hasWaited = false;
    while (!(await this.#request(false))) {
      const leftMs = endMs - clock.monotonicMs();
      if (leftMs <= 0) {
        log.warn('stopped waiting for the shutdown lock of the agent group', { waitedMs: waitMsMax });
        return;
      }
      if (!hasWaited) log.info('started waiting for the shutdown lock of the agent group');
      hasWaited = true;
      await new Promise<void>((resolve) => clock.after(Math.min(shutdownLockIntervalMs, leftMs), resolve));
    }
    this.#scheduleRenewal();
  }

  /** Lets the next agent stop. */
  async release(): Promise<void> {
    const { port, agentId } = this.#options;
    this.#isReleased = true;
    this.#cancel?.();
    // If the call fails, the lock ends with its lease.
    await port.unlockShutdown(agentId).catch(() => undefined);
  }

  #scheduleRenewal(): void {
    this.#cancel = this.#options.clock.after(shutdownLockIntervalMs, () => {
      void this.#request(true).then(() => {
        if (!this.#isReleased) this.#scheduleRenewal();
      });
    });
  }

  async #request(hasIt: boolean): Promise<boolean> {
    const { port, agentId, group, log } = this.#options;
    try {
      return await port.lockShutdown({ agentId, group, hasIt });
    } catch (error) {
      log.debug('failed to request shutdown lock', { error: String(error) });
      return false;
    }
  }
}
