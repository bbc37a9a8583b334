import {
  type ClusterChange,
  type ClusterPort,
  type ClusterSnapshot,
  clusterConfigValue,
  type KnownBucket,
  readBuckets,
} from '@weir/cluster';
import type { Clock, Log } from '@weir/core';
import { type BucketRoutes, type ObjectStore, routedStore, StoreError } from '@weir/storage';
import { brokerLimits } from '../limits.ts';
import { giveBucketId, readBucketId } from './bucket-id.ts';

/** A bucket that the agent was started with. */
export interface OwnBucket {
  readonly url: string;
  readonly store: ObjectStore;
  /** Absent in memory. */
  readonly bucketId?: string | undefined;
  /** Absent if the cluster does not know it: then the cluster itself has to name another one. */
  readonly number: number | undefined;
}

/** The numbers of the buckets to which new files go. */
interface Targets {
  readonly ingestion: number;
  readonly compaction: number;
}

export interface ClusterBucketsOptions {
  readonly clusterId: string;
  readonly cluster: Pick<ClusterPort, 'registerBucket'>;
  /** For files of the write path, and for compacted ones; the same one twice unless it is a pair. */
  readonly own: { readonly ingestion: OwnBucket; readonly compaction: OwnBucket };
  /** Opens a bucket. The caller closes it in the end. */
  readonly open: (url: string) => Promise<ObjectStore>;
  /** Returns why the operator of this agent does not allow it to use a bucket. */
  readonly problemOf: (url: string) => string | undefined;
  /** Returns the URL by which this agent opens the place of another URL: one of its own has its credentials. */
  readonly preferredUrl: (url: string) => string;
  /** A URL without secrets, for logs. */
  readonly shownUrl: (url: string) => string;
  /** A URL without secrets by which other agents find the place. */
  readonly storedUrl: (url: string) => string;
  /** Rejects if the agent cannot write to a bucket and read from it. One that is not known may be made. */
  readonly check?: ((store: ObjectStore, url: string, isKnown: boolean) => Promise<void>) | undefined;
  readonly freshId: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

const config = 'service.bucket.url';

/**
 * The buckets of a cluster as an agent uses them (ADR 0048). New files go to the bucket that the cluster names, else to
 * those that the agent was started with. Files lie where they were written, so that all buckets that the cluster knows
 * are read; they are opened when they are first needed.
 */
export class ClusterBuckets implements BucketRoutes {
  readonly #options: ClusterBucketsOptions;
  /** All buckets as one. */
  readonly store: ObjectStore;
  readonly #facts = new Map<string, Uint8Array>();
  #known: readonly KnownBucket[] = [];
  readonly #opened = new Map<number, OpenedBucket>();
  readonly #opening = new Map<number, Promise<ObjectStore>>();
  /** By URL: a bucket that cannot be used is tried again and again, and must not be opened each time. */
  readonly #stores = new Map<string, Promise<ObjectStore>>();
  readonly #refused = new Map<number, { readonly error: StoreError; readonly untilMs: number }>();
  readonly #own: { ingestion: OwnBucket; compaction: OwnBucket };
  #targets: Targets | undefined;
  #named = '';
  /** The name for which the targets were found. */
  #applied: string | undefined;
  #isApplying = false;
  #isStopped = false;
  #wake = () => {};
  #problem: string | undefined;
  #tried: string | undefined;
  #onTried = () => {};

  constructor(options: ClusterBucketsOptions) {
    this.#options = options;
    this.#own = { ...options.own };
    this.store = routedStore(this);
    const { ingestion, compaction } = options.own;
    if (ingestion.number !== undefined && compaction.number !== undefined)
      this.#targets = { ingestion: ingestion.number, compaction: compaction.number };
  }

  /** The number of the bucket for files of the write path. */
  get ingestion(): number {
    return this.#targets?.ingestion ?? 0;
  }

  /** The number of the bucket for compacted files. */
  get compaction(): number {
    return this.#targets?.compaction ?? 0;
  }

  /** Whether there is a bucket for new files. */
  get isUsable(): boolean {
    return this.#targets !== undefined;
  }

  /** Why the agent does not use the bucket that the cluster names. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * The bucket that the cluster names, empty if none, for which it is known whether the agent uses it; `undefined`
   * until the first one was tried.
   */
  get tried(): string | undefined {
    return this.#tried;
  }

  /** Calls a function each time that the agent learns whether it can use the bucket that the cluster names. */
  onTried(call: () => void): void {
    this.#onTried = call;
  }

  /** Everything that the cluster says of its buckets, from a snapshot of it. */
  restart({ clusterConfigs, records }: Pick<ClusterSnapshot, 'clusterConfigs' | 'records'>): void {
    this.#facts.clear();
    for (const { namespace, key, value } of records)
      if (namespace === 'clusterFact') this.#facts.set(key, Uint8Array.from(value));
    this.#readFacts();
    this.#follow(clusterConfigs);
  }

  observe(changes: readonly ClusterChange[]): void {
    for (const change of changes) {
      if (change.kind === 'clusterConfigs') this.#follow(change.configs);
      else if (change.kind === 'record' && change.namespace === 'clusterFact') {
        if (change.value === null) this.#facts.delete(change.key);
        else this.#facts.set(change.key, Uint8Array.from(change.value));
        this.#readFacts();
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /** The numbers of all buckets that may have files of the cluster. */
  numbers(): readonly number[] {
    return [...new Set([0, ...this.#known.map(({ number }) => number), ...this.#opened.keys()])].sort(
      (one, other) => one - other,
    );
  }

  /** How a thread opens the buckets; those that this agent may not use are left out. */
  urls(): readonly { readonly number: number; readonly url: string }[] {
    return this.numbers().flatMap((number) => {
      const url = this.#ownOf(number)?.url ?? this.#opened.get(number)?.url ?? this.#allowedUrl(number);
      return typeof url === 'string' ? [{ number, url }] : [];
    });
  }

  isKnown(number: number): boolean {
    return number === 0 || this.#opened.has(number) || this.#known.some((known) => known.number === number);
  }

  storeOf(number: number): ObjectStore | Promise<ObjectStore> {
    const opened = this.#ownOf(number)?.store ?? this.#opened.get(number)?.store;
    if (opened !== undefined) return opened;
    const refused = this.#refused.get(number);
    if (refused !== undefined && this.#options.clock.monotonicMs() < refused.untilMs) throw refused.error;
    let opening = this.#opening.get(number);
    if (opening === undefined) {
      opening = this.#open(number).finally(() => this.#opening.delete(number));
      this.#opening.set(number, opening);
    }
    return opening;
  }

  #storeAt(url: string): Promise<ObjectStore> {
    const before = this.#stores.get(url);
    if (before !== undefined) return before;
    const store = this.#options.open(url);
    this.#stores.set(url, store);
    store.catch(() => this.#stores.delete(url));
    return store;
  }

  #ownOf(number: number): OwnBucket | undefined {
    const known = number === 0 ? undefined : this.#known.find((bucket) => bucket.number === number);
    const { ingestion, compaction } = this.#own;
    return [ingestion, compaction].find(
      (own) => own.number === number && (known === undefined || known.bucketId === own.bucketId),
    );
  }

  /** The URL of a bucket that the agent may open, or the reason why there is none. */
  #allowedUrl(number: number): string | StoreError {
    const known = this.#known.find((bucket) => bucket.number === number);
    const name = `bucket ${number} of the cluster`;
    if (known === undefined) return new StoreError('unavailable', name, 'not known to this agent yet');
    if (known.url === '')
      return new StoreError('denied', name, `bucket id ${known.bucketId} has no known URL`);
    const { preferredUrl, problemOf, shownUrl } = this.#options;
    const url = preferredUrl(known.url);
    const problem = problemOf(url);
    return problem === undefined
      ? url
      : new StoreError('denied', `${name}, ${shownUrl(url)}`, `not allowed for this agent: ${problem}`);
  }

  async #open(number: number): Promise<ObjectStore> {
    const { clusterId, clock, log } = this.#options;
    const known = this.#known.find((bucket) => bucket.number === number);
    try {
      const url = this.#allowedUrl(number);
      if (url instanceof StoreError) throw url;
      const store = await this.#storeAt(url);
      const found = await readBucketId(store, clusterId, this.#known);
      if (found !== known!.bucketId)
        throw new StoreError(
          'denied',
          `bucket ${number} of the cluster`,
          `bucket id is ${found ?? 'missing'}`,
        );
      this.#opened.set(number, { bucketId: found, url, store });
      return store;
    } catch (error) {
      if (error instanceof StoreError) {
        const untilMs = clock.monotonicMs() + brokerLimits.bucketRetryMs;
        this.#refused.set(number, { error, untilMs });
        log.error('failed to open bucket of the cluster', { bucket: number, error: error.message });
      }
      throw error;
    }
  }

  #readFacts(): void {
    this.#known = readBuckets(this.#facts);
    this.#refused.clear();
    // A cluster that was restored to an earlier point may have given the number to another bucket since.
    for (const [number, { bucketId }] of this.#opened) {
      const known = this.#known.find((bucket) => bucket.number === number);
      if (known !== undefined && known.bucketId !== bucketId) this.#opened.delete(number);
    }
  }

  #follow(clusterConfigs: Readonly<Record<string, string>>): void {
    this.#named = clusterConfigValue(config, clusterConfigs)?.trim() ?? '';
    if (this.#isApplying) this.#wake();
    else if (this.#applied !== this.#named || !this.#areTargetsKnown()) void this.#applyNamed();
  }

  /** A cluster that was restored to an earlier point may not know buckets that it knew before. */
  #areTargetsKnown(): boolean {
    return [this.ingestion, this.compaction].every(
      (number) => number === 0 || this.#known.some((bucket) => bucket.number === number),
    );
  }

  /** Resolves when the bucket that the cluster names now was tried. */
  async settled(): Promise<void> {
    while (this.#isTrying !== undefined) await this.#isTrying;
  }

  #isTrying: Promise<unknown> | undefined;

  /** Follows the cluster until new files go where it says. */
  async #applyNamed(): Promise<void> {
    const { clock, log, shownUrl } = this.#options;
    this.#isApplying = true;
    for (;;) {
      const named = this.#named;
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      const trying = this.#targetsFor(named).catch((error: Error) => error);
      this.#isTrying = trying;
      const found = await trying;
      if (this.#isStopped) break;
      if (named !== this.#named) continue;
      this.#isTrying = undefined;
      if (!(found instanceof Error)) {
        this.#problem = undefined;
        this.#applied = named;
        this.#setTargets(found, named);
        this.#noteTried(named);
        break;
      }
      if (this.#problem !== found.message) {
        log.error('failed to switch to configured bucket, keeping the previous one', {
          config,
          bucket: shownUrl(named),
          error: found.message,
        });
        this.#problem = found.message;
        this.#tried = undefined;
      }
      this.#noteTried(named);
      await Promise.race([
        woken,
        new Promise<void>((resolve) => clock.after(brokerLimits.bucketRetryMs, resolve)),
      ]);
      if (this.#isStopped) break;
    }
    this.#isTrying = undefined;
    this.#isApplying = false;
  }

  #noteTried(named: string): void {
    if (this.#tried === named) return;
    this.#tried = named;
    this.#onTried();
  }

  #setTargets(found: Targets, named: string): void {
    const { log, shownUrl } = this.#options;
    const { ingestion, compaction } = found;
    const isChanged = ingestion !== this.#targets?.ingestion || compaction !== this.#targets.compaction;
    this.#targets = found;
    if (!isChanged) return;
    const from = named === '' ? {} : { url: shownUrl(named) };
    log.info('switched bucket of new files', { ingestion, compaction, ...from });
  }

  async #targetsFor(named: string): Promise<Targets> {
    const { ingestion, compaction } = this.#own;
    if (named === '') return await this.#ownTargets();
    const { preferredUrl, problemOf, check } = this.#options;
    const url = preferredUrl(named);
    for (const own of [ingestion, compaction]) {
      if (own.url !== url || own.number === undefined) continue;
      const number = await this.#numberOfOwn(own, own.number);
      return { ingestion: number, compaction: number };
    }
    const problem = problemOf(url);
    if (problem !== undefined) throw new Error(problem);
    const again = [...this.#opened.values()].find((opened) => opened.url === url);
    const own = [ingestion, compaction].find((bucket) => bucket.url === url);
    const store = again?.store ?? own?.store ?? (await this.#storeAt(url));
    const isKnown = this.#known.some((bucket) => preferredUrl(bucket.url) === url);
    if (again === undefined) await check?.(store, url, isKnown);
    const number = await this.#register(store, url, named);
    return { ingestion: number, compaction: number };
  }

  async #ownTargets(): Promise<Targets> {
    const { ingestion, compaction } = this.#own;
    if (ingestion.number === undefined || compaction.number === undefined)
      throw new Error(
        'service.bucket.url is not set, and -bucketURL of this agent is not registered with the cluster',
      );
    const first = await this.#numberOfOwn(ingestion, ingestion.number);
    const isPair = compaction.url !== ingestion.url;
    return {
      ingestion: first,
      compaction: isPair ? await this.#numberOfOwn(compaction, compaction.number) : first,
    };
  }

  /** The number of an own bucket. A cluster that was restored to an earlier point may have to learn it again. */
  async #numberOfOwn(own: OwnBucket, number: number): Promise<number> {
    const known = this.#known.find(({ bucketId }) => bucketId === own.bucketId);
    const again = number === 0 ? 0 : (known?.number ?? (await this.#register(own.store, own.url, '')));
    if (again === number) return number;
    if (this.#own.ingestion === own) this.#own.ingestion = { ...own, number: again };
    if (this.#own.compaction === own) this.#own.compaction = { ...own, number: again };
    return again;
  }

  /** `named` is the URL as the cluster has it; other URLs may have secrets of the agent, and are stored without. */
  async #register(store: ObjectStore, url: string, named: string): Promise<number> {
    const { clusterId, cluster, freshId, storedUrl } = this.#options;
    const [first] = this.#known;
    const firstOwn = this.#ownOf(0);
    // From now on there are agents that were not started with the first bucket.
    if (first?.url === '' && firstOwn !== undefined)
      await cluster.registerBucket({ bucketId: first.bucketId, url: storedUrl(firstOwn.url) });
    const bucketId = await giveBucketId(store, clusterId, this.#known, freshId);
    const number = await cluster.registerBucket({ bucketId, url: named === '' ? storedUrl(url) : named });
    if (number < 0) throw new Error('bucket limit reached, or no bucket registered');
    if (this.#ownOf(number) === undefined) this.#opened.set(number, { bucketId, url, store });
    return number;
  }
}

interface OpenedBucket {
  readonly bucketId: string;
  readonly url: string;
  readonly store: ObjectStore;
}
