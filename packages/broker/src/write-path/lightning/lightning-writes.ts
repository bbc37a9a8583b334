import { createWritePath } from '../file-write-path.ts';
import type { OwnSequence } from '../own-sequences.ts';
import type { LateWritePath, WritePath, WritePathOptions } from '../write-path.ts';
import { AgentSequences } from './agent-sequences.ts';
import { BucketLeases } from './bucket-leases.ts';
import { lightningRows } from './lightning-metrics.ts';
import { topicPaths } from './topic-paths.ts';

interface LightningOptions extends Omit<WritePathOptions, 'sequences' | 'lateCommits' | 'hedgesUploads'> {
  readonly agentId: string;
  /** Whether records are also acknowledged while there is no leader (ADR 0231). By default they are not. */
  readonly hasRipcord?: boolean | undefined;
}

/** Where the store charges per request, files of lightning topics are so far apart over time, unless they are full. */
const lightningWindowMs = 25;
/** After a pause so many do not wait for others. */
const filesAtOnce = 4;

/**
 * Adds lightning topics to the write path of other topics: their records lie in files of their own, which are
 * acknowledged as soon as they are stored and committed behind that (ADR 0202).
 */
export function withLightning(classic: WritePath, options: LightningOptions): WritePath {
  const { agentId, cluster, clock, random, log, metrics, flush, hasRipcord = false } = options;
  const live = metrics.series(lightningRows.replayed, { live: 'true' });
  const closed = metrics.series(lightningRows.closed, {});
  const outstanding = metrics.series(lightningRows.outstanding, {});
  const latency = metrics.series(lightningRows.latency, {});
  const left = new LeftFiles();
  const sequences = new AgentSequences({
    agentId,
    port: () => cluster.port,
    clock,
    random,
    log,
    onClosed: () => closed.add(1),
    ripcord: hasRipcord
      ? {
          leases: new BucketLeases(options),
          onLeaving: (sequence) => lightning.leave(sequence),
          onCommitted(sequence) {
            const files = left.take(sequence);
            outstanding.add(-files);
            log.info('recovered files that were left in the bucket', { files });
            lightning.resume();
          },
          onRenewal: noteOldest,
        }
      : undefined,
  });
  const lightning: LateWritePath = createWritePath({
    ...options,
    // Beside those of other topics.
    bufferedBytesMax: options.bufferedBytesMax / 2,
    flush: { ...flush, windowMs: Math.min(flush.windowMs, lightningWindowMs), filesAtOnce },
    sequences,
    lateCommits: {
      acknowledged: () => outstanding.add(1),
      left(tookMs) {
        outstanding.add(-1);
        if (tookMs === undefined) return;
        live.add(1);
        latency.observe(tookMs / 1000);
      },
      leftToJob(sequence, storedMs) {
        if (left.isEmpty) log.warn('failed to commit files in time, leaving them in the bucket for a job');
        left.add(sequence, storedMs);
      },
    },
  });
  const { bufferedBytesMax } = options;
  return topicPaths({ classic, lightning, sequences, clock, bufferedBytesMax, areAllLightning: hasRipcord });

  function noteOldest(): void {
    const oldestMs = Math.min(left.oldestMs, lightning.oldestSealedMs() ?? Number.POSITIVE_INFINITY);
    const ageMs = Number.isFinite(oldestMs) ? clock.monotonicMs() - oldestMs : 0;
    metrics.series(lightningRows.oldest, {}).set(ageMs / 1000);
  }
}

/** The files that a job has to commit, by sequence. */
class LeftFiles {
  readonly #of = new Map<OwnSequence, { count: number; readonly oldestMs: number }>();

  get isEmpty(): boolean {
    return this.#of.size === 0;
  }

  get oldestMs(): number {
    return Math.min(...Array.from(this.#of.values(), ({ oldestMs }) => oldestMs));
  }

  add(sequence: OwnSequence, storedMs: number): void {
    const known = this.#of.get(sequence);
    if (known === undefined) this.#of.set(sequence, { count: 1, oldestMs: storedMs });
    else known.count++;
  }

  /** Forgets those of a sequence, and returns how many there were. */
  take(sequence: OwnSequence): number {
    const count = this.#of.get(sequence)?.count ?? 0;
    this.#of.delete(sequence);
    return count;
  }
}
