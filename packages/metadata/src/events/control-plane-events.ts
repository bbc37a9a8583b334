import {
  type ControlPlaneEvent,
  type ControlPlaneEventsPoll,
  type ControlPlaneEventsTaken,
  clusterConfigValue,
  controlPlaneEventsWaitMsMax,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { type Clock, coreLimits, type EventTypeName, eventTypeNames } from '@weir/core';
import type { EventMetrics } from './event-metrics.ts';

export interface ControlPlaneEventsOptions {
  /** Another one for each leader. */
  readonly queueId: string;
  readonly clusterConfigs: () => Readonly<Record<string, string>>;
  readonly metrics: EventMetrics;
  readonly clock: Clock;
}

/**
 * Events that wait for an agent which writes them. An event is given out until somebody says that it is written: an agent that dies in between costs
 * none, and may cost a double one. Soft state of the leader, bounded; the oldest make room for new ones.
 */
export class ControlPlaneEvents {
  readonly #options: ControlPlaneEventsOptions;
  #events: ControlPlaneEvent[] = [];
  #chars = 0;
  /** The number of the first of them; numbers are counted up for ever. */
  #firstNumber = 0;
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(options: ControlPlaneEventsOptions) {
    this.#options = options;
  }

  /** Whether events of the type are written at all. */
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
      this.#events.length - tooMany > clusterLimits.controlPlaneEventsMax ||
      chars > clusterLimits.controlPlaneEventCharsMax
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
    const events = this.#events.slice(0, clusterLimits.controlPlaneEventsPerCallMax);
    return { queueId: this.#options.queueId, nextNumber: this.#firstNumber + events.length, events };
  }

  /** The term is over; nobody is kept waiting. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Events were switched off meanwhile. */
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
