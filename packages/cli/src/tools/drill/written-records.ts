/** What a client noticed of one partition. */
interface WrittenPartition {
  sent: number;
  acknowledged: number;
  failed: number;
  /** Whether each record was acknowledged, by its number. */
  readonly isAcknowledged: boolean[];
  /** How often each record was read. */
  readonly readCounts: number[];
  lastAckMs: number;
  longestGapMs: number;
  /** The greatest number that was read. */
  lastRead: number;
  reordered: number;
}

/** What a drill has found, in the order of importance. */
export interface DrillReport {
  readonly partitions: number;
  readonly sent: number;
  readonly acknowledged: number;
  /** Given up by the client after its timeout. */
  readonly failed: number;
  /** Acknowledged, and not there. */
  readonly lost: number;
  /** More than once there. */
  readonly doubled: number;
  /** Behind a later record of its partition. */
  readonly reordered: number;
  /** Not acknowledged, and there all the same. */
  readonly unexpected: number;
  /** The longest time without an acknowledgement of any partition. */
  readonly longestGapMs: number;
  readonly worstPartition: number;
  /** The same of the partition that waited longest. */
  readonly worstPartitionGapMs: number;
}

/** Records that a drill writes to partitions, by partition and number, and what became of them. */
export class WrittenRecords {
  readonly #partitions: WrittenPartition[];
  #lastAckMs: number;
  #longestGapMs = 0;
  #missing = 0;

  constructor(partitionCount: number, startMs: number) {
    this.#lastAckMs = startMs;
    this.#partitions = Array.from({ length: partitionCount }, () => ({
      sent: 0,
      acknowledged: 0,
      failed: 0,
      isAcknowledged: [],
      readCounts: [],
      lastAckMs: startMs,
      longestGapMs: 0,
      lastRead: -1,
      reordered: 0,
    }));
  }

  /** Returns the number of the next record of a partition. */
  send(partition: number): number {
    const state = this.#partitions[partition]!;
    state.isAcknowledged.push(false);
    state.readCounts.push(0);
    return state.sent++;
  }

  acknowledged(partition: number, number: number, nowMs: number): void {
    const state = this.#partitions[partition]!;
    state.acknowledged++;
    state.isAcknowledged[number] = true;
    if (state.readCounts[number] === 0) this.#missing++;
    this.#noteGap(state, nowMs);
    state.lastAckMs = nowMs;
    this.#lastAckMs = nowMs;
  }

  failed(partition: number): void {
    this.#partitions[partition]!.failed++;
  }

  /** Nothing is sent any more. What was not acknowledged until now counts as a gap, too. */
  end(nowMs: number): void {
    for (const state of this.#partitions) if (state.acknowledged < state.sent) this.#noteGap(state, nowMs);
  }

  #noteGap(state: WrittenPartition, nowMs: number): void {
    state.longestGapMs = Math.max(state.longestGapMs, nowMs - state.lastAckMs);
    this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - this.#lastAckMs);
  }

  /** A record of the drill was found in the topic. */
  read(partition: number, number: number): void {
    const state = this.#partitions[partition];
    if (state === undefined || number >= state.sent) return;
    state.readCounts[number]!++;
    if (state.readCounts[number]! > 1) return;
    if (state.isAcknowledged[number]!) this.#missing--;
    if (number < state.lastRead) state.reordered++;
    state.lastRead = Math.max(state.lastRead, number);
  }

  /** How many records were acknowledged and not read yet. */
  get missing(): number {
    return this.#missing;
  }

  report(): DrillReport {
    let worst = 0;
    for (const [partition, { longestGapMs }] of this.#partitions.entries())
      if (longestGapMs > this.#partitions[worst]!.longestGapMs) worst = partition;
    return {
      partitions: this.#partitions.length,
      sent: this.#sum(({ sent }) => sent),
      acknowledged: this.#sum(({ acknowledged }) => acknowledged),
      failed: this.#sum(({ failed }) => failed),
      lost: this.missing,
      doubled: this.#sum(({ readCounts }) => count(readCounts, (times) => times > 1)),
      reordered: this.#sum(({ reordered }) => reordered),
      unexpected: this.#sum(({ isAcknowledged, readCounts }) =>
        count(readCounts, (times, number) => times > 0 && !isAcknowledged[number]!),
      ),
      longestGapMs: Math.round(this.#longestGapMs),
      worstPartition: worst,
      worstPartitionGapMs: Math.round(this.#partitions[worst]!.longestGapMs),
    };
  }

  #sum(of: (state: WrittenPartition) => number): number {
    return this.#partitions.reduce((sum, state) => sum + of(state), 0);
  }
}

function count<Item>(items: readonly Item[], isCounted: (item: Item, index: number) => boolean): number {
  return items.reduce((sum, item, index) => sum + (isCounted(item, index) ? 1 : 0), 0);
}
