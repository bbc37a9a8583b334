import type { Clock } from '@weir/core';
import { brokerLimits } from '../../limits.ts';
import { PendingAppend } from '../pending-append.ts';
import type { AppendOutcome, AppendResult, ProducedBatch } from '../produced-batch.ts';
import { WaitingAppends } from '../waiting-appends.ts';
import type { AppendOptions, WritePath } from '../write-path.ts';
import type { AgentSequences } from './agent-sequences.ts';
import { RequestsInFlight } from './requests-in-flight.ts';

interface TopicPathsOptions {
  readonly classic: WritePath;
  readonly lightning: WritePath;
  readonly sequences: Pick<AgentSequences, 'stop' | 'abandon'>;
  readonly clock: Clock;
  /** Limit on bytes of requests that wait for a change of topics. */
  readonly bufferedBytesMax: number;
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
 * is answered and committed first, so that the records of a client keep their order. Requests of other topics go on; so
 * that they cannot overtake, those that share a topic with a waiting request wait behind it.
 */
export function topicPaths({
  classic,
  lightning,
  sequences,
  clock,
  bufferedBytesMax,
  areAllLightning = false,
}: TopicPathsOptions): WritePath {
  /** Topics whose last batch was one of a lightning topic; the oldest are forgotten. */
  const isLightning = new Set<string>();
  const inFlight = new Map([classic, lightning].map((path) => [path, new RequestsInFlight()]));
  /** By topic: when the last of the requests that wait has begun or was given up. */
  const lastWaiting = new Map<string, Promise<void>>();
  const waiting = new WaitingAppends(clock);

  return {
    append: (batches, options) => new Promise((resolve) => begin(batches, options, resolve)),
    begin,
    appendInBackground: (batches) => classic.appendInBackground(batches),
    async drain() {
      while (lastWaiting.size > 0) await Promise.all(lastWaiting.values());
      await Promise.all([classic.drain(), lightning.drain()]);
      await sequences.stop();
    },
    abandon() {
      waiting.abandon();
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
    if (isLightning.size === 0 && lastWaiting.size === 0 && !batches.some(isOfLightning)) {
      beginOn(classic, batches, options, onOutcome);
      return;
    }
    const others = othersBefore(batches);
    const isQuiet = others.length > 0 ? Promise.all(others).then(() => changed(batches)) : changed(batches);
    if (isQuiet === undefined) route(batches, options, onOutcome);
    else wait(isQuiet, batches, options, onOutcome);
  }

  /** The requests that wait and share a topic with these batches. */
  function othersBefore(batches: readonly ProducedBatch[]): readonly Promise<void>[] {
    if (lastWaiting.size === 0) return [];
    const others = new Set<Promise<void>>();
    for (const { topicId } of batches) {
      const last = lastWaiting.get(topicId);
      if (last !== undefined) others.add(last);
    }
    return [...others];
  }

  /**
   * Notes the types of the topics. Resolves when what was written to topics that have changed is answered and
   * committed; `undefined` if none has, or nothing was.
   */
  function changed(batches: readonly ProducedBatch[]): Promise<void> | undefined {
    let isNew = false;
    let isFormer = false;
    for (const { topicId, isLightning: isNow = false } of batches) {
      if (isNow === isLightning.has(topicId)) continue;
      if (isNow) isLightning.add(topicId);
      else isLightning.delete(topicId);
      isNew ||= isNow;
      isFormer ||= !isNow;
    }
    for (const topicId of isLightning) {
      if (isLightning.size <= brokerLimits.lightningTopicsMax) break;
      isLightning.delete(topicId);
    }
    // Written here before, if at all, on the path of other topics, which answers what is committed.
    const quiet = isNew ? inFlight.get(classic)!.answered() : undefined;
    if (!isFormer) return quiet;
    const answered = inFlight.get(lightning)!.answered();
    return Promise.all([quiet, answered]).then(() => lightning.committed());
  }

  function wait(
    isQuiet: Promise<void>,
    batches: readonly ProducedBatch[],
    options: AppendOptions,
    onOutcome: (outcome: AppendOutcome) => void,
  ): void {
    const arrivedMs = clock.monotonicMs();
    const { deadlineMs, left, receivedMs = arrivedMs } = options;
    const append = new PendingAppend(batches, { arrivedMs, deadlineMs, receivedMs, left }, onOutcome);
    if (waiting.size > 0 && waiting.bytes + append.bytes > bufferedBytesMax) {
      append.heldUntil(Number.POSITIVE_INFINITY);
      append.fail('REQUEST_TIMED_OUT');
    } else {
      waiting.add(append, () => {
        waiting.remove(append);
        append.fail('REQUEST_TIMED_OUT');
      });
    }
    // Also behind one that was given up: what it waits for holds for those that follow.
    const begun = isQuiet.then(() => {
      for (const { topicId } of batches) if (lastWaiting.get(topicId) === begun) lastWaiting.delete(topicId);
      if (append.isAnswered) return;
      waiting.remove(append);
      route(batches, { ...options, receivedMs }, ({ results, throttleTimeMs }) => {
        // The wait was no back-pressure.
        append.throttleTimeMs = throttleTimeMs;
        append.settle(results);
      });
    });
    for (const { topicId } of batches) lastWaiting.set(topicId, begun);
  }

  function beginOn(
    path: WritePath,
    batches: readonly ProducedBatch[],
    options: AppendOptions,
    onOutcome: (outcome: AppendOutcome) => void,
  ): void {
    const requests = inFlight.get(path)!;
    const group = requests.begin();
    path.begin(batches, options, (outcome) => {
      requests.end(group);
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
