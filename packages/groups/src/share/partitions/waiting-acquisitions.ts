import type { AcquireAnswer, RecordsToAcquire, TopicPartition } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import type { Clock } from '@weir/core';
import type { ClusterMachine } from '@weir/machine';
import { type Sleeper, WakeQueue } from '../../wake-queue.ts';
import { Acquisition } from './acquisition.ts';
import type { PartitionRuntimes } from './partition-runtimes.ts';
import type { SharePartition } from './share-partition.ts';
import type { StoredPartition } from './stored-partition.ts';

interface WaitingAcquisitionsOptions {
  readonly machine: Pick<ClusterMachine, 'findBatches' | 'findOffsets'>;
  readonly clock: Clock;
  readonly partitions: PartitionRuntimes;
  readonly hasGroup: (groupId: string) => boolean;
  /** Resolves when everything that was decided so far is durable. */
  readonly settled: () => Promise<void>;
}

/** Acquire requests, waiting ones included. */
export class WaitingAcquisitions {
  readonly #options: WaitingAcquisitionsOptions;
  readonly #timeouts: WakeQueue<WaitingRequest>;
  readonly #waiting = new Set<WaitingRequest>();

  constructor(options: WaitingAcquisitionsOptions) {
    this.#options = options;
    this.#timeouts = new WakeQueue(options.clock, (request) => {
      request.tryAgain(true);
      return Number.POSITIVE_INFINITY;
    });
  }

  acquire(request: RecordsToAcquire): Promise<AcquireAnswer> {
    const { clock } = this.#options;
    const deadlineMs =
      clock.monotonicMs() + Math.min(Math.max(0, request.waitMs), clusterLimits.fetchWaitMsMax);
    const waiting = new WaitingRequest(this.#options, request, () => this.#waiting.delete(waiting));
    this.#waiting.add(waiting);
    waiting.tryAgain(deadlineMs <= clock.monotonicMs());
    if (this.#waiting.has(waiting)) {
      waiting.watchAll();
      this.#timeouts.wakeBy(waiting, deadlineMs);
    }
    return waiting.answer;
  }

  close(error: Error): void {
    this.#timeouts.close();
    for (const request of [...this.#waiting]) request.fail(error);
  }
}

/** A request that retries on every change, until it is answered. */
class WaitingRequest implements Sleeper {
  readonly answer: Promise<AcquireAnswer>;
  wakeAtMs = Number.POSITIVE_INFINITY;
  readonly #options: WaitingAcquisitionsOptions;
  readonly #request: RecordsToAcquire;
  readonly #onOver: () => void;
  readonly #watched = new Set<StoredPartition>();
  /**
   * The start offset of a group must be durable before any delivery, or the group could start after those records on a
   * failover.
   */
  readonly #begun: Promise<void>[] = [];
  readonly #settle: PromiseWithResolvers<AcquireAnswer>;
  #isOver = false;

  constructor(options: WaitingAcquisitionsOptions, request: RecordsToAcquire, onOver: () => void) {
    this.#options = options;
    this.#request = request;
    this.#onOver = onOver;
    this.#settle = Promise.withResolvers();
    this.answer = this.#settle.promise;
  }

  /** Retries with the changed partition, or with all partitions. */
  tryAgain(isLast: boolean, news?: StoredPartition): void {
    if (this.#isOver) return;
    const { machine, clock, partitions, hasGroup } = this.#options;
    const { groupId } = this.#request;
    if (!hasGroup(groupId)) {
      this.#end();
      this.#settle.resolve({ error: 'GROUP_ID_NOT_FOUND', lockMs: 0, partitions: [] });
      return;
    }
    const touched = new Set<StoredPartition>();
    const acquisition = new Acquisition({
      clock,
      machine,
      request: this.#request,
      rules: partitions.rules(groupId),
      find: (place) => this.#watch(place),
      open: (place, state) => this.#begin(place, state),
    });
    const answer = acquisition.attempt(clock.monotonicMs(), isLast, touched, news);
    for (const stored of touched) partitions.keepLater(stored);
    if (answer === undefined) return;
    this.#end();
    this.#settle.resolve(Promise.all([this.#options.settled(), ...this.#begun]).then(() => answer));
  }

  /** Watches partitions that the first attempt has started. */
  watchAll(): void {
    for (const place of this.#request.partitions) this.#watch(place);
  }

  fail(error: Error): void {
    this.#end();
    this.#settle.reject(error);
  }

  /** A request for more than one byte must sum up all partitions. */
  readonly #wake = (stored: StoredPartition): void =>
    this.tryAgain(false, this.#request.bytesMin > 1 ? undefined : stored);

  #watch({ topicId, partition }: TopicPartition): StoredPartition | undefined {
    const stored = this.#options.partitions.find({ groupId: this.#request.groupId, topicId, partition });
    if (stored !== undefined && !this.#watched.has(stored)) {
      this.#watched.add(stored);
      stored.waiting.add(this.#wake);
    }
    return stored;
  }

  #begin({ topicId, partition }: TopicPartition, state: SharePartition): StoredPartition | undefined {
    const { partitions } = this.#options;
    const stored = partitions.begin({ groupId: this.#request.groupId, topicId, partition }, state);
    if (stored === undefined) return undefined;
    const saved = partitions.keep(stored);
    // A request that ends earlier does not await it; the save is retried in any case.
    saved.catch(() => {});
    this.#begun.push(saved);
    return stored;
  }

  #end(): void {
    this.#isOver = true;
    for (const stored of this.#watched) stored.waiting.delete(this.#wake);
    this.wakeAtMs = Number.POSITIVE_INFINITY;
    this.#onOver();
  }
}
