import { type KeyCompactionJob, keyCompactionKind, writeKeyCompactionTask } from '@weir/cluster';
import type { Clock } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import type { AskMachine } from './ask-machine.ts';
import type { ClaimedFiles } from './claimed-files.ts';
import type { JobPlanner, PlannedJob } from './job-planner.ts';
import { allSteps } from './plan-steps.ts';

interface KeyCompactionPlannerOptions {
  readonly ask: AskMachine;
  readonly clock: Clock;
  /** Files that are being merged. */
  readonly merged: Pick<ClaimedFiles, 'claimed'>;
  /** Files of the jobs of this planner. */
  readonly claims: Pick<ClaimedFiles, 'claim' | 'keep' | 'reserve'>;
  /** Called with the dirty ratio of the dirtiest partition. */
  readonly onPlanned?: (dirtyRatioMax: number) => void;
}

/** As Apache Kafka's `log.cleaner.backoff.ms`. */
const planIntervalMs = 15_000;

/**
 * Plans compactions of keys. A partition of which a file is being merged waits for the merge; meanwhile no other merge
 * takes files of it.
 */
export function keyCompactionPlanner({
  ask,
  clock,
  merged,
  claims,
  onPlanned,
}: KeyCompactionPlannerOptions): JobPlanner {
  const partitionsOf = new Map<string, ReadonlySet<string>>();
  let plannedMs = Number.NEGATIVE_INFINITY;
  return {
    kind: keyCompactionKind,
    openMax: metadataLimits.openKeyCompactionsMax,
    retry: { firstMs: 60_000, maxMs: 3_600_000 },
    async plan({ nowMs, isOpen, freeCount }) {
      for (const scope of [...partitionsOf.keys()]) if (!isOpen(scope)) partitionsOf.delete(scope);
      claims.keep((scope) => partitionsOf.has(scope));
      if (nowMs < plannedMs + planIntervalMs) return [];
      plannedMs = nowMs;
      const open = new Set([...partitionsOf.values()].flatMap((places) => [...places]));
      const claimed = merged.claimed();
      const steps = await ask((machine) =>
        machine.planKeyCompaction(nowMs, {
          isFileClaimed: (fileId) => claimed.has(fileId),
          isPartitionOpen: (topicId, partition) => open.has(placeOf(topicId, partition)),
        }),
      );
      const { jobs, names, reservedFileIds, dirtyRatioMax } = await allSteps(steps, clock);
      // Until now the plan may contain pointers that a crash could undo.
      await ask(() => undefined);
      onPlanned?.(dirtyRatioMax);
      claims.reserve(reservedFileIds);
      return jobs.slice(0, freeCount).map((job, index): PlannedJob => {
        const scope = scopeOf(names[index]!);
        partitionsOf.set(scope, new Set(placesOf(job)));
        claims.claim(
          scope,
          job.inputs.map(({ fileId }) => fileId),
        );
        return { scope, task: writeKeyCompactionTask(job) };
      });
    },
  };
}

function scopeOf(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : `${names[0]} and ${names.length - 1} more`;
}

function placesOf({ topicIds, ranges }: KeyCompactionJob): string[] {
  return Array.from(ranges.topic, (topic, range) => placeOf(topicIds[topic]!, ranges.partition[range]!));
}

function placeOf(topicId: string, partition: number): string {
  return `${partition} ${topicId}`;
}
