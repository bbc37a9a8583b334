import { brokerLimits } from '../../limits.ts';
import type { AppendOutcome, AppendResult, ProducedBatch } from '../produced-batch.ts';
import type { AppendOptions, WritePath } from '../write-path.ts';
import type { AgentSequences } from './agent-sequences.ts';

interface TopicPathsOptions {
  readonly classic: WritePath;
  readonly lightning: WritePath;
  readonly sequences: Pick<AgentSequences, 'stop' | 'abandon'>;
  /** Whether the type of no topic ever changes, because all topics are lightning topics. By default they are not. */
  readonly areAllLightning?: boolean | undefined;
}

interface Part {
  readonly path: WritePath;
  readonly batches: readonly ProducedBatch[];
  readonly rows: readonly number[];
}

/**
 * Sends each batch to the write path of its topic's type. When the type of a topic has changed, what was written before
 * is committed first, so that the records of a client keep their order.
 */
export function topicPaths({
  classic,
  lightning,
  sequences,
  areAllLightning = false,
}: TopicPathsOptions): WritePath {
  /** Topics whose last batch was one of a lightning topic; the oldest are forgotten. */
  const isLightning = new Set<string>();
  /** While the type of a topic changes, what comes next waits. */
  let changing: Promise<void> | undefined;
  let classicCount = 0;
  /** Requests of lightning topics that are neither answered nor given up. */
  let lightningCount = 0;
  const whenQuiet: (() => void)[] = [];

  return {
    append: (batches, options) => new Promise((resolve) => begin(batches, options, resolve)),
    begin,
    appendInBackground: (batches) => classic.appendInBackground(batches),
    async drain() {
      await changing;
      await Promise.all([classic.drain(), lightning.drain()]);
      await sequences.stop();
    },
    abandon() {
      classic.abandon();
      lightning.abandon();
      sequences.abandon();
    },
    committed: () => lightning.committed(),
  };

  function begin(
    batches: readonly ProducedBatch[],
    options: AppendOptions,
    onOutcome: (outcome: AppendOutcome) => void,
  ): void {
    if (areAllLightning) {
      route(batches, options, onOutcome);
      return;
    }
    if (isLightning.size === 0 && changing === undefined && !batches.some(isOfLightning)) {
      beginOn(classic, batches, options, onOutcome);
      return;
    }
    if (changing === undefined && notesChange(batches)) changing = change();
    if (changing === undefined) route(batches, options, onOutcome);
    else void changing.then(() => begin(batches, options, onOutcome));
  }

  /** Notes the types of the topics, and returns whether one has changed while something is under way. */
  function notesChange(batches: readonly ProducedBatch[]): boolean {
    let hasChanged = false;
    for (const { topicId, isLightning: isNow = false } of batches) {
      if (isNow === isLightning.has(topicId)) continue;
      hasChanged = true;
      if (isNow) isLightning.add(topicId);
      else isLightning.delete(topicId);
    }
    if (isLightning.size > brokerLimits.lightningTopicsMax)
      isLightning.delete(isLightning.values().next().value!);
    return hasChanged;
  }

  /** Resolves when all that was begun is answered and committed. */
  async function change(): Promise<void> {
    if (classicCount + lightningCount > 0) await new Promise<void>((resolve) => whenQuiet.push(resolve));
    await lightning.committed();
    changing = undefined;
  }

  function beginOn(
    path: WritePath,
    batches: readonly ProducedBatch[],
    options: AppendOptions,
    onOutcome: (outcome: AppendOutcome) => void,
  ): void {
    if (path === classic) classicCount++;
    else lightningCount++;
    path.begin(batches, options, (outcome) => {
      if (path === classic) classicCount--;
      else lightningCount--;
      if (whenQuiet.length > 0 && classicCount + lightningCount === 0)
        for (const resolve of whenQuiet.splice(0)) resolve();
      onOutcome(outcome);
    });
  }

  function route(
    batches: readonly ProducedBatch[],
    options: AppendOptions,
    onOutcome: (outcome: AppendOutcome) => void,
  ): void {
    const parts = partsOf(batches);
    if (parts.length === 1) {
      beginOn(parts[0]!.path, batches, options, onOutcome);
      return;
    }
    const results = new Array<AppendResult>(batches.length);
    let throttleTimeMs = 0;
    let left = parts.length;
    for (const part of parts) {
      beginOn(part.path, part.batches, options, (outcome) => {
        for (const [index, row] of part.rows.entries()) results[row] = outcome.results[index]!;
        throttleTimeMs = Math.max(throttleTimeMs, outcome.throttleTimeMs);
        if (--left === 0) onOutcome({ results, throttleTimeMs });
      });
    }
  }

  function partsOf(batches: readonly ProducedBatch[]): Part[] {
    const count = batches.reduce((sum, batch) => sum + (isOfLightning(batch) ? 1 : 0), 0);
    if (count === batches.length || count === 0)
      return [{ path: count === 0 ? classic : lightning, batches, rows: [] }];
    return [classic, lightning].map((path) => {
      const rows: number[] = [];
      for (const [row, batch] of batches.entries())
        if (isOfLightning(batch) === (path === lightning)) rows.push(row);
      return { path, rows, batches: rows.map((row) => batches[row]!) };
    });
  }
}

function isOfLightning({ isLightning }: ProducedBatch): boolean {
  return isLightning === true;
}
