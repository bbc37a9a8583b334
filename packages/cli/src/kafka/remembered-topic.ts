import type { KafkaCluster } from './cluster.ts';
import { type FindOptions, type FoundTopic, findTopic } from './topics.ts';

/** Agents come and go, and with them the leaders of partitions; a client that never fails would not hear of a new one. */
const memoryMaxMs = 30_000;

/** A topic whose leaders are looked up rarely, for whoever sends many requests about it. */
export class RememberedTopic {
  readonly name: string;
  readonly #cluster: KafkaCluster;
  readonly #options: FindOptions;
  #found: Promise<FoundTopic> | undefined;
  #foundAtMs = 0;

  constructor(cluster: KafkaCluster, name: string, options: FindOptions = {}) {
    this.name = name;
    this.#cluster = cluster;
    this.#options = options;
  }

  /** Throws `KafkaRequestFailed` when there is no such topic. */
  find(): Promise<FoundTopic> {
    const nowMs = this.#cluster.clock.monotonicMs();
    if (this.#found !== undefined && nowMs - this.#foundAtMs < memoryMaxMs) return this.#found;
    const finding = findTopic(this.#cluster, this.name, this.#options);
    this.#found = finding;
    this.#foundAtMs = nowMs;
    // A failure is for those who wait for it, and the next one asks again.
    finding.catch(() => {
      if (this.#found === finding) this.#found = undefined;
    });
    return finding;
  }

  /** Something that was known of it has proved wrong. */
  forget(): void {
    this.#found = undefined;
  }
}
