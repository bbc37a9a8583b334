import { type Clock, Semaphore } from '@weir/core';
import { brokerLimits } from '../limits.ts';
import { type ConnectionBudget, TurnBudget } from './inflation-budget.ts';

/** Identifies a client connection. */
export interface InflatingConnection {
  readonly closed: AbortSignal;
  readonly clock: Clock;
}

interface ConnectionInflationLimits {
  /** Capacity and fill rate of the token bucket of a connection. */
  readonly bytesMax: number;
  readonly bytesPerSecondMax: number;
}

const usualLimits: ConnectionInflationLimits = {
  bytesMax: brokerLimits.inflatedConnectionBytesMax,
  bytesPerSecondMax: brokerLimits.inflatedConnectionBytesPerSecondMax,
};

/**
 * Limits what clients make an agent inflate, for all APIs: per event-loop turn, in parallel off the serving thread, and
 * per connection.
 */
export class ClientInflation {
  readonly turn = new TurnBudget();
  readonly #places = new Semaphore({ permits: brokerLimits.offThreadInflationsMax });
  readonly #connections = new WeakMap<AbortSignal, ConnectionInflation>();
  readonly #limits: ConnectionInflationLimits;

  constructor(limits: ConnectionInflationLimits = usualLimits) {
    this.#limits = limits;
  }

  of({ closed, clock }: InflatingConnection): ConnectionInflation {
    const known = this.#connections.get(closed);
    if (known !== undefined) return known;
    const connection = new ConnectionInflation(this.#places, clock, this.#limits);
    this.#connections.set(closed, connection);
    return connection;
  }
}

/**
 * Limits what one connection makes an agent inflate. Up to 32 times the received bytes is free, which covers real data
 * and makes the work proportional to the traffic. The excess is taken from a token bucket: while it is empty, the next
 * batch of the connection waits, and with it the requests that the client sent after it. No batch is refused.
 */
export class ConnectionInflation implements ConnectionBudget {
  readonly #places: Semaphore;
  readonly #clock: Clock;
  readonly #limits: ConnectionInflationLimits;
  #bytesLeft: number;
  #filledMs: number;
  #last: Promise<void> = Promise.resolve();

  constructor(places: Semaphore, clock: Clock, limits: ConnectionInflationLimits) {
    this.#places = places;
    this.#clock = clock;
    this.#limits = limits;
    this.#bytesLeft = limits.bytesMax;
    this.#filledMs = clock.monotonicMs();
  }

  /** Whether the next batch has to wait. */
  get isSpent(): boolean {
    return this.#fill() <= 0;
  }

  /** May overdraw the bucket: the inflated size is known only afterwards. */
  spend(inflatedBytes: number, compressedBytes: number): void {
    const excessBytes = inflatedBytes - brokerLimits.inflatedRequestTimesMax * compressedBytes;
    if (excessBytes > 0) this.#bytesLeft = this.#fill() - excessBytes;
  }

  /**
   * Inflates a batch off the serving thread, after earlier batches of the connection, once the bucket is not empty and
   * a permit is free.
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    try {
      await before;
      for (let waitMs = this.#waitMs(); waitMs > 0; waitMs = this.#waitMs())
        await new Promise<void>((ready) => void this.#clock.after(waitMs, ready));
      return await this.#places.run(work);
    } finally {
      resolve();
    }
  }

  #waitMs(): number {
    const bytesLeft = this.#fill();
    return bytesLeft > 0 ? 0 : 1 + (1000 * -bytesLeft) / this.#limits.bytesPerSecondMax;
  }

  #fill(): number {
    const nowMs = this.#clock.monotonicMs();
    const { bytesMax, bytesPerSecondMax } = this.#limits;
    const filledBytes = ((nowMs - this.#filledMs) * bytesPerSecondMax) / 1000;
    this.#filledMs = nowMs;
    this.#bytesLeft = Math.min(bytesMax, this.#bytesLeft + filledBytes);
    return this.#bytesLeft;
  }
}
