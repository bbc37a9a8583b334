import type { Clock } from '@weir/core';
import { pipelineLimits } from '../limits.ts';
import type { CountedMetrics } from './counted-metrics.ts';
import type { FromThread } from './thread-messages.ts';

/** Of a runtime with `--expose-gc`. */
type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Says regularly what was counted, and that the thread lives. A pipeline that has nothing to do says that more seldom,
 * and gives back the memory that its work or its start left behind.
 */
export class Beats {
  readonly #clock: Clock;
  readonly #counts: CountedMetrics;
  readonly #post: (message: FromThread) => void;
  readonly #collect: Collect | undefined;
  #isIdle = false;
  /** When it became idle, until its memory was given back. */
  #idleSinceMs: number | undefined;
  #cancel = () => {};

  constructor(
    clock: Clock,
    counts: CountedMetrics,
    post: (message: FromThread) => void,
    collect = (globalThis as { readonly gc?: Collect }).gc,
  ) {
    this.#clock = clock;
    this.#counts = counts;
    this.#post = post;
    this.#collect = collect;
  }

  begin(): void {
    this.#idleSinceMs = this.#clock.monotonicMs();
    this.#after(pipelineLimits.beatMs);
  }

  /** Something was counted. The owner of an idle thread learns of it at once, and looks at its memory again. */
  busy(): void {
    if (!this.#isIdle) return;
    this.#isIdle = false;
    this.#post({ kind: 'beat', isIdle: false });
    this.#cancel();
    this.#after(pipelineLimits.beatMs);
  }

  end(): void {
    this.#cancel();
    this.#post({ kind: 'beat', isIdle: false, counts: this.#counts.take() });
  }

  #beat(): void {
    this.#isIdle = this.#counts.isEmpty;
    this.#post({ kind: 'beat', isIdle: this.#isIdle, counts: this.#counts.take() });
    this.#giveBack();
    this.#after(this.#isIdle ? pipelineLimits.idleBeatMs : pipelineLimits.beatMs);
  }

  #giveBack(): void {
    const nowMs = this.#clock.monotonicMs();
    if (!this.#isIdle) this.#idleSinceMs = nowMs;
    else if (this.#idleSinceMs !== undefined && nowMs - this.#idleSinceMs >= pipelineLimits.idleMemoryMs) {
      this.#idleSinceMs = undefined;
      this.#collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    }
  }

  #after(ms: number): void {
    this.#cancel = this.#clock.after(ms, () => this.#beat());
  }
}
