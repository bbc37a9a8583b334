/**
 * The Kafka clusters that tables are made of. All tables of a process that name the same brokers and credentials share
 * the connections: one request at a time to every broker, for all their partitions.
 */
import { type ClusterOptions, Fetcher, findTopic, KafkaCluster } from '@weir/client';
import type { AllowedHosts } from '@weir/cluster/outbound';
import type { Clock, Log } from '@weir/core';
import { zeroUuid } from '@weir/wire';
import type { Source, SourceReader, SourceTopic } from '../ingestion/source.ts';
import { tableLimits } from '../limits.ts';
import type { SourceCluster } from '../table-definition.ts';
import type { SourceFeed } from './source-feed.ts';
import { type CredentialValue, sourceLogin } from './source-login.ts';
import { describePartitions, TopicReader } from './topic-reader.ts';

interface SourceClustersOptions {
  /** Which brokers may be connected to. */
  readonly hosts: Pick<AllowedHosts, 'lookupFor'>;
  /** How often topics are looked up. */
  readonly lookUpMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** A topic that a table is made of. Its owner closes it. */
interface OpenSource extends Source {
  /** Why partitions are not read at the moment. */
  problems(): ReadonlyMap<number, string>;
  close(): Promise<void>;
}

export class SourceClusters {
  readonly #options: SourceClustersOptions;
  readonly #shared = new Map<string, SharedCluster>();

  constructor(options: SourceClustersOptions) {
    this.#options = options;
  }

  /** Throws one line if a credential is missing. Nothing is connected to yet. */
  open(cluster: SourceCluster, topic: string, credentialValue: CredentialValue): OpenSource {
    const { tls, login } = sourceLogin(cluster.credentials, credentialValue);
    const bootstrap = cluster.brokers.map(({ hostname, port }) => ({ host: hostname, port }));
    const key = JSON.stringify([bootstrap, tls ?? null, login ?? null]);
    let shared = this.#shared.get(key);
    if (shared === undefined) {
      const { clock, hosts, lookUpMs = tableLimits.sourceLookUpMs } = this.#options;
      shared = new SharedCluster(
        {
          bootstrap: bootstrap as [(typeof bootstrap)[number]],
          tls,
          login,
          clientId,
          timeoutMs,
          clock,
          lookupFor: (host, port) => hosts.lookupFor(host, port),
        },
        lookUpMs,
        this.#options.log.with({ sourceCluster: cluster.name }),
        () => this.#shared.delete(key),
      );
      this.#shared.set(key, shared);
    }
    return shared.source(topic);
  }

  /** How many clusters have connections, for tests. */
  get size(): number {
    return this.#shared.size;
  }
}

const clientId = 'weir-tables';
/** Timeout of one request, including its retries. */
const timeoutMs = 10_000;

class SharedCluster {
  readonly asks: KafkaCluster;
  readonly log: Log;
  readonly #fetches: KafkaCluster;
  readonly #fetcher: Fetcher;
  readonly #stop = new AbortController();
  readonly #readers = new Set<TopicReader>();
  readonly #lookUpMs: number;
  readonly #onEnded: () => void;
  #sourceCount = 0;
  #running: Promise<void> | undefined;
  #cancelLook = () => {};

  constructor(options: Omit<ClusterOptions, 'stop'>, lookUpMs: number, log: Log, onEnded: () => void) {
    this.#lookUpMs = lookUpMs;
    const stop = this.#stop.signal;
    // Brokers answer the requests of one connection in order, so others must not wait behind a fetch.
    this.asks = new KafkaCluster({ ...options, stop });
    this.#fetches = new KafkaCluster({ ...options, stop });
    this.log = log;
    this.#onEnded = onEnded;
    this.#fetcher = new Fetcher(
      this.#fetches,
      {
        maxWaitMs: tableLimits.sourceWaitMsMax,
        responseBytesMax: tableLimits.sourceAnswerBytesMax,
        partitionBytesMax: tableLimits.sourcePartitionBytesMax,
        starvedBytesMax: tableLimits.sourceStarvedBytesMax,
        isolation: 'read_committed',
        rackId: '',
        reset: 'none',
        metadataMaxAgeMs: lookUpMs,
        gatherMs,
      },
      log,
    );
  }

  source(topic: string): OpenSource {
    this.#sourceCount++;
    const readers = new Set<TopicReader>();
    let isOpen = true;
    return {
      describe: () => this.#describe(topic),
      open: (positions) => this.#open(topic, positions, readers),
      problems: () => new Map([...readers].flatMap((reader) => [...reader.problems()])),
      close: async () => {
        if (!isOpen) return;
        isOpen = false;
        await Promise.all([...readers].map((reader) => reader.close()));
        if (--this.#sourceCount === 0) await this.#end();
      },
    };
  }

  add(feeds: readonly SourceFeed[]): void {
    this.#running ??= this.#fetcher.run();
    this.#fetcher.add(feeds);
  }

  remove(feeds: readonly SourceFeed[]): void {
    this.#fetcher.remove(feeds);
  }

  wake(): void {
    this.#fetcher.wake();
  }

  async #describe(topic: string): Promise<SourceTopic> {
    const { topic: found } = await this.asks.retrying(() => findTopic(this.asks, topic));
    const partitions = found.partitions.map(({ partitionIndex }) => partitionIndex).sort((a, b) => a - b);
    return {
      topicId: found.topicId === zeroUuid ? undefined : found.topicId,
      partitions: await describePartitions(this.asks, topic, partitions),
    };
  }

  #open(topic: string, positions: ReadonlyMap<number, bigint>, ofSource: Set<TopicReader>): SourceReader {
    const reader: TopicReader = new TopicReader(topic, this, () => {
      ofSource.delete(reader);
      this.#readers.delete(reader);
    });
    ofSource.add(reader);
    this.#readers.add(reader);
    reader.open(positions);
    if (this.#readers.size === 1) this.#lookLater();
    return reader;
  }

  /** Looks for new partitions of all topics, with one request. */
  #lookLater(): void {
    this.#cancelLook();
    this.#cancelLook = this.asks.clock.after(this.#lookUpMs, () => {
      void this.#look().finally(() => {
        if (this.#readers.size > 0 && !this.#stop.signal.aborted) this.#lookLater();
      });
    });
  }

  async #look(): Promise<void> {
    const names = [...new Set([...this.#readers].map(({ topic }) => topic))];
    if (names.length === 0) return;
    try {
      const { topics } = await this.asks.metadata(names);
      const counts = new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
      for (const reader of this.#readers) void reader.counted(counts.get(reader.topic) ?? 0);
    } catch {
      // The fetches say what is wrong with the cluster.
    }
  }

  async #end(): Promise<void> {
    this.#onEnded();
    this.#cancelLook();
    this.#stop.abort();
    await this.#running;
    await Promise.all([this.asks.close(), this.#fetches.close()]);
  }
}

/** Tables that start together are asked for together. */
const gatherMs = 20;
