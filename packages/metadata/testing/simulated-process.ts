import type { Clock, Random } from '@weir/core';
import type { Journal } from '@weir/journal';

export interface Faults {
  /** The probability that a call fails before it reaches the database. */
  readonly refuse: number;
  /** The probability that a call is executed and its answer lost. */
  readonly loseAnswer: number;
  /** The maximum delay of a call, each way. */
  readonly delayMsMax: number;
}

export const noFaults: Faults = { refuse: 0, loseAnswer: 0, delayMsMax: 0 };

/**
 * A process that can be paused and killed between any two steps. While it is paused time continues, and its timers and
 * the answers to its calls wait; what it has already sent arrives. When it is killed nothing ever returns.
 */
export class SimulatedProcess {
  readonly #world: Clock;
  readonly #random: Random;
  #state: 'runs' | 'paused' | 'killed' = 'runs';
  #deferred: (() => void)[] = [];
  readonly #timers = new Set<() => void>();
  faults = noFaults;
  /** The calls that the database executed. */
  appendCount = 0;
  snapshotCount = 0;

  constructor(world: Clock, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  get isAlive(): boolean {
    return this.#state !== 'killed';
  }

  readonly clock: Clock = {
    nowMs: () => this.#world.nowMs(),
    monotonicMs: () => this.#world.monotonicMs(),
    after: (delayMs, run) => {
      let isCancelled = false;
      const cancelInWorld = this.#world.after(delayMs, () => {
        this.#timers.delete(cancel);
        this.whenRunning(() => {
          if (!isCancelled) run();
        });
      });
      const cancel = () => {
        isCancelled = true;
        this.#timers.delete(cancel);
        cancelInWorld();
      };
      this.#timers.add(cancel);
      return cancel;
    },
  };

  pause(): void {
    if (this.#state === 'runs') this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'runs';
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const run of deferred) this.whenRunning(run);
  }

  kill(): void {
    this.#state = 'killed';
    this.#deferred = [];
    for (const cancel of this.#timers) cancel();
  }

  /** The journal as this process reaches it. */
  journal(real: Journal): Journal {
    return {
      append: (epoch, firstPosition, entries) =>
        this.#call(async () => {
          await real.append(epoch, firstPosition, entries);
          this.appendCount++;
        }),
      head: () => this.#call(() => real.head()),
      read: (fromPosition, limit) => this.#call(() => real.read(fromPosition, limit)),
      saveSnapshot: (position, slices) =>
        this.#call(async () => {
          const bytes = await real.saveSnapshot(position, slices);
          this.snapshotCount++;
          return bytes;
        }),
      loadSnapshot: (positionMax) => this.#call(() => real.loadSnapshot(positionMax)),
      openSnapshot: (positionMax) => this.#call(() => real.openSnapshot(positionMax)),
      snapshotPosition: () => this.#call(() => real.snapshotPosition()),
      acquireLease: (holder, ttlMs, graceMs) => this.#call(() => real.acquireLease(holder, ttlMs, graceMs)),
      renewLease: (epoch) => this.#call(() => real.renewLease(epoch)),
      releaseLease: (epoch) => this.#call(() => real.releaseLease(epoch)),
      leaveNote: (epoch, note) => this.#call(() => real.leaveNote(epoch, note)),
      readNote: () => this.#call(() => real.readNote()),
      watch: (onNews) => real.watch(() => this.whenRunning(onNews)),
    };
  }

  async #call<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#delay();
    if (this.#chance(this.faults.refuse))
      return this.#answer(Promise.reject(new Error('connection refused')));
    const result = work();
    const isLost = this.#chance(this.faults.loseAnswer);
    await result.catch(() => {});
    await this.#delay();
    return this.#answer(isLost ? Promise.reject(new Error('connection reset')) : result);
  }

  #answer<Result>(result: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      result.then(
        (value) => this.whenRunning(() => resolve(value)),
        (error) => this.whenRunning(() => reject(error)),
      );
    });
  }

  #delay(): Promise<void> | undefined {
    if (this.faults.delayMsMax === 0) return undefined;
    return new Promise((resolve) => {
      this.#world.after(this.#random.below(this.faults.delayMsMax + 1), resolve);
    });
  }

  /** Delivers an input from outside the process. */
  whenRunning(run: () => void): void {
    if (this.#state === 'runs') run();
    else if (this.#state === 'paused') this.#deferred.push(run);
  }

  #chance(probability: number): boolean {
    return probability > 0 && this.#random.next() < probability;
  }
}
