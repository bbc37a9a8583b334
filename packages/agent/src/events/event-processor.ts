import type { WritePath } from '@weir/broker';
import { backOffMs, type Clock, KiB, type Log, type Metrics } from '@weir/core';
import type { EventTypeName } from '@weir/events/emission';
import type { ErrorName, ValueToWrite } from '@weir/wire';
import type { EventBatch } from './event-batch.ts';
import { type EventMetrics, eventMetrics } from './event-metrics.ts';
import { type EventCut, EventQueue, type QueueLimits } from './event-queue.ts';
import type { EventTopics } from './event-topics.ts';

interface EventProcessorOptions {
  readonly topics: Pick<EventTopics, 'known' | 'ensure'>;
  readonly writePath: Pick<WritePath, 'appendInBackground'>;
  readonly limits?: QueueLimits;
  readonly clock: Clock;
  /** Must not be a log whose lines become events: a line about failed events would be a further event. */
  readonly log: Log;
  readonly metrics: Metrics;
}

/** How long events wait for others, and the size at which they do not. */
export const gatherMs = 500;
const cutBytes = 512 * KiB;
const retryBackOff = { firstMs: 250, maxMs: 4_000 };
const triesMax = 6;

/**
 * Writes events in the background: gathers them, builds a batch per type, and appends it in the background. The emitter
 * never waits.
 *
 * An append that certainly failed is retried a few times. One that may have succeeded is not, so that no event appears
 * twice.
 */
export class EventProcessor {
  readonly #options: EventProcessorOptions;
  readonly #metrics: EventMetrics;
  readonly #queue: EventQueue;
  readonly #underWay = new Set<Promise<void>>();
  readonly #pauses = new Set<() => void>();
  #cancelCut: (() => void) | undefined;
  #isCutDue = false;
  #hasStopped = false;

  constructor(options: EventProcessorOptions) {
    this.#options = options;
    this.#metrics = eventMetrics(options.metrics);
    this.#queue = new EventQueue(options.limits);
  }

  submit(type: EventTypeName, event: ValueToWrite, timeMs: number): void {
    if (this.#hasStopped) return;
    const taken = this.#queue.offer(type, event, timeMs);
    if (taken === 'tooLarge') this.#metrics.tooLarge.add(1);
    else if (taken === 'full') this.#metrics.refused.add(1);
    else {
      this.#metrics.submitted.add(1);
      this.#metrics.submittedBytes.add(taken);
      this.#cutSoon();
    }
  }

  /** Counts an event that cannot be submitted. */
  refuse(): void {
    this.#metrics.refused.add(1);
  }

  /** Resolves when all events submitted before are written or given up. */
  async settled(): Promise<void> {
    this.#cut();
    await Promise.all(this.#underWay);
  }

  /**
   * Takes no more events, and hands pending ones to the write path; resolves when that has them. Events that would have
   * to wait, as for a topic that does not exist yet, are given up.
   */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    this.#cancelCut?.();
    const cuts = this.#queue.take();
    for (const end of this.#pauses) end();
    await Promise.all(
      cuts.map(async (cut) => {
        const topicId = this.#options.topics.known(cut.type);
        if (topicId === undefined) return this.#end(cut, false);
        const batch = await cut.draft.finish();
        void this.#append(batch, topicId).then((error) => this.#end(cut, error === 'NONE'));
      }),
    );
  }

  #cutSoon(): void {
    const { clock } = this.#options;
    if (this.#queue.waitingBytes >= cutBytes) {
      if (this.#isCutDue) return;
      this.#isCutDue = true;
      this.#cancelCut?.();
      // Not synchronously, so that the emitter is not delayed.
      this.#cancelCut = clock.after(0, () => this.#cut());
    } else {
      this.#cancelCut ??= clock.after(gatherMs, () => this.#cut());
    }
  }

  #cut(): void {
    this.#cancelCut?.();
    this.#cancelCut = undefined;
    this.#isCutDue = false;
    for (const cut of this.#queue.take()) {
      const written = this.#write(cut)
        .catch((error) => {
          this.#options.log.error('failed to build batch of events', { error: String(error) });
          return false;
        })
        .then((isWritten) => {
          this.#end(cut, isWritten);
          this.#underWay.delete(written);
        });
      this.#underWay.add(written);
    }
  }

  #end(cut: EventCut, isWritten: boolean): void {
    this.#metrics[isWritten ? 'written' : 'lost'].add(cut.draft.count);
    this.#queue.settle(cut);
  }

  async #write(cut: EventCut): Promise<boolean> {
    const { topics } = this.#options;
    const { type } = cut;
    const batch = await cut.draft.finish();
    let problem = 'they have no topic';
    for (let tries = 1; ; tries++) {
      const topicId = this.#hasStopped ? topics.known(type) : await topics.ensure(type);
      if (topicId !== undefined) {
        const error = await this.#append(batch, topicId);
        if (error === 'NONE') return true;
        problem = error;
        if (!isNotWritten(error)) break;
      }
      if (tries === triesMax || this.#hasStopped) break;
      await this.#pause(backOffMs(tries - 1, retryBackOff));
    }
    this.#options.log.warn('failed to write events', { type, count: cut.draft.count, error: problem });
    return false;
  }

  async #append(batch: EventBatch, topicId: string): Promise<ErrorName> {
    const { results } = await this.#options.writePath.appendInBackground([
      { ...batch, topicId, partition: 0 },
    ]);
    return results[0]!.error;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#pauses.delete(end);
        resolve();
      };
      const cancel = this.#options.clock.after(ms, end);
      this.#pauses.add(end);
    });
  }
}

/** Whether the batch will certainly never be visible: the store failed, or the topic does not exist. */
function isNotWritten(error: ErrorName): boolean {
  return (
    error === 'KAFKA_STORAGE_ERROR' || error === 'UNKNOWN_TOPIC_ID' || error === 'UNKNOWN_TOPIC_OR_PARTITION'
  );
}
