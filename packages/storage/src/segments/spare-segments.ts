import { statfs } from 'node:fs/promises';
import type { Clock, Log } from '@weir/core';
import { SpareSegment } from './spare-segment.ts';

interface SpareSegmentsDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly folder: string;
  readonly segmentBytes: number;
  /** Whether one of which this share is prepared has to wait for frames that are being written. */
  readonly mustWait: (share: number) => boolean;
  /** Returns the path of a segment that does not exist. */
  readonly newPath: () => string;
  /** Makes the names of segments durable. */
  readonly syncNames: () => Promise<void>;
  readonly onReady: (path: string) => void;
}

/** None is prepared on a disk with less space than for so many: zeros must not be what fills it. */
const freeSegmentsMin = 16;

/** How long none is prepared after a failure. */
const pauseMs = 60_000;

/** Prepares segments one after the other. */
export class SpareSegments {
  readonly #deps: SpareSegmentsDeps;
  #preparing: Promise<void> | undefined;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #onPause: (() => void) | undefined;
  #isClosed = false;

  constructor(deps: SpareSegmentsDeps) {
    this.#deps = deps;
  }

  /** Prepares one, unless that is under way or failed lately. */
  begin(): void {
    if (this.#preparing !== undefined || this.#isClosed) return;
    if (this.#deps.clock.monotonicMs() < this.#pausedUntilMs) return;
    this.#preparing = this.#prepare()
      .catch((error: unknown) => this.#failed(error))
      .then(() => {
        this.#preparing = undefined;
      });
  }

  /** Called when a frame was written. */
  resume(): void {
    this.#onPause?.();
    this.#onPause = undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.resume();
    await this.#preparing;
  }

  async #prepare(): Promise<void> {
    const { folder, segmentBytes, mustWait, newPath, syncNames, onReady } = this.#deps;
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < freeSegmentsMin * segmentBytes) throw new Error('little space is left');
    const segment = await SpareSegment.create(newPath(), segmentBytes);
    try {
      while (segment.share < 1 && !this.#isClosed) {
        if (mustWait(segment.share)) await new Promise<void>((resolve) => (this.#onPause = resolve));
        else await segment.writeOn();
      }
      if (this.#isClosed) {
        await segment.abandon();
        return;
      }
      await segment.finish();
    } catch (error) {
      await segment.abandon().catch(() => undefined);
      throw error;
    }
    await syncNames();
    onReady(segment.path);
  }

  #failed(error: unknown): void {
    const { clock, log } = this.#deps;
    // Where it never works, segments grow as they are written.
    this.#pausedUntilMs = clock.monotonicMs() + pauseMs;
    log.debug('failed to prepare segment', { error: String(error) });
  }
}
