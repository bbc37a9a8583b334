import { type Clock, Semaphore } from '@weir/core';
import { agentLimits } from '../limits.ts';
import { type ConnectionBudget, TurnBudget } from './inflation-budget.ts';

/** What tells the connections of clients from each other. */
export interface InflatingConnection {
  readonly closed: AbortSignal;
  readonly clock: Clock;
}

interface ConnectionInflationLimits {
  /** What the bucket of a connection holds, and how fast it fills. */
  readonly bytesMax: number;
  readonly bytesPerSecondMax: number;
}

const usualLimits: ConnectionInflationLimits = {
  bytesMax: agentLimits.inflatedConnectionBytesMax,
  bytesPerSecondMax: agentLimits.inflatedConnectionBytesPerSecondMax,
};

/** What clients make an agent inflate, whatever they ask for: limited per turn, in threads, and per connection. */
export class ClientInflation {
  readonly turn = new TurnBudget();
  readonly #places = new Semaphore({ permits: agentLimits.offThreadInflationsMax });
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
 * What one connection makes an agent inflate. Up to 32 times of what a client sent is free, which covers real data, so that the work grows with
 * the bytes that came. What goes beyond is taken from a bucket that fills up with time: when it is empty, the next batch of the connection waits,
 * and with it what the client sent behind it. No batch is refused for it.
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

  /** May take more than there is: how far a batch inflates is known only afterwards. */
  spend(inflatedBytes: number, compressedBytes: number): void {
    const excessBytes = inflatedBytes - agentLimits.inflatedRequestTimesMax * compressedBytes;
    if (excessBytes > 0) this.#bytesLeft = this.#fill() - excessBytes;
  }

  /** Inflates a batch off the serving thread: behind those that came before on the connection, when the bucket is not empty and a place is free. */
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
