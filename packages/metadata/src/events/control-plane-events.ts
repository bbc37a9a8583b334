import {
  type ControlPlaneEvent,
  type ControlPlaneEventsPoll,
  type ControlPlaneEventsTaken,
  clusterConfigValue,
  controlPlaneEventsWaitMsMax,
} from '@weir/cluster';
import { type Clock, coreLimits, type EventTypeName, eventTypeNames } from '@weir/core';
import { metadataLimits } from '../limits.ts';
import type { EventMetrics } from './event-metrics.ts';

export interface ControlPlaneEventsOptions {
  /** Unique per leader. */
  readonly queueId: string;
  readonly clusterConfigs: () => Readonly<Record<string, string>>;
  readonly metrics: EventMetrics;
  readonly clock: Clock;
}

/**
 * Events that wait for an agent to write them. An event is returned until an agent confirms that it is written: an
 * agent that dies in between loses none, but may cause a duplicate. Soft state of the leader, bounded; new events evict
 * the oldest.
 */
export class ControlPlaneEvents {
  readonly #options: ControlPlaneEventsOptions;
  #events: ControlPlaneEvent[] = [];
  #chars = 0;
  /** The sequence number of the first waiting event. */
  #firstNumber = 0;
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(options: ControlPlaneEventsOptions) {
    this.#options = options;
  }

  /** Returns whether events of the type are enabled. */
  wants(type: string): boolean {
    const configs = this.#options.clusterConfigs();
    return (
      isEventType(type) &&
      clusterConfigValue('service.events.enabled', configs) &&
      clusterConfigValue(`service.events.${type}.enabled`, configs)
    );
  }

  put(events: readonly ControlPlaneEvent[]): void {
    for (const event of events) {
      if (!this.wants(event.type)) continue;
      if (event.text.length > coreLimits.eventBytesMax) {
        this.#options.metrics.dropped.add(1);
        continue;
      }
      this.#events.push(event);
      this.#chars += event.text.length;
    }
    let tooMany = 0;
    let chars = this.#chars;
    while (
      this.#events.length - tooMany > metadataLimits.controlPlaneEventsMax ||
      chars > metadataLimits.controlPlaneEventCharsMax
    ) {
      chars -= this.#events[tooMany++]!.text.length;
    }
    this.#drop(tooMany);
    this.#options.metrics.dropped.add(tooMany);
    if (this.#events.length > 0) this.#wake();
  }

  async take({ queueId, writtenBefore, waitMs }: ControlPlaneEventsPoll): Promise<ControlPlaneEventsTaken> {
    if (queueId === this.#options.queueId) {
      const written = Math.min(Math.max(0, writtenBefore - this.#firstNumber), this.#events.length);
      this.#drop(written);
      this.#options.metrics.handedOver.add(written);
    }
    if (this.#events.length === 0) await this.#wait(Math.min(waitMs, controlPlaneEventsWaitMsMax));
    this.#dropUnwanted();
    const events = this.#events.slice(0, metadataLimits.controlPlaneEventsPerCallMax);
    return { queueId: this.#options.queueId, nextNumber: this.#firstNumber + events.length, events };
  }

  /** Ends the term and wakes all waiting polls. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Drops events that were disabled meanwhile. */
  #dropUnwanted(): void {
    if (this.#events.some(({ type }) => this.wants(type))) return;
    this.#drop(this.#events.length);
  }

  #drop(count: number): void {
    if (count === 0) return;
    for (const { text } of this.#events.splice(0, count)) this.#chars -= text.length;
    this.#firstNumber += count;
  }

  #wait(ms: number): Promise<void> {
    if (this.#isClosed || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.#waiting.delete(done);
        resolve();
      };
      const cancel = this.#options.clock.after(ms, done);
      this.#waiting.add(done);
    });
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}

function isEventType(type: string): type is EventTypeName {
  return (eventTypeNames as readonly string[]).includes(type);
}
