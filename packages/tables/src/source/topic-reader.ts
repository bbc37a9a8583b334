import { type KafkaCluster, offsetRanges, subject } from '@weir/client';
import { Failure, type Log } from '@weir/core';
import type { SourceEvent, SourcePartition, SourceReader } from '../ingestion/source.ts';
import { tableLimits } from '../limits.ts';
import { SourceFeed } from './source-feed.ts';

/** The cluster that readers of all its topics share. */
interface ReadCluster {
  /** For requests that are answered at once. */
  readonly asks: KafkaCluster;
  readonly log: Log;
  add(feeds: readonly SourceFeed[]): void;
  remove(feeds: readonly SourceFeed[]): void;
  wake(): void;
}

interface Waiting {
  resolve(event: SourceEvent): void;
  reject(error: Error): void;
}

/** Reads a topic. Its partitions are fetched together with those of all topics of the cluster. */
export class TopicReader implements SourceReader {
  readonly topic: string;
  readonly #cluster: ReadCluster;
  readonly #feeds = new Map<number, SourceFeed>();
  /** Feeds that may have a batch, in the order in which they are asked. */
  readonly #ready = new Set<SourceFeed>();
  readonly #events: SourceEvent[] = [];
  readonly #onClosed: () => void;
  #waiting: Waiting | undefined;
  #failure: Error | undefined;
  #cancelPatience: (() => void) | undefined;
  #partitionCount = 0;

  constructor(topic: string, cluster: ReadCluster, onClosed: () => void) {
    this.topic = topic;
    this.#cluster = cluster;
    this.#onClosed = onClosed;
  }

  /** Why partitions are not read at the moment, in one line each. */
  problems(): ReadonlyMap<number, string> {
    const problems = new Map<number, string>();
    for (const [partition, { problem }] of this.#feeds)
      if (problem !== undefined) problems.set(partition, problem);
    return problems;
  }

  open(positions: ReadonlyMap<number, bigint>): void {
    for (const partition of positions.keys())
      this.#partitionCount = Math.max(this.#partitionCount, partition + 1);
    const feeds = [...positions].map(([partition, offset]) => this.#feed(partition, offset));
    this.#cluster.add(feeds);
  }

  next(): Promise<SourceEvent> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const event = this.#take();
    if (event !== undefined) return Promise.resolve(event);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  seek(partition: number, offset: bigint): void {
    this.stop(partition);
    if (this.#failure === undefined) this.#cluster.add([this.#feed(partition, offset)]);
  }

  stop(partition: number): void {
    const feed = this.#feeds.get(partition);
    if (feed === undefined) return;
    feed.revoke();
    this.#feeds.delete(partition);
    this.#ready.delete(feed);
    this.#cluster.remove([feed]);
  }

  async close(): Promise<void> {
    if (this.#failure === undefined) this.#fail(new Failure(`the reader of topic ${this.topic} was closed`));
    this.#onClosed();
  }

  /** The topic has so many partitions now. */
  async counted(partitionCount: number): Promise<void> {
    const before = this.#partitionCount;
    if (partitionCount <= before || this.#failure !== undefined) return;
    this.#partitionCount = partitionCount;
    const added = Array.from({ length: partitionCount - before }, (_, index) => before + index);
    try {
      const partitions = await describePartitions(this.#cluster.asks, this.topic, added);
      this.#emit({ kind: 'new-partitions', partitions });
    } catch {
      // Found again when the topics are looked up next.
      this.#partitionCount = before;
    }
  }

  #feed(partition: number, offset: bigint): SourceFeed {
    const feed = new SourceFeed({ topic: this.topic, partition }, Number(offset), this.#ofFeeds);
    this.#feeds.set(partition, feed);
    return feed;
  }

  readonly #ofFeeds = {
    ready: (feed: SourceFeed) => {
      this.#ready.add(feed);
      this.#answer();
    },
    hungry: () => this.#cluster.wake(),
    troubled: () => this.#watch(),
    outOfRange: (feed: SourceFeed) => void this.#outOfRange(feed),
    damaged: (feed: SourceFeed, problem: string) => this.#damaged(feed, problem),
    replaced: () =>
      this.#fail(new Failure(`topic ${this.topic} was deleted and made again while it was read`)),
  };

  #take(): SourceEvent | undefined {
    const event = this.#events.shift();
    if (event !== undefined) return event;
    for (const feed of this.#ready) {
      this.#ready.delete(feed);
      const batch = feed.take();
      // The others come first.
      if (feed.hasMore) this.#ready.add(feed);
      if (batch !== undefined) return batch;
    }
    return undefined;
  }

  #emit(event: SourceEvent): void {
    this.#events.push(event);
    this.#answer();
  }

  #answer(): void {
    if (this.#waiting === undefined || this.#failure !== undefined) return;
    const event = this.#take();
    if (event === undefined) return;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    resolve(event);
  }

  async #outOfRange(feed: SourceFeed): Promise<void> {
    const { partition } = feed.place;
    this.#ready.delete(feed);
    this.#cluster.remove([feed]);
    try {
      const [found] = await describePartitions(this.#cluster.asks, this.topic, [partition]);
      if (!feed.isRevoked && found !== undefined) this.#emit({ kind: 'out-of-range', ...found });
    } catch {
      // It is asked for again, and out of range again if it still is.
      if (!feed.isRevoked && this.#failure === undefined) this.#cluster.add([feed]);
    }
  }

  /** It is said once for an offset; the partition is tried again, and the others go on. */
  #damaged(feed: SourceFeed, problem: string): void {
    const { clock } = this.#cluster.asks;
    feed.notBeforeMs = clock.monotonicMs() + tableLimits.sourceDamagedRetryMs;
    const offset = feed.position ?? 0;
    const known = feed.problem;
    feed.problem = `${subject(this.topic, feed.place.partition)}: the batch at offset ${offset} cannot be read: ${problem}`;
    if (known !== feed.problem)
      this.#cluster.log.error('failed to read a batch', { ...feed.place, offset, error: problem });
  }

  /** A cluster of which nothing can be read for a while fails; one partition that cannot be read waits. */
  #watch(): void {
    const isTroubled = this.#feeds.size > 0 && this.problems().size === this.#feeds.size;
    if (!isTroubled || this.#failure !== undefined) {
      this.#cancelPatience?.();
      this.#cancelPatience = undefined;
      return;
    }
    this.#cancelPatience ??= this.#cluster.asks.clock.after(tableLimits.sourcePatienceMs, () => {
      const [problem] = this.problems().values();
      this.#fail(new Failure(problem ?? `topic ${this.topic} cannot be read`));
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#cancelPatience?.();
    this.#cancelPatience = undefined;
    for (const feed of this.#feeds.values()) feed.revoke();
    this.#cluster.remove([...this.#feeds.values()]);
    this.#feeds.clear();
    this.#ready.clear();
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
  }
}

/** The offsets that partitions have, for readers of committed records. Rejects if one of them cannot be asked for. */
export async function describePartitions(
  cluster: KafkaCluster,
  topic: string,
  partitions: readonly number[],
): Promise<readonly SourcePartition[]> {
  const { answers, failures } = await offsetRanges(cluster, topic, partitions, 'read_committed');
  const [failure] = failures.values();
  if (failure !== undefined) throw failure;
  return partitions.map((partition) => {
    const { earliest, latest } = answers.get(partition)!;
    return { partition, logStart: earliest, endOffset: latest };
  });
}
