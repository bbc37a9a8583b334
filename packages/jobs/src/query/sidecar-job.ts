import { DamagedRange } from '@weir/broker';
import { jobLeaseMs, type QueriesPort } from '@weir/cluster';
import type { Clock, Log, MetricRow, Metrics } from '@weir/core';
import { eventTypeNames } from '@weir/events/emission';
import type { ObjectStore } from '@weir/storage';
import { jobLimits } from '../limits.ts';
import type { EventSource, EventTopic } from './engine.ts';
import { sidecarKey } from './sidecar-names.ts';
import { type OffsetRange, rangeToCover } from './sidecar-ranges.ts';
import type { SidecarShelf } from './sidecar-shelf.ts';
import { buildSidecarOffThread } from './sidecar-thread.ts';

interface SidecarJobOptions {
  readonly clusterId: string;
  readonly agentId: string;
  readonly port: Pick<QueriesPort, 'holdJob'>;
  readonly source: Pick<EventSource, 'topics' | 'offsetAt' | 'read'>;
  readonly shelf: SidecarShelf;
  readonly store: ObjectStore;
  /** Whether it removes sidecars. */
  readonly deletesFiles: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Name of the job, which one agent at a time holds. */
const sidecarJobName = 'event-sidecars';

export const sidecarRow: MetricRow<'outcome'> = {
  name: 'event_sidecars_total',
  kind: 'counter',
  help: 'Event sidecars handled by this agent, by outcome.',
  labels: ['outcome'],
};

const holdIntervalMs = Math.floor(jobLeaseMs / 3);
const roundIntervalMs = 30_000;

/**
 * Writes sidecars of events, and removes those whose events are gone; those of deleted topics are removed by the scan
 * for dead files. One agent of the cluster does so at a time, as
 * long as it renews its hold with the leader; another agent restarts what a failed agent has not finished. If two
 * agents do it at once for a moment, both write correct sidecars.
 */
export class SidecarJob {
  readonly #options: SidecarJobOptions;
  readonly #stopping = new AbortController();
  #hasIt = false;
  /** The running round; it is aborted when another agent takes over the job. */
  #round: { readonly controller: AbortController; readonly ended: Promise<void> } | undefined;
  #lastRoundMs = Number.NEGATIVE_INFINITY;
  #cancel = () => {};

  constructor(options: SidecarJobOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(holdIntervalMs, () => {
      void this.#check().finally(() => {
        if (!this.#stopping.signal.aborted) this.start();
      });
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#stopping.abort();
    this.#round?.controller.abort(this.#stopping.signal.reason);
    await this.#round?.ended;
  }

  /** Does everything that is due now, in every topic. */
  async run(signal: AbortSignal): Promise<void> {
    for (const topic of await this.#options.source.topics(eventTypeNames)) {
      if (this.#options.deletesFiles) await this.#removeOld(topic, signal);
      try {
        while (await this.#coverNext(topic, signal));
      } catch (error) {
        // Other topics get their sidecars. The events before and after the damage are scanned without one.
        if (!(error instanceof DamagedRange)) throw error;
        this.#count('failed');
        this.#options.log.debug('failed to write sidecars of damaged events', { error: error.message });
      }
    }
  }

  async #check(): Promise<void> {
    const { clock, source, log } = this.#options;
    try {
      // A cluster without events does not need the job.
      if (!this.#hasIt && (await source.topics(eventTypeNames)).length === 0) return;
      this.#hasIt = await this.#hold();
    } catch (error) {
      log.debug('failed to acquire sidecar job', { error: String(error) });
      return;
    }
    if (!this.#hasIt) this.#round?.controller.abort(new Error('sidecar job taken over by another agent'));
    const isDue = clock.monotonicMs() - this.#lastRoundMs >= roundIntervalMs;
    if (this.#hasIt && this.#round === undefined && isDue && !this.#stopping.signal.aborted) this.#begin();
  }

  #hold(): Promise<boolean> {
    const { port, agentId } = this.#options;
    return port.holdJob({ agentId, job: sidecarJobName, hasIt: this.#hasIt });
  }

  #begin(): void {
    const { clock, log } = this.#options;
    const controller = new AbortController();
    const ended = this.run(controller.signal)
      .catch((error: Error) => {
        if (controller.signal.aborted) return;
        this.#count('failed');
        log.warn('failed to write sidecars of events', { error: error.message });
      })
      .finally(() => {
        this.#round = undefined;
        this.#lastRoundMs = clock.monotonicMs();
      });
    this.#round = { controller, ended };
  }

  /** Returns whether there was something to do. */
  async #coverNext(topic: EventTopic, signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    const { source, shelf, clock } = this.#options;
    const sidecars = await shelf.all(topic.topicId, signal);
    if (sidecars.length >= jobLimits.eventSidecarsPerTopicMax) return false;
    const range = await rangeToCover(source, topic, sidecars, clock.nowMs());
    return range !== undefined && (await this.#cover(topic, range, signal));
  }

  async #cover(topic: EventTopic, range: OffsetRange, signal: AbortSignal): Promise<boolean> {
    const { clusterId, source, store, shelf } = this.#options;
    const { topicId } = topic;
    const pages = source.read(topic, range.fromOffset, range.toOffset, signal);
    const built = await buildSidecarOffThread(pages, range, signal);
    // Retention removed the events meanwhile.
    if (built === undefined) return false;
    await store.put(sidecarKey(clusterId, topicId, built.range), built.pieces, { signal });
    shelf.forget(topicId);
    this.#count('written');
    return true;
  }

  async #removeOld({ topicId, startOffset }: EventTopic, signal: AbortSignal): Promise<void> {
    for (const { id, toOffset } of await this.#options.shelf.all(topicId, signal))
      if (toOffset <= startOffset) await this.#remove(id, signal);
  }

  async #remove(key: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.#options.store.delete(key, { signal });
    this.#count('removed');
  }

  #count(outcome: string): void {
    this.#options.metrics.series(sidecarRow, { outcome }).add(1);
  }
}
