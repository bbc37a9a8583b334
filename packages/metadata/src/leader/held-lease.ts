import type { Clock, Log } from '@weir/core';
import { Fenced, type Journal } from '../journal/journal.ts';
import { untilBeatMs } from './beat.ts';
import { leaseMarginShare, type Timing } from './timing.ts';

export interface HeldLeaseOptions {
  readonly journal: Journal;
  readonly epoch: number;
  /** When the lease was asked for, by the monotonic clock; its time counts from there. */
  readonly askedMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing: Timing;
}

/** A lease that is ours: renewed until it is given up, lost, or could not be renewed in time. */
export class HeldLease {
  readonly #options: HeldLeaseOptions;
  #endMs: number;
  #isOver = false;
  #onLost: ((reason: string) => void) | undefined;
  #cancelRenewal = () => {};
  #cancelEnd = () => {};

  constructor(options: HeldLeaseOptions) {
    this.#options = options;
    this.#endMs = this.#endFrom(options.askedMs);
    this.#awaitEnd();
    this.#renewWithNextBeat();
  }

  /** Whether nobody else can have it yet, by our own clock. */
  isValid(): boolean {
    return !this.#isOver && this.#options.clock.monotonicMs() < this.#endMs;
  }

  /** Calls back once when the lease is lost, at once if it is already. */
  onLost(listener: (reason: string) => void): void {
    if (this.#isOver) listener('the lease was lost');
    else this.#onLost = listener;
  }

  /** Renews it no longer. */
  giveUp(): void {
    this.#isOver = true;
    this.#onLost = undefined;
    this.#cancelRenewal();
    this.#cancelEnd();
  }

  #endFrom(askedMs: number): number {
    return askedMs + this.#options.timing.leaseTtlMs * (1 - leaseMarginShare);
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    const onLost = this.#onLost;
    this.giveUp();
    onLost?.(reason);
  }

  /** A renewal moves the end and leaves the timer as it is, which looks again when it is due. */
  #awaitEnd(): void {
    const { clock } = this.#options;
    this.#cancelEnd = clock.after(Math.max(0, this.#endMs - clock.monotonicMs()), () => {
      if (clock.monotonicMs() >= this.#endMs) this.#lose('the lease could not be renewed in time');
      else this.#awaitEnd();
    });
  }

  #renewWithNextBeat(): void {
    const { clock, timing } = this.#options;
    this.#renewAfter(untilBeatMs(clock.monotonicMs(), timing.leaseRenewalMs));
  }

  #renewAfter(delayMs: number): void {
    this.#cancelRenewal = this.#options.clock.after(delayMs, () => this.#renew());
  }

  async #renew(): Promise<void> {
    const { journal, epoch, clock, log, timing } = this.#options;
    // Before it is sent, and so also before it waits to be sent together with others.
    const askedMs = clock.monotonicMs();
    try {
      await journal.renewLease(epoch);
      if (this.#isOver) return;
      this.#endMs = this.#endFrom(askedMs);
      this.#renewWithNextBeat();
    } catch (error) {
      if (this.#isOver) return;
      if (error instanceof Fenced) {
        this.#lose('another process took the lease');
        return;
      }
      log.warn('the lease could not be renewed; trying again', { problem: String(error) });
      this.#renewAfter(timing.retryMs);
    }
  }
}
