import { type Clock, type Log, Outage } from '@weir/core';
import { Fenced, type Journal } from '@weir/journal';
import { metadataLimits } from '../limits.ts';
import { untilBeatMs } from './beat.ts';
import { leaseMarginShare, type Timing } from './timing.ts';

interface HeldLeaseOptions {
  readonly journal: Journal;
  readonly epoch: number;
  /** When the lease was requested, in monotonic time; its duration counts from there. */
  readonly requestedMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing: Timing;
}

/** Asks whether the database may still serve the cluster. Rejects while the answer is unknown. */
type Confirm = (signal: AbortSignal) => Promise<boolean>;

/** A moment by both clocks: the monotonic one may stand still while the machine is suspended. */
interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** The database serves the cluster no more: the lease is of no use. */
const notGranted = 'another database serves the cluster';

/**
 * The number of checks of a lapsed lease, over the duration of another lease, before it counts as lost. Each check
 * takes at least one turn of the event loop.
 */
const lapsedChecks = 4;

/**
 * A lease that this process holds: renewed until it is released, lost, or could not be renewed in time.
 *
 * ```
 *   valid ──expired──▶ lapsed ──renewal failed, or no answer for one lease time──▶ lost
 *     ▲                  │
 *     └──── renewed ─────┘                       any ──another process took it──▶ lost
 * ```
 *
 * A process whose event loop was blocked finds its lease lapsed although the database is well. Another process may have
 * taken it meanwhile, so nothing is served; but if a renewal still finds the own epoch, then none has, and this process
 * continues. On a database that no other process uses, a busy loop thus costs a moment and never the leadership.
 *
 * The same holds for a database whose disk stalls for a second or two: no other process can take the lease from it
 * either, and releasing and taking it again would make calls wait for several more writes of that disk.
 *
 * After `confirmBy`, a lease is valid only once it was confirmed, and again after it lapsed. Clocks that disagree by a
 * lease or more count as lapsed: the machine may have been suspended.
 */
export class HeldLease {
  readonly #options: HeldLeaseOptions;
  #endMs: number;
  #isOver = false;
  /** Whether the database refused the last renewal. Then the next one is not awaited. */
  #hasFailed = false;
  #onLost: ((reason: string) => void) | undefined;
  #waiting: ((isValid: boolean) => void)[] = [];
  #confirm: Confirm | undefined;
  #isConfirmed = true;
  #isConfirming = false;
  #confirmProblem: string | undefined;
  /** The last moment at which both clocks were compared. */
  #compared: Moment;
  #cancelRenewal = () => {};
  readonly #outage: Outage;
  #cancelEnd = () => {};

  constructor(options: HeldLeaseOptions) {
    this.#options = options;
    this.#outage = new Outage(options.clock, options.timing.retryMs);
    this.#endMs = this.#endFrom(options.requestedMs);
    this.#compared = this.#now();
    this.#awaitEnd();
    this.#renewWithNextBeat();
  }

  /** From now on the lease is valid only while it is confirmed. */
  confirmBy(confirm: Confirm): void {
    this.#confirm = confirm;
    this.#isConfirmed = false;
    this.#compared = this.#now();
    void this.#untilConfirmed();
  }

  /** The reason why it is not confirmed yet, if an attempt failed. */
  get confirmProblem(): string | undefined {
    return this.#confirmProblem;
  }

  /** Whether no other process can have it yet, by our clock, and the database may serve. */
  isValid(): boolean {
    return !this.#isOver && this.#isConfirmed && this.#isCurrent();
  }

  /**
   * Whether an entry that the journal has may be acknowledged. The journal itself refuses entries of a process that
   * lost its lease, but not those of a database that another one has replaced.
   */
  mayAcknowledge(): boolean {
    return this.#confirm === undefined || this.isValid();
  }

  #isCurrent(): boolean {
    return this.#options.clock.monotonicMs() < this.#endMs && !this.#hasJumpedSince(this.#compared);
  }

  #now(): Moment {
    const { clock } = this.#options;
    return { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
  }

  #hasJumpedSince(before: Moment): boolean {
    if (this.#confirm === undefined) return false;
    const { monotonicMs, wallMs } = this.#now();
    const differenceMs = wallMs - before.wallMs - (monotonicMs - before.monotonicMs);
    return Math.abs(differenceMs) >= this.#usableMs;
  }

  get #usableMs(): number {
    return this.#options.timing.leaseTtlMs * (1 - leaseMarginShare);
  }

  /** Whether it is valid and no earlier caller waits for that, so that calls stay in order. */
  isFree(): boolean {
    return this.#waiting.length === 0 && this.isValid();
  }

  /** Calls the listeners in order when it is known whether the lease is still ours. */
  whenKnown(listener: (isValid: boolean) => void): void {
    if (this.#isOver || this.isFree()) listener(!this.#isOver);
    else if (this.#waiting.length >= metadataLimits.waitingCallsMax) listener(false);
    else this.#waiting.push(listener);
  }

  /** Calls the listener once when the lease is lost, at once if it already is. */
  onLost(listener: (reason: string) => void): void {
    if (this.#isOver) listener('lease lost');
    else this.#onLost = listener;
  }

  /** Stops the renewal. */
  giveUp(): void {
    this.#isOver = true;
    this.#onLost = undefined;
    this.#cancelRenewal();
    this.#cancelEnd();
    this.#notifyWaiting();
  }

  #notifyWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const listener of waiting) listener(!this.#isOver);
  }

  #endFrom(requestedMs: number): number {
    return requestedMs + this.#usableMs;
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    const onLost = this.#onLost;
    this.giveUp();
    onLost?.(reason);
  }

  /** A renewal moves the end and leaves the timer, which checks again when it fires. */
  #awaitEnd(): void {
    const { clock } = this.#options;
    this.#cancelEnd = clock.after(Math.max(0, this.#endMs - clock.monotonicMs()), () =>
      this.#checkEnd(lapsedChecks),
    );
  }

  #checkEnd(checksLeft: number): void {
    const { clock, timing } = this.#options;
    if (this.isValid()) this.#awaitEnd();
    else if (this.#hasFailed || (checksLeft === 0 && this.#confirmProblem === undefined))
      this.#lose('lease not renewed in time');
    else if (checksLeft === 0)
      this.#lose(`could not confirm that no other database serves the cluster: ${this.#confirmProblem}`);
    else
      this.#cancelEnd = clock.after(timing.leaseTtlMs / lapsedChecks, () => this.#checkEnd(checksLeft - 1));
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
    // Taken before the call is sent, and so also before it waits to be batched with others.
    const requestedMs = clock.monotonicMs();
    try {
      await journal.renewLease(epoch);
      if (this.#isOver) return;
      this.#hasFailed = false;
      const over = this.#outage.ended();
      if (over !== undefined) log.info('renewed lease after failures', over);
      if (!this.#isCurrent() && this.#confirm !== undefined) this.#isConfirmed = false;
      this.#endMs = this.#endFrom(requestedMs);
      this.#compared = this.#now();
      void this.#untilConfirmed();
      // The answer may have come too late to be of use.
      if (!this.#isCurrent()) {
        this.#renewAfter(0);
        return;
      }
      this.#renewWithNextBeat();
      if (this.isValid()) this.#notifyWaiting();
    } catch (error) {
      if (this.#isOver) return;
      if (error instanceof Fenced) {
        this.#lose('lease taken by another process');
        return;
      }
      this.#hasFailed = true;
      const fields = this.#outage.failed(error);
      if (fields !== undefined) log.warn('failed to renew lease, retrying', fields);
      this.#renewAfter(timing.retryMs);
    }
  }

  /** Asks until it is confirmed, refused or over. An answer from before a pause of this process says nothing. */
  async #untilConfirmed(): Promise<void> {
    const { clock, log, timing } = this.#options;
    const confirm = this.#confirm;
    if (confirm === undefined || this.#isConfirming) return;
    this.#isConfirming = true;
    while (!this.#isOver && !this.#isConfirmed) {
      const started = this.#now();
      const attempt = new AbortController();
      const cancel = clock.after(timing.leaseTtlMs, () =>
        attempt.abort(new Error('there was no response within the duration of a lease')),
      );
      try {
        const isGranted = await confirm(attempt.signal);
        if (this.#isOver) break;
        if (!isGranted) {
          this.#lose(notGranted);
          break;
        }
        if (clock.monotonicMs() - started.monotonicMs >= this.#usableMs || this.#hasJumpedSince(started))
          continue;
        this.#isConfirmed = true;
        this.#confirmProblem = undefined;
        if (this.isValid()) this.#notifyWaiting();
      } catch (error) {
        if (this.#isOver) break;
        this.#confirmProblem = (error as Error).message;
        log.warn('failed to confirm lease, retrying', { error: this.#confirmProblem });
        await new Promise<void>((resolve) => clock.after(timing.retryMs, resolve));
      } finally {
        cancel();
      }
    }
    this.#isConfirming = false;
  }
}
