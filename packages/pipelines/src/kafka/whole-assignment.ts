import { type KafkaCluster, kafkaReason } from '@weir/client';
import { backOffMs, type Log, pauseUnlessStopped } from '@weir/core';
import { type AssignedPlace, type PartitionHolder, placeKey } from './partition-holder.ts';
import { missingTopicsMs, type Subscription } from './subscription.ts';

const retryBackOff = { firstMs: 100, maxMs: 5_000 };

/** Reads partitions without a group: those that are named, or all of topics. Nothing is committed. */
export class WholeAssignment {
  readonly #cluster: KafkaCluster;
  readonly #source: readonly AssignedPlace[] | Subscription;
  readonly #metadataMaxAgeMs: number;
  readonly #holder: PartitionHolder;
  readonly #log: Log;

  constructor(
    cluster: KafkaCluster,
    source: readonly AssignedPlace[] | Subscription,
    metadataMaxAgeMs: number,
    holder: PartitionHolder,
    log: Log,
  ) {
    this.#cluster = cluster;
    this.#source = source;
    this.#metadataMaxAgeMs = metadataMaxAgeMs;
    this.#holder = holder;
    this.#log = log;
  }

  async run(stop: AbortSignal): Promise<void> {
    if (!('partitionCounts' in this.#source)) return this.#holder.assign(this.#source);
    let failures = 0;
    while (!stop.aborted) {
      try {
        const isMissing = await this.#follow(this.#source);
        failures = 0;
        const pauseMs = isMissing ? missingTopicsMs : this.#metadataMaxAgeMs;
        await pauseUnlessStopped(this.#cluster.clock, pauseMs, stop);
      } catch (error) {
        if (stop.aborted) return;
        this.#log.warn('failed to look up topics', { error: kafkaReason(error) });
        await pauseUnlessStopped(this.#cluster.clock, backOffMs(failures++, retryBackOff), stop);
      }
    }
  }

  async leave(): Promise<void> {
    this.#holder.drop(this.#holder.held());
  }

  /** Whether a topic is missing. */
  async #follow(subscription: Subscription): Promise<boolean> {
    const counts = await subscription.partitionCounts(this.#cluster);
    const held = this.#holder.held();
    const heldKeys = new Set(held.map(placeKey));
    const places = [...counts].flatMap(([topic, count]) =>
      Array.from({ length: count }, (_, partition) => ({ topic, partition, offset: undefined })),
    );
    this.#holder.drop(held.filter(({ topic, partition }) => partition >= (counts.get(topic) ?? 0)));
    await this.#holder.assign(places.filter((place) => !heldKeys.has(placeKey(place))));
    return subscription.isMissing(counts);
  }
}
