import type { Clock } from '@weir/core';
import type { Journal } from '../../packages/journal/src/index.ts';
import { type Deps, databaseRegion, delayMs, isLost, type Region } from './deps.ts';

/** When a call fails to which the database gives no answer. */
const unansweredMs = 2_500;

/**
 * A process that can be paused and killed between any two steps. While it is paused, time passes: its timers and
 * incoming messages wait, and messages that it has sent arrive. After a kill, nothing of it continues. Its clocks are
 * independent of those of other processes.
 */
export class SimProcess {
  readonly clock: Clock;
  readonly region: Region;
  readonly #world: Deps;
  #state: 'runs' | 'paused' | 'killed' = 'runs';
  /** Callbacks that wait until the process runs, in order. */
  #waiting: (() => void)[] = [];
  #isCatchingUp = false;

  constructor(world: Deps, region: Region = databaseRegion) {
    this.#world = world;
    this.region = region;
    const wallSkewMs = (world.random.next() - 0.5) * 4_000;
    const monotonicStartMs = world.random.next() * 1e6;
    this.clock = {
      nowMs: () => world.clock.nowMs() + wallSkewMs,
      monotonicMs: () => world.clock.monotonicMs() + monotonicStartMs,
      after: (delayMs, run) => {
        let isCancelled = false;
        const cancel = world.clock.after(delayMs, () => {
          this.whenRunning(() => {
            if (!isCancelled) run();
          });
        });
        return () => {
          isCancelled = true;
          cancel();
        };
      },
    };
  }

  get isAlive(): boolean {
    return this.#state !== 'killed';
  }

  get runs(): boolean {
    return this.#state === 'runs';
  }

  pause(): void {
    if (this.#state === 'runs') this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'runs';
    this.#catchUp();
  }

  kill(): void {
    this.#state = 'killed';
    this.#waiting = [];
  }

  /** Runs a callback in the process: now, when it resumes, or never. */
  whenRunning(run: () => void): void {
    if (this.#state === 'killed') return;
    if (this.#state === 'runs' && this.#waiting.length === 0) {
      run();
      return;
    }
    this.#waiting.push(run);
    this.#catchUp();
  }

  /** Runs callbacks one by one as an event loop does, so that the effects of one happen before the next. */
  #catchUp(): void {
    if (this.#isCatchingUp || this.#state !== 'runs' || this.#waiting.length === 0) return;
    this.#isCatchingUp = true;
    this.#world.clock.after(0, () => {
      this.#isCatchingUp = false;
      if (this.#state !== 'runs') return;
      this.#waiting.shift()?.();
      this.#catchUp();
    });
  }

  /** Delivers the answer to a call that the process made. */
  answer<Result>(result: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      result.then(
        (value) => this.whenRunning(() => resolve(value)),
        (error) => this.whenRunning(() => reject(error)),
      );
    });
  }

  /** Wraps the journal as this process reaches it. */
  journal(real: Journal): Journal {
    const call = <Result>(work: () => Promise<Result>) => this.answer(this.#journalCall(work));
    return {
      append: (epoch, firstPosition, entries) => call(() => real.append(epoch, firstPosition, entries)),
      head: () => call(() => real.head()),
      read: (fromPosition, limit) => call(() => real.read(fromPosition, limit)),
      saveSnapshot: (position, slices) => call(() => real.saveSnapshot(position, slices)),
      loadSnapshot: (positionMax) => call(() => real.loadSnapshot(positionMax)),
      openSnapshot: (positionMax) => call(() => real.openSnapshot(positionMax)),
      snapshotPosition: () => call(() => real.snapshotPosition()),
      acquireLease: (holder, ttlMs, graceMs) => call(() => real.acquireLease(holder, ttlMs, graceMs)),
      renewLease: (epoch) => call(() => real.renewLease(epoch)),
      releaseLease: (epoch) => call(() => real.releaseLease(epoch)),
      leaveNote: (epoch, note) => call(() => real.leaveNote(epoch, note)),
      readNote: () => call(() => real.readNote()),
      watch: (onNews) => real.watch(() => this.whenRunning(onNews)),
    };
  }

  async #journalCall<Result>(work: () => Promise<Result>): Promise<Result> {
    const { random, faults, tally } = this.#world;
    await this.#onItsWay();
    if (this.#isCutOff) return await this.#unanswered();
    if (random.next() < faults.journalRefuses) {
      tally.journalRefusals++;
      throw new Error('connection refused');
    }
    const isAnswerLost = random.next() < faults.journalLosesAnswer;
    const [outcome] = await Promise.allSettled([work()]);
    await this.#onItsWay();
    if (this.#isCutOff) return await this.#unanswered();
    if (isAnswerLost) {
      tally.journalLostAnswers++;
      throw new Error('connection reset');
    }
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  get #isCutOff(): boolean {
    return isLost(this.#world, this.region, databaseRegion);
  }

  /** A connection over which nothing comes any more. */
  async #unanswered(): Promise<never> {
    this.#world.tally.journalCallsCut++;
    await new Promise<void>((resolve) => this.#world.clock.after(unansweredMs, resolve));
    throw new Error('connection timed out');
  }

  #onItsWay(): Promise<void> {
    return new Promise((resolve) => {
      this.#world.clock.after(delayMs(this.#world), resolve);
    });
  }
}
