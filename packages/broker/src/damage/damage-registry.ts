import type { ReportedDamage } from '@weir/cluster';
import { type Clock, coreLimits, type Log } from '@weir/core';
import { logFileKey } from '@weir/storage';
import type { ErrorName } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { brokerLimits } from '../limits.ts';
import type { Damage, DamagedRange } from '../read-path/damaged-range.ts';

interface DamageRegistryOptions {
  readonly view: Pick<ClusterView, 'clusterId' | 'ends' | 'topicById'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Damaged offsets of one partition. */
export interface KnownDamage extends Damage {
  readonly topicId: string;
  readonly partition: number;
}

interface Entry extends KnownDamage {
  readonly foundMs: number;
  checkedMs: number;
}

/** For this long readers of a known damage are answered without a store request. */
export const recheckMs = 5_000;

/**
 * For this long readers get KAFKA_STORAGE_ERROR, which clients retry without the application noticing: an operator may
 * restore the file, and a replicated bucket may be behind. Then they get CORRUPT_MESSAGE, which clients pass to the
 * application.
 */
export const retriedMs = 15_000;

/**
 * The damaged ranges that readers of this agent have found, each logged once (and so emitted as an event), and part of
 * every report to the control plane while it lasts. Damage ends when the range is readable again, or when its offsets
 * are deleted.
 */
export class DamageRegistry {
  readonly #options: DamageRegistryOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: DamageRegistryOptions) {
    this.#options = options;
  }

  /** Records damage that a reader has found. Returns the error for its client. */
  found(topicId: string, partition: number, { damage, message }: DamagedRange): ErrorName {
    const nowMs = this.#options.clock.monotonicMs();
    const key = keyOf(topicId, partition, damage);
    const before = this.#entries.get(key);
    if (before !== undefined && before.kind === damage.kind && before.firstOffset === damage.firstOffset) {
      before.checkedMs = nowMs;
      return this.#errorOf(before);
    }
    const entry = { ...damage, topicId, partition, foundMs: before?.foundMs ?? nowMs, checkedMs: nowMs };
    if (before === undefined && this.#entries.size >= brokerLimits.damagedRangesMax)
      return this.#errorOf(entry);
    this.#entries.set(key, entry);
    this.#options.log.error('found damaged file', { ...this.#fieldsOf(entry), error: message });
    return this.#errorOf(entry);
  }

  /** Returns the error for a reader of an offset that was recently found damaged. */
  errorAt(topicId: string, partition: number, offset: number): ErrorName | undefined {
    if (this.#entries.size === 0) return undefined;
    const nowMs = this.#options.clock.monotonicMs();
    for (const entry of this.#entries.values()) {
      if (entry.topicId !== topicId || entry.partition !== partition) continue;
      if (offset < entry.firstOffset || offset >= entry.nextOffset) continue;
      if (nowMs - entry.checkedMs < recheckMs) return this.#errorOf(entry);
    }
    return undefined;
  }

  /** Called when a reader at `fromOffset` got batches up to `nextOffset`. */
  readable(topicId: string, partition: number, fromOffset: number, nextOffset: number): void {
    if (this.#entries.size === 0) return;
    for (const entry of [...this.#entries.values()]) {
      if (entry.topicId !== topicId || entry.partition !== partition) continue;
      if (nextOffset > entry.firstOffset && fromOffset < entry.nextOffset) this.recovered(entry);
    }
  }

  /** Called when the range can be read again. */
  recovered(damage: KnownDamage): void {
    if (!this.#drop(damage)) return;
    this.#options.log.info('recovered damaged file', this.#fieldsOf(damage));
  }

  /** Called when the damaged offsets no longer exist. */
  gone(damage: KnownDamage): void {
    if (!this.#drop(damage)) return;
    this.#options.log.info('forgot damaged file: its offsets were deleted', this.#fieldsOf(damage));
  }

  /** Returns known damage, oldest check first, without deleted offsets. */
  known(): readonly KnownDamage[] {
    const { view } = this.#options;
    for (const entry of [...this.#entries.values()]) {
      const ends = view.ends(entry.topicId, entry.partition);
      if (ends === undefined || ends.logStartOffset >= entry.nextOffset) this.gone(entry);
    }
    return [...this.#entries.values()].sort((a, b) => a.checkedMs - b.checkedMs);
  }

  /** Returns the files with the most damaged partitions, for the control plane. */
  report(): ReportedDamage[] {
    const byFile = new Map<string, KnownDamage[]>();
    for (const damage of this.known()) {
      const others = byFile.get(damage.fileId);
      if (others === undefined) byFile.set(damage.fileId, [damage]);
      else others.push(damage);
    }
    return [...byFile.values()]
      .sort((a, b) => b.length - a.length)
      .slice(0, coreLimits.reportedDamagedFilesMax)
      .map((damages) => ({
        fileId: damages[0]!.fileId,
        kind: damages[0]!.kind,
        partitionCount: damages.length,
        partitions: damages
          .slice(0, coreLimits.reportedDamagedPartitionsMax)
          .map(({ topicId, partition, firstOffset, nextOffset }) => ({
            topicId,
            partition,
            firstOffset,
            nextOffset,
          })),
      }));
  }

  #errorOf({ foundMs }: Entry): ErrorName {
    const ageMs = this.#options.clock.monotonicMs() - foundMs;
    return ageMs < retriedMs ? 'KAFKA_STORAGE_ERROR' : 'CORRUPT_MESSAGE';
  }

  #drop(damage: KnownDamage): boolean {
    return this.#entries.delete(keyOf(damage.topicId, damage.partition, damage));
  }

  #fieldsOf({ topicId, partition, fileId, kind, firstOffset, nextOffset }: KnownDamage) {
    const { view } = this.#options;
    return {
      file: logFileKey(view.clusterId, fileId),
      damage: kind,
      topic: view.topicById(topicId)?.name ?? topicId,
      partition,
      firstOffset,
      lastOffset: nextOffset - 1,
    };
  }
}

function keyOf(topicId: string, partition: number, { fileId, nextOffset }: Damage): string {
  return `${topicId}/${partition}/${fileId}/${nextOffset}`;
}
