import { componentOf } from '../component/component-spec.ts';
import { bytes, durationMs, int } from '../component/field-types.ts';
import type { RateLimit } from '../component/instances.ts';

interface Options {
  /** 0 is any number. */
  readonly count: number;
  readonly byteCount: number;
  readonly intervalMs: number;
}

/** So many messages and bytes in each interval. */
class LocalRateLimit implements RateLimit {
  readonly #options: Options;
  readonly #monotonicMs: () => number;
  #beganMs: number;
  #taken = 0;
  #takenBytes = 0;

  constructor(options: Options, monotonicMs: () => number) {
    this.#options = options;
    this.#monotonicMs = monotonicMs;
    this.#beganMs = monotonicMs();
  }

  async take(byteCount = 0): Promise<number> {
    const { count, byteCount: bytesMax, intervalMs } = this.#options;
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#beganMs >= intervalMs) {
      this.#beganMs = nowMs;
      this.#taken = 0;
      this.#takenBytes = 0;
    }
    const isOver =
      (count > 0 && this.#taken >= count) ||
      // A message that is larger than the limit passes alone: it would wait without end.
      (bytesMax > 0 && this.#takenBytes > 0 && this.#takenBytes + byteCount > bytesMax);
    if (isOver) return this.#beganMs + intervalMs - nowMs;
    this.#taken++;
    this.#takenBytes += byteCount;
    return 0;
  }

  async close(): Promise<void> {}
}

const notNegative = (value: number) => (value < 0 ? 'cannot be less than zero' : undefined);

export const local = componentOf('rate_limit', {
  name: 'local',
  about: 'Allows so many messages in an interval, in this instance of the pipeline.',
  fields: {
    count: int('Messages or requests of an interval; 0 is any number.').check(notNegative).or(1_000),
    byte_size: bytes('Bytes of an interval; 0 is any number.').or(0),
    interval: durationMs('The interval.').or('1s'),
  },
  check({ count, byte_size: byteSize }, reading, place) {
    if (count === 0 && byteSize === 0) reading.problem(place, 'count or byte_size has to be more than zero');
  },
  open: ({ count, byte_size: byteCount, interval }, { clock }) =>
    new LocalRateLimit({ count, byteCount, intervalMs: interval ?? 0 }, () => clock.monotonicMs()),
});
