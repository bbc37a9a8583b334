import type { FileCommit, PartitionsToCreate, TopicDescription } from '@weir/cluster';
import { type Clock, coreLimits } from '@weir/core';
import { metadataLimits } from '../../limits.ts';
import { checkGrowth, growthRuleOf, type Overload } from './growth.ts';

/** The part of the machine that the auto-scaler reads. */
interface ScaledTopics {
  topics(): Iterable<TopicDescription>;
  clusterConfigs(): Readonly<Record<string, string>>;
}

interface Watched {
  bytes: number;
  overload: Overload | undefined;
}

/**
 * Measures the throughput of topics that may grow automatically. Soft state of one leader: after a failover the time
 * above the target starts again.
 */
export class AutoScaler {
  readonly #machine: ScaledTopics;
  readonly #clock: Clock;
  #watched = new Map<string, Watched>();
  #checkedMs: number;

  constructor(machine: ScaledTopics, clock: Clock) {
    this.#machine = machine;
    this.#clock = clock;
    this.#checkedMs = clock.monotonicMs();
  }

  /** Counts bytes that are about to be committed. If an agent sends no uncompressed size, the stored size counts. */
  note(files: readonly FileCommit[]): void {
    if (this.#watched.size === 0) return;
    for (const file of files) {
      const { topicIds, uncompressedBytes } = file;
      const bytes = uncompressedBytes?.length === topicIds.length ? uncompressedBytes : storedBytes(file);
      for (const [index, topicId] of topicIds.entries()) {
        const watched = this.#watched.get(topicId);
        if (watched !== undefined) watched.bytes += bytes[index]!;
      }
    }
  }

  /** Checks all topics that may grow, and returns those that must. Must be called once per `checkIntervalMs`. */
  check(): PartitionsToCreate[] {
    const nowMs = this.#clock.monotonicMs();
    const seconds = Math.max(1, nowMs - this.#checkedMs) / 1000;
    this.#checkedMs = nowMs;
    const clusterTexts = this.#machine.clusterConfigs();
    const watched = new Map<string, Watched>();
    const growths: PartitionsToCreate[] = [];
    for (const { topicId, name, partitionCount, configs } of this.#machine.topics()) {
      const rule = growthRuleOf(configs, clusterTexts, coreLimits.partitionsPerTopicMax);
      if (rule === undefined) continue;
      if (watched.size === metadataLimits.scaledTopicsMax) break;
      const before = this.#watched.get(topicId);
      const bytesPerSecond = (before?.bytes ?? 0) / seconds;
      const { overload, growTo } = checkGrowth(before?.overload, { partitionCount, bytesPerSecond }, rule);
      watched.set(topicId, { bytes: 0, overload });
      if (growTo !== undefined) growths.push({ name, partitionCount: growTo });
    }
    this.#watched = watched;
    return growths;
  }
}

function storedBytes({ topicIds, topic, byteLength }: FileCommit): Float64Array {
  const bytes = new Float64Array(topicIds.length);
  for (let row = 0; row < topic.length; row++) bytes[topic[row]!]! += byteLength[row]!;
  return bytes;
}
