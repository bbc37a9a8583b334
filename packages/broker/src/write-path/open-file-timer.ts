import type { Clock } from '@weir/core';
import { closeTimeMs, countLarge, FileAllowance, RecentRate } from './close-time.ts';
import type { DataFile, FlushLimits } from './data-file.ts';
import { committedFilePace, FilePace, filePace } from './file-pace.ts';
import type { OutstandingAppends } from './outstanding-appends.ts';

interface OpenFileTimerOptions {
  readonly clock: Clock;
  readonly flush: FlushLimits;
  /** Requests of all clients that wait for their answers. */
  readonly outstanding: OutstandingAppends;
  /** Whether files are stored by their commits. */
  readonly areCommits: () => boolean;
  readonly onDue: () => void;
}

/** Knows when the open file is due, which may change with every request that comes and every answer that goes. */
export class OpenFileTimer {
  readonly #options: OpenFileTimerOptions;
  readonly #pace: FilePace;
  readonly #rate = new RecentRate();
  readonly #allowance: FileAllowance;
  #lastClosedMs = Number.NEGATIVE_INFINITY;
  #isDue = false;
  /** Whether the open file waits for requests that clients may still send. */
  #isGathering = false;
  /** Whether it waits although every client seems to wait for an answer. */
  #isTrial = false;
  #cancel: (() => void) | undefined;
  /** When the open file is due, if a timer waits for that. */
  #dueMs: number | undefined;

  constructor(options: OpenFileTimerOptions) {
    this.#options = options;
    this.#allowance = new FileAllowance(options.flush);
    this.#pace = new FilePace(() => (options.areCommits() ? committedFilePace : filePace));
  }

  get isDue(): boolean {
    return this.#isDue;
  }

  /** Whether the open file, which is not due yet, is worth waiting for: clients may send more. */
  get waitsForClients(): boolean {
    return this.#isGathering && (this.#isTrial || this.#options.outstanding.mayGrow());
  }

  /** A file that is opened soon after another, with none in flight, waits briefly or until no client can send more. */
  keepPace(nowMs: number): void {
    const { dueMs } = this.#pace;
    if (dueMs <= nowMs) return;
    this.#isGathering = true;
    this.#isTrial = this.#options.outstanding.beginTrial();
    this.#dueAt(dueMs);
  }

  /**
   * Where the store charges per request: decides anew when the file is due, after it got a request or clients were
   * answered.
   */
  waitForMore(file: DataFile, uploadMs: number): void {
    const { clock, flush } = this.#options;
    const nowMs = clock.monotonicMs();
    file.quietSinceMs = nowMs;
    const { openedMs, bytes, clients, stall } = file;
    const bytesPerMs = this.#rate.bytesPerMs(nowMs, bytes);
    const requests = file.appends.length;
    const largeRequests = countLarge(file, flush);
    const open = {
      openedMs,
      bytes,
      clients,
      requests,
      largeRequests,
      quietSinceMs: nowMs,
      stall,
      bytesPerMs,
      uploadMs,
    };
    const dueMs = closeTimeMs(open, this.#lastClosedMs, flush, this.#allowance.allowedMs);
    if (dueMs <= nowMs) this.#isDue = true;
    else this.#dueAt(dueMs);
  }

  /**
   * Where the store does not charge per request, and no file is in flight: clients with several requests in flight send
   * the next one when one is answered. Without a short wait, clients that were just answered would always miss the file
   * that is about to close, and every file would be half as full as it could be.
   */
  waitForAnswered(): void {
    this.#isGathering = true;
    this.#dueAt(this.#pace.dueMsAfterAnswers(this.#options.clock.monotonicMs()));
  }

  /** The open file is due at a time; if that is over, it is for the caller to know. */
  waitUntil(dueMs: number): void {
    if (dueMs > this.#options.clock.monotonicMs()) this.#dueAt(dueMs);
  }

  #dueAt(dueMs: number): void {
    const { clock, onDue } = this.#options;
    if (dueMs === this.#dueMs) return;
    this.#cancel?.();
    this.#dueMs = dueMs;
    this.#cancel = clock.after(dueMs - clock.monotonicMs(), () => {
      this.#dueMs = undefined;
      this.#isDue = true;
      onDue();
    });
  }

  /** Called when there is no open file any more. */
  reset(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueMs = undefined;
    this.#isDue = false;
    this.#isGathering = false;
    this.#isTrial = false;
  }

  closed({ bytes, closedMs }: DataFile): void {
    this.#lastClosedMs = closedMs;
    this.#allowance.closed(closedMs);
    this.#pace.closed(closedMs);
    this.#rate.add(bytes, closedMs);
  }

  committed({ closedMs, fileBytes }: DataFile): void {
    this.#pace.committed(this.#options.clock.monotonicMs() - closedMs, fileBytes);
  }
}
