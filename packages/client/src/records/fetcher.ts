import { backOffMs, type Log, pauseUnlessStopped } from '@weir/core';
import { errors, zeroUuid } from '@weir/wire';
import type { KafkaCluster } from '../cluster.ts';
import type { KafkaConnection } from '../connection.ts';
import { clientLimits } from '../limits.ts';
import type { Place } from '../place.ts';
import { kafkaReason } from '../reason.ts';
import { KafkaRequestFailed } from '../request-failed.ts';
import { type FetchedPartition, type FetchLimits, fetchPlaces, type IsolationLevel } from './fetch.ts';
import { subject } from './leaders.ts';
import { earliestTime, latestTime, listOffsets } from './list-offsets.ts';

/** A partition that is read, and what waits of it. */
export interface Feed {
  readonly place: Place;
  /** Absent if the cluster has to be asked where to begin. */
  position: number | undefined;
  /** The broker to read from; absent if it has to be looked up. */
  brokerId: number | undefined;
  topicId: string;
  /** Nothing is fetched before. */
  notBeforeMs: number;
  /** Why it is not read at the moment, in one line. */
  problem: string | undefined;
  /** How many records it was behind when it was fetched last. */
  readonly lag: number;
  /** Fetched bytes that wait. */
  readonly queuedBytes: number;
  /** It is read no more. */
  readonly isRevoked: boolean;
  /** Whether it should be fetched. */
  wantsRecords(nowMs: number): boolean;
  /** Goes on elsewhere: where the cluster says that the partition begins or ends. */
  begin(position: number): void;
  /** The log does not have its position. If absent, it begins where `reset` says. */
  readonly outOfRange?: (() => void) | undefined;
  /** Adds what was fetched from `offset`. */
  add(fetched: FetchedPartition, offset: number): void;
}

export type OffsetReset = 'earliest' | 'latest' | 'none';

export interface FetcherOptions
  extends Pick<FetchLimits, 'maxWaitMs' | 'responseBytesMax' | 'partitionBytesMax'> {
  readonly isolation: IsolationLevel;
  readonly rackId: string;
  /** Where to begin without an offset, and to go on where the records are gone. */
  readonly reset: OffsetReset;
  readonly metadataMaxAgeMs: number;
  /** Partitions that are so many records behind are asked for first; absent if none are. */
  readonly preferredLag?: number | undefined;
  /**
   * While the feeds hold as much as an answer has, those that hold nothing get so many bytes: one whose reader is busy
   * does not stop the others. If absent, all wait.
   */
  readonly starvedBytesMax?: number | undefined;
  /** How long further new feeds are waited for before requests that wait are ended to ask for them too. Default: 0. */
  readonly gatherMs?: number | undefined;
}

/** A broker may wait no longer for some partitions while others have no room: they may have some soon. */
const shortWaitMs = 100;
const retryBackOff = { firstMs: 100, maxMs: 5_000 };
/** A partition that a broker refuses for a reason that may last, such as a missing right. */
const refusedRetryMs = 5_000;
/** A broker that asks for a longer pause is asked again after this. */
const throttleMsMax = 30_000;

/** The feed has to be read from another broker. */
const movedCodes: ReadonlySet<number> = new Set([
  errors.NOT_LEADER_OR_FOLLOWER.code,
  errors.FENCED_LEADER_EPOCH.code,
  errors.UNKNOWN_LEADER_EPOCH.code,
  errors.UNKNOWN_TOPIC_OR_PARTITION.code,
  errors.UNKNOWN_TOPIC_ID.code,
  errors.INCONSISTENT_TOPIC_ID.code,
  errors.LEADER_NOT_AVAILABLE.code,
  errors.REPLICA_NOT_AVAILABLE.code,
  errors.OFFSET_NOT_AVAILABLE.code,
  errors.KAFKA_STORAGE_ERROR.code,
]);

interface BrokerLoop {
  /** On which a request waits for records. */
  waiting: KafkaConnection | undefined;
  /** Whether that was ended to ask for more. */
  isInterrupted: boolean;
}

/** Fetches the partitions of feeds: one request at a time to every broker that leads some. */
export class Fetcher {
  readonly #cluster: KafkaCluster;
  readonly #options: FetcherOptions;
  readonly #log: Log;
  readonly #feeds = new Set<Feed>();
  readonly #brokers = new Map<number, { readonly host: string; readonly port: number }>();
  readonly #loops = new Map<number, BrokerLoop>();
  readonly #wakes = new Set<() => void>();
  readonly #reported = new Set<string>();
  #lookUpFailures = 0;

  constructor(cluster: KafkaCluster, options: FetcherOptions, log: Log) {
    this.#cluster = cluster;
    this.#options = options;
    this.#log = log;
  }

  /** Begins to fetch feeds. */
  add(feeds: readonly Feed[]): void {
    for (const feed of feeds) this.#feeds.add(feed);
    this.wake();
  }

  remove(feeds: readonly Feed[]): void {
    for (const feed of feeds) this.#feeds.delete(feed);
    this.wake();
  }

  /** Something changed: a feed has room, or is new. */
  wake(): void {
    if (this.#wakes.size === 0) return;
    const wakes = [...this.#wakes];
    this.#wakes.clear();
    for (const wake of wakes) wake();
  }

  /** Looks up who leads the partitions, and starts a loop for each broker, until the cluster is stopped. */
  async run(): Promise<void> {
    const { stop, clock } = this.#cluster;
    const loops = new Set<Promise<void>>();
    let lookedUpMs = clock.monotonicMs();
    while (!stop.aborted) {
      const { metadataMaxAgeMs, gatherMs = 0 } = this.#options;
      const isOld = clock.monotonicMs() - lookedUpMs >= metadataMaxAgeMs;
      let isComplete = true;
      if (isOld || this.#hasLost()) {
        if (gatherMs > 0) await pauseUnlessStopped(clock, gatherMs, stop);
        lookedUpMs = isOld ? clock.monotonicMs() : lookedUpMs;
        isComplete = await this.#lookUp(isOld);
      }
      for (const { brokerId } of this.#feeds) {
        if (brokerId === undefined || this.#loops.has(brokerId)) continue;
        this.#loops.set(brokerId, { waiting: undefined, isInterrupted: false });
        const running = this.#loop(brokerId).finally(() => loops.delete(running));
        loops.add(running);
      }
      if (isComplete) this.#lookUpFailures = 0;
      // A topic that does not exist is asked for again and again, while the others are read.
      if (isComplete) await this.#change(metadataMaxAgeMs);
      else await pauseUnlessStopped(clock, backOffMs(this.#lookUpFailures++, retryBackOff), stop);
    }
    await Promise.all(loops);
  }

  #hasLost(): boolean {
    for (const { brokerId } of this.#feeds) if (brokerId === undefined) return true;
    return false;
  }

  /** Whether all feeds have a broker afterwards. */
  async #lookUp(isOld: boolean): Promise<boolean> {
    const lost = [...this.#feeds].filter(({ brokerId }) => isOld || brokerId === undefined);
    if (lost.length === 0) return true;
    try {
      const names = [...new Set(lost.map(({ place }) => place.topic))];
      const { topics, brokers } = await this.#cluster.metadata(names);
      for (const { nodeId, host, port } of brokers) this.#brokers.set(nodeId, { host, port });
      const byName = new Map(topics.map((topic) => [topic.name, topic]));
      const moved: Feed[] = [];
      for (const feed of lost) {
        const topic = byName.get(feed.place.topic);
        const partition = topic?.partitions.find((one) => one.partitionIndex === feed.place.partition);
        if (topic === undefined || partition === undefined || !this.#brokers.has(partition.leaderId)) {
          feed.problem =
            topic !== undefined && topic.errorCode !== errors.NONE.code
              ? new KafkaRequestFailed(`topic ${feed.place.topic}`, topic.errorCode).message
              : 'the partition has no leader at the moment';
          this.#report(feed, feed.problem);
          continue;
        }
        if (feed.brokerId !== partition.leaderId) moved.push(feed);
        feed.brokerId = partition.leaderId;
        feed.topicId = topic.topicId ?? zeroUuid;
      }
      this.#interrupt(moved);
    } catch (error) {
      if (this.#cluster.stop.aborted) return false;
      const problem = kafkaReason(error);
      for (const feed of lost) if (feed.brokerId === undefined) feed.problem = problem;
      this.#log.warn('failed to look up topics', { error: problem });
    }
    return !this.#hasLost();
  }

  /** Ends requests that wait for records, where there is more to ask for. */
  #interrupt(feeds: readonly Feed[]): void {
    for (const brokerId of new Set(feeds.map((feed) => feed.brokerId))) {
      const loop = brokerId === undefined ? undefined : this.#loops.get(brokerId);
      if (loop?.waiting === undefined) continue;
      loop.isInterrupted = true;
      loop.waiting.close();
    }
  }

  async #loop(brokerId: number): Promise<void> {
    const { stop, clock } = this.#cluster;
    const loop = this.#loops.get(brokerId)!;
    let failures = 0;
    while (!stop.aborted) {
      const nowMs = clock.monotonicMs();
      const led = [...this.#feeds].filter((feed) => feed.brokerId === brokerId);
      if (led.length === 0) break;
      const hasRoom = this.#hasRoom();
      const { starvedBytesMax } = this.#options;
      const wanted = led.filter(
        (feed) =>
          (hasRoom || (starvedBytesMax !== undefined && feed.queuedBytes === 0)) && feed.wantsRecords(nowMs),
      );
      if (wanted.length === 0) {
        await this.#change(pauseMsOf(led, nowMs));
        continue;
      }
      try {
        const connection = await this.#cluster.connectionTo(this.#brokers.get(brokerId)!);
        await this.#begin(connection, wanted);
        loop.waiting = connection;
        const throttleMs = await this.#fetch(connection, wanted, {
          maxWaitMs: waitMsOf(led, wanted, nowMs, this.#options.maxWaitMs),
          ...(hasRoom ? {} : { partitionBytesMax: starvedBytesMax! }),
        });
        failures = 0;
        loop.waiting = undefined;
        if (throttleMs > 0) await pauseUnlessStopped(clock, Math.min(throttleMs, throttleMsMax), stop);
      } catch (error) {
        if (stop.aborted || loop.isInterrupted) continue;
        const problem = kafkaReason(error);
        this.#log.warn('failed to fetch records', { error: problem });
        for (const feed of led) {
          feed.problem = problem;
          feed.brokerId = undefined;
        }
        this.wake();
        await pauseUnlessStopped(clock, backOffMs(failures++, retryBackOff), stop);
      } finally {
        loop.waiting = undefined;
        loop.isInterrupted = false;
      }
    }
    this.#loops.delete(brokerId);
    this.wake();
  }

  /** All feeds together hold no more than one answer. */
  #hasRoom(): boolean {
    let bytes = 0;
    for (const { queuedBytes } of this.#feeds) bytes += queuedBytes;
    return bytes < this.#options.responseBytesMax;
  }

  /** Asks where partitions without an offset begin or end. */
  async #begin(connection: KafkaConnection, feeds: readonly Feed[]): Promise<void> {
    const lost = feeds.filter(({ position }) => position === undefined);
    if (lost.length === 0) return;
    const timestamp = this.#options.reset === 'earliest' ? earliestTime : latestTime;
    const { timeoutMs } = this.#cluster;
    const { isolation } = this.#options;
    const asked = lost.map(({ place }) => ({ ...place, timestamp }));
    const listed = await listOffsets(connection.transport(timeoutMs), asked, { isolation, timeoutMs });
    for (const { topic, partition, errorCode, offset } of listed) {
      const feed = lost.find(({ place }) => place.topic === topic && place.partition === partition);
      if (feed === undefined) continue;
      if (errorCode === errors.NONE.code) feed.begin(Number(offset));
      else this.#failed(feed, errorCode);
    }
  }

  async #fetch(
    connection: KafkaConnection,
    feeds: readonly Feed[],
    limits: Pick<FetchLimits, 'maxWaitMs'> & Partial<FetchLimits>,
  ): Promise<number> {
    const asked = new Map<string, { readonly feed: Feed; readonly offset: number }>();
    for (const feed of feeds)
      if (feed.position !== undefined && feed.brokerId !== undefined)
        asked.set(`${feed.place.topic}:${feed.place.partition}`, { feed, offset: feed.position });
    if (asked.size === 0) return 0;
    const { preferredLag = 0 } = this.#options;
    const inOrder = [...asked.values()];
    if (preferredLag > 0)
      inOrder.sort((a, b) => Number(b.feed.lag >= preferredLag) - Number(a.feed.lag >= preferredLag));
    const positions = inOrder.map(({ feed, offset }) => ({
      ...feed.place,
      topicId: feed.topicId,
      offset: BigInt(offset),
    }));
    const { timeoutMs } = this.#cluster;
    const { answers, throttleMs } = await fetchPlaces(connection, positions, {
      ...this.#options,
      timeoutMs,
      ...limits,
    });
    for (const { topic, partition, result } of answers) {
      const { feed, offset } = asked.get(`${topic}:${partition}`) ?? {};
      if (feed === undefined || offset === undefined || feed.isRevoked) continue;
      if (result instanceof KafkaRequestFailed) this.#failed(feed, result.code);
      else {
        feed.problem = undefined;
        feed.add(result, offset);
        if (this.#brokers.has(result.preferredReplicaId)) feed.brokerId = result.preferredReplicaId;
      }
    }
    // The first in a request get most of the answer.
    for (const feed of feeds) if (this.#feeds.delete(feed)) this.#feeds.add(feed);
    return throttleMs;
  }

  #failed(feed: Feed, code: number): void {
    const { clock } = this.#cluster;
    if (code === errors.OFFSET_OUT_OF_RANGE.code && feed.outOfRange !== undefined) {
      feed.outOfRange();
      return;
    }
    if (code === errors.OFFSET_OUT_OF_RANGE.code && this.#options.reset !== 'none') {
      this.#log.warn('failed to find the next records of a partition', {
        ...feed.place,
        offset: feed.position,
        continuesAt: this.#options.reset,
      });
      feed.position = undefined;
      return;
    }
    if (movedCodes.has(code)) feed.brokerId = undefined;
    else feed.notBeforeMs = clock.monotonicMs() + refusedRetryMs;
    const { topic, partition } = feed.place;
    feed.problem = new KafkaRequestFailed(subject(topic, partition), code).message;
    this.#report(feed, new KafkaRequestFailed('partition', code).message);
  }

  /** Says once what is wrong with a partition. */
  #report({ place }: Feed, error: string): void {
    const key = `${place.topic}:${place.partition} ${error}`;
    if (this.#reported.has(key)) return;
    if (this.#reported.size >= clientLimits.reportedProblemsMax) this.#reported.clear();
    this.#reported.add(key);
    this.#log.warn('failed to fetch a partition', { ...place, error });
  }

  /** Resolves when something changed, or after a time. */
  #change(afterMs: number): Promise<void> {
    const { clock, stop } = this.#cluster;
    if (stop.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.#wakes.delete(done);
        stop.removeEventListener('abort', done);
        resolve();
      };
      const cancel = clock.after(afterMs, done);
      stop.addEventListener('abort', done);
      this.#wakes.add(done);
    });
  }
}

/** Until the first of them may be fetched again; without end if that takes something else. */
function pauseMsOf(feeds: readonly Feed[], nowMs: number): number {
  const later = feeds.map(({ notBeforeMs }) => notBeforeMs - nowMs).filter((ms) => ms > 0);
  return later.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...later);
}

function waitMsOf(led: readonly Feed[], wanted: readonly Feed[], nowMs: number, maxWaitMs: number): number {
  if (wanted.length === led.length) return maxWaitMs;
  const asked = new Set(wanted);
  const hasFull = led.some((feed) => !asked.has(feed) && feed.notBeforeMs <= nowMs);
  return hasFull ? Math.min(shortWaitMs, maxWaitMs) : Math.min(maxWaitMs, Math.ceil(pauseMsOf(led, nowMs)));
}
