import { type Clock, MiB } from '@weir/core';

/**
 * Write budget of one agent. Its event loop could take about twice of this from producers alone, but consumers fetch
 * the same bytes from it, often more than once.
 */
const flushBudgetBytesPerSecond = 256 * MiB;
const windowMs = 10_000;
/** Heat changes only if a whole minute of windows agrees. */
const windows = 6;

/** A partition that was busy within the last minute. */
interface Busy {
  readonly topicId: string;
  readonly partition: number;
  /** For each of the last windows, how many agents were needed. */
  readonly needed: number[];
  heat: number;
}

/**
 * Measures hot partitions: those that would take more than half of the write budget of one agent. The heat of a
 * partition is the number of agents that it needs so that each spends at most that half; a heat of 1 is not hot.
 *
 * The bytes come from the commit stream, which is the same for all agents, so agents agree on hot partitions without
 * communication. Heat rises when every window of the last minute needed more and falls when every window needed less,
 * so that it does not flicker.
 */
export class PartitionHeat {
  readonly #clock: Clock;
  readonly #windowBytesMax: number;
  /** Bytes of the current window, by topic and partition. */
  readonly #bytes = new Map<string, Float64Array>();
  readonly #busy = new Map<string, Busy>();
  readonly #hot = new Map<string, Map<number, number>>();
  #windowEndMs: number;

  constructor(clock: Clock, budgetBytesPerSecond: number = flushBudgetBytesPerSecond) {
    this.#clock = clock;
    this.#windowBytesMax = ((budgetBytesPerSecond / 2) * windowMs) / 1000;
    this.#windowEndMs = clock.monotonicMs() + windowMs;
  }

  /**
   * Hot partitions with their heat; `undefined` if there are none. The same map object while its content is unchanged.
   */
  hotOf(topicId: string): ReadonlyMap<number, number> | undefined {
    this.#turn();
    return this.#hot.get(topicId);
  }

  add(topicId: string, partition: number, bytes: number): void {
    this.#turn();
    let column = this.#bytes.get(topicId);
    if (column === undefined || column.length <= partition) {
      const longer = new Float64Array(Math.max(partition + 1, 2 * (column?.length ?? 0)));
      if (column !== undefined) longer.set(column);
      column = longer;
      this.#bytes.set(topicId, column);
    }
    column[partition]! += bytes;
  }

  /** Closes the windows that have ended since the last call. */
  #turn(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#windowEndMs) return;
    this.#close();
    const silent = Math.floor((nowMs - this.#windowEndMs) / windowMs);
    for (let window = 0; window < Math.min(silent, windows); window++) this.#close();
    this.#windowEndMs += (silent + 1) * windowMs;
  }

  #close(): void {
    for (const busy of this.#busy.values()) {
      busy.needed.shift();
      busy.needed.push(1);
    }
    for (const [topicId, column] of this.#bytes) {
      for (let partition = 0; partition < column.length; partition++) {
        const needed = Math.ceil(column[partition]! / this.#windowBytesMax);
        if (needed > 1) this.#busyOne(topicId, partition).needed[windows - 1] = needed;
      }
    }
    this.#bytes.clear();
    for (const [key, busy] of this.#busy) {
      const [least, most] = [Math.min(...busy.needed), Math.max(...busy.needed)];
      const heat = Math.min(Math.max(busy.heat, least), most);
      if (heat !== busy.heat) this.#setHeat(busy, heat);
      if (most === 1) this.#busy.delete(key);
    }
  }

  #busyOne(topicId: string, partition: number): Busy {
    const key = `${topicId} ${partition}`;
    let busy = this.#busy.get(key);
    if (busy === undefined) {
      busy = { topicId, partition, needed: new Array<number>(windows).fill(1), heat: 1 };
      this.#busy.set(key, busy);
    }
    return busy;
  }

  #setHeat(busy: Busy, heat: number): void {
    busy.heat = heat;
    // A new map each time: holders of the old one have a consistent snapshot.
    const hot = new Map(this.#hot.get(busy.topicId));
    if (heat > 1) hot.set(busy.partition, heat);
    else hot.delete(busy.partition);
    if (hot.size > 0) this.#hot.set(busy.topicId, hot);
    else this.#hot.delete(busy.topicId);
  }
}
