import type { KafkaCluster } from '../cluster.ts';
import { type FindOptions, type FoundTopic, findTopic } from '../topics.ts';

/**
 * Maximum age of the lookup. Partition leaders change as agents come and go, and a client without errors would never
 * learn of a new one.
 */
const memoryMaxMs = 30_000;

/** A cached topic lookup, for clients that send many requests about one topic. */
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
    // Failures are not cached: the waiting callers get the error, and the next call looks up again.
    finding.catch(() => {
      if (this.#found === finding) this.#found = undefined;
    });
    return finding;
  }

  /** Discards the cached lookup, after an error showed that it is outdated. */
  forget(): void {
    this.#found = undefined;
  }
}
