import { Fetcher, type FetcherOptions, type KafkaCluster, type Place } from '@weir/client';
import { pauseUnlessStopped } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import type { Delivery, Input, RateLimit } from '../component/instances.ts';
import { type BatchingFields, BatchPolicy, gathers } from '../engine/batch-policy.ts';
import { withOrigins } from '../engine/outcomes.ts';
import { partsOf } from '../engine/parts.ts';
import { pipelineLimits } from '../limits.ts';
import { GroupAssignment, type GroupOptions } from './group-assignment.ts';
import { type FeedOptions, PartitionFeed } from './partition-feed.ts';
import { type AssignedPlace, type PartitionHolder, placeKey } from './partition-holder.ts';
import type { Subscription } from './subscription.ts';
import { WholeAssignment } from './whole-assignment.ts';

interface KafkaInputOptions {
  readonly source: readonly AssignedPlace[] | Subscription;
  /** Absent to read without a group. */
  readonly group: GroupOptions | undefined;
  readonly feed: Omit<FeedOptions, 'bytesMax' | 'isDropped'>;
  /** Whether what was not written is delivered again; otherwise it is dropped. */
  readonly isReplayed: boolean;
  readonly fetch: FetcherOptions;
  readonly batching: BatchingFields;
  /** The label of a resource; empty if there is none. */
  readonly rateLimit: string;
  /** Connections that end when `stop` is aborted. */
  openCluster(stop: AbortSignal): KafkaCluster;
}

/** Deliveries of one partition before another has its turn. */
const turnDeliveries = 64;

/** Reads partitions of Kafka, and commits what was written. */
export class KafkaInput implements Input, PartitionHolder {
  readonly #options: KafkaInputOptions;
  readonly #context: ComponentContext;
  readonly #over = new AbortController();
  readonly #stopReading = new AbortController();
  readonly #feeds = new Map<string, PartitionFeed>();
  /** Feeds that may have a delivery. */
  readonly #ready = new Set<PartitionFeed>();
  /** Feeds that were held back when they were asked last. */
  readonly #held = new Set<PartitionFeed>();
  /** Parts of a batch that the processors of the policy made several of. */
  readonly #parts: Delivery[] = [];
  readonly #rateLimit: RateLimit | undefined;
  #wake: (() => void) | undefined;
  #turn = 0;
  #running: Running | undefined;

  constructor(options: KafkaInputOptions, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
    const { rateLimit } = options;
    this.#rateLimit = rateLimit === '' ? undefined : context.resources.get('rate_limit', rateLimit);
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    this.#running ??= this.#start();
    for (;;) {
      if (stop.aborted) return undefined;
      const delivery = this.#parts.shift() ?? (await this.#next(stop));
      if (delivery !== undefined) return (await this.#isAllowed(stop)) ? delivery : undefined;
      if (this.#ready.size > 0) continue;
      const end = this.#isHeldBack() ? this.#context.heldBack.begin() : undefined;
      await this.#change(stop);
      end?.();
    }
  }

  /** Commits what was written, and leaves the group. */
  async close(): Promise<void> {
    this.#stopReading.abort();
    if (this.#running === undefined) return;
    const { assignment, ended, fetchCluster, groupCluster } = this.#running;
    await assignment.leave();
    this.#over.abort();
    await ended;
    await fetchCluster.close();
    await groupCluster.close();
  }

  held(): readonly Place[] {
    return [...this.#feeds.values()].map(({ place }) => place);
  }

  async assign(places: readonly AssignedPlace[]): Promise<void> {
    const { feed: feedOptions, fetch, batching } = this.#options;
    const feeds: PartitionFeed[] = [];
    for (const { topic, partition, offset } of places) {
      const policy = gathers(batching) ? await BatchPolicy.open(batching, this.#context) : undefined;
      const feed = new PartitionFeed(
        { topic, partition },
        offset,
        {
          ...feedOptions,
          bytesMax: fetch.partitionBytesMax,
          // What is left when the pipeline ends is read again.
          isDropped: () => !this.#options.isReplayed && !this.#context.stop.aborted,
        },
        policy,
        this.#events,
        (delayMs, run) => this.#context.clock.after(delayMs, run),
      );
      this.#feeds.set(placeKey(feed.place), feed);
      feeds.push(feed);
    }
    this.#running?.fetcher.add(feeds);
  }

  committable(places: readonly Place[]): readonly (Place & { readonly offset: bigint })[] {
    const offsets: (Place & { readonly offset: bigint })[] = [];
    for (const { topic, partition } of places) {
      const offset = this.#feeds.get(placeKey({ topic, partition }))?.committable;
      if (offset !== undefined) offsets.push({ topic, partition, offset: BigInt(offset) });
    }
    return offsets;
  }

  committed(offsets: readonly (Place & { readonly offset: bigint })[]): void {
    for (const one of offsets) this.#feeds.get(placeKey(one))?.committed(Number(one.offset));
  }

  drop(places: readonly Place[]): void {
    const dropped: PartitionFeed[] = [];
    for (const place of places) {
      const feed = this.#feeds.get(placeKey(place));
      if (feed === undefined) continue;
      feed.revoke();
      this.#feeds.delete(placeKey(place));
      this.#ready.delete(feed);
      dropped.push(feed);
    }
    this.#running?.fetcher.remove(dropped);
  }

  #start(): Running {
    const { source, group, fetch, openCluster } = this.#options;
    const { log } = this.#context;
    // Brokers answer the requests of one connection in order, so a heartbeat must not wait behind a fetch.
    const fetchCluster = openCluster(this.#over.signal);
    const groupCluster = openCluster(this.#over.signal);
    const fetcher = new Fetcher(fetchCluster, fetch, log);
    const { metadataMaxAgeMs } = fetch;
    const assignment =
      group !== undefined && 'partitionCounts' in source
        ? new GroupAssignment(groupCluster, group, source, this, log)
        : new WholeAssignment(groupCluster, source, metadataMaxAgeMs, this, log);
    const running = { fetcher, assignment, fetchCluster, groupCluster };
    const stop = this.#stopReading.signal;
    // Not awaited before it is set: what is assigned is fetched by it.
    const ended = Promise.resolve().then(() => Promise.all([fetcher.run(), assignment.run(stop)]));
    return { ...running, ended };
  }

  readonly #events = {
    ready: (feed: PartitionFeed) => {
      this.#ready.add(feed);
      this.#wake?.();
    },
    hungry: () => this.#running?.fetcher.wake(),
    damaged: (feed: PartitionFeed, offset: number, problem: string) => this.#damaged(feed, offset, problem),
  };

  /** It is said once for an offset; the partition is tried again, and the others go on. */
  #damaged(feed: PartitionFeed, offset: number, problem: string): void {
    feed.notBeforeMs = this.#context.clock.monotonicMs() + pipelineLimits.damagedRetryMs;
    const known = this.#damages.get(placeKey(feed.place));
    this.#damages.set(placeKey(feed.place), offset);
    if (known === offset) return;
    this.#context.log.error('failed to read a batch', {
      ...feed.place,
      offset,
      error: `${problem}; the partition waits at this offset until it can be read or the group is reset past it`,
    });
    this.#context.metrics.failed('input', 1);
  }

  readonly #damages = new Map<string, number>();

  async #next(stop: AbortSignal): Promise<Delivery | undefined> {
    const [feed] = this.#ready;
    if (feed === undefined) return undefined;
    const delivery = feed.next();
    if (delivery === undefined && feed.isHeldBack) this.#held.add(feed);
    if (delivery === undefined || ++this.#turn >= turnDeliveries) {
      this.#turn = 0;
      this.#ready.delete(feed);
      if (delivery !== undefined) this.#ready.add(feed);
    }
    if (delivery === undefined || feed.policy === undefined || feed.policy.chain.isEmpty) return delivery;
    const batches = await feed.policy.chain.process(withOrigins(delivery.batch), stop);
    if (batches.length === 0) await delivery.settle();
    else this.#parts.push(...partsOf(delivery, batches));
    return this.#parts.shift();
  }

  #isHeldBack(): boolean {
    for (const feed of this.#held) if (!feed.isHeldBack) this.#held.delete(feed);
    return this.#held.size > 0;
  }

  async #isAllowed(stop: AbortSignal): Promise<boolean> {
    while (this.#rateLimit !== undefined && !stop.aborted) {
      const waitMs = await this.#rateLimit.take();
      if (waitMs <= 0) return true;
      await pauseUnlessStopped(this.#context.clock, waitMs, stop);
    }
    return this.#rateLimit === undefined;
  }

  #change(stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#wake = undefined;
        stop.removeEventListener('abort', done);
        resolve();
      };
      this.#wake = done;
      stop.addEventListener('abort', done);
      if (stop.aborted) done();
    });
  }
}

interface Running {
  readonly fetcher: Fetcher;
  readonly assignment: GroupAssignment | WholeAssignment;
  readonly fetchCluster: KafkaCluster;
  readonly groupCluster: KafkaCluster;
  readonly ended: Promise<unknown>;
}
