import {
  type AgentDescription,
  type ControlPlaneEventsTaken,
  controlPlaneEventsWaitMsMax,
  type EventsPort,
} from '@weir/cluster';
import { backOffMs, type Clock, type Log } from '@weir/core';
import { isEventTypeName } from '@weir/events/emission';
import { takesJobs } from '@weir/jobs';
import { textValue } from '@weir/wire';
import type { EventProcessor } from './event-processor.ts';

export interface ControlPlaneEventsOptions {
  readonly port: Pick<EventsPort, 'takeControlPlaneEvents'>;
  readonly agentId: string;
  /** Whether this agent is the one that fetches them, and whether there can be any. */
  readonly isTaker: () => boolean;
  readonly processor: Pick<EventProcessor, 'submit' | 'settled'>;
  readonly clock: Clock;
  readonly log: Log;
}

const pollIntervalMs = 1_000;
const retryBackOff = { firstMs: pollIntervalMs, maxMs: 30_000 };

/**
 * Fetches the events of the control plane and writes them like the agent's own. Acknowledges them to the control plane
 * only when they are written.
 */
export class ControlPlaneEvents {
  readonly #options: ControlPlaneEventsOptions;
  #last: ControlPlaneEventsTaken = { queueId: '', nextNumber: 0, events: [] };
  #cancel: (() => void) | undefined;
  #hasStopped = false;
  #failures = 0;

  constructor(options: ControlPlaneEventsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#again(pollIntervalMs);
  }

  /** Events in flight to this agent are fetched again by the next one. */
  stop(): void {
    this.#hasStopped = true;
    this.#cancel?.();
  }

  #again(delayMs: number): void {
    this.#cancel = this.#options.clock.after(delayMs, () => {
      void this.#turn().then((nextMs) => {
        if (!this.#hasStopped) this.#again(nextMs);
      });
    });
  }

  /** Returns the delay until the next turn. */
  async #turn(): Promise<number> {
    if (!this.#options.isTaker()) return pollIntervalMs;
    try {
      await this.#take();
      this.#failures = 0;
      return 0;
    } catch (error) {
      // A control plane that is older than this agent has no such call.
      this.#options.log.debug('failed to fetch events of the control plane', { error: String(error) });
      return backOffMs(this.#failures++, retryBackOff);
    }
  }

  async #take(): Promise<void> {
    const { port, agentId, processor } = this.#options;
    const { queueId, nextNumber: writtenBefore } = this.#last;
    const poll = { agentId, queueId, writtenBefore, waitMs: controlPlaneEventsWaitMsMax };
    const polled = await port.takeControlPlaneEvents(poll);
    if (this.#hasStopped) return;
    for (const { type, text, timeMs } of polled.events) {
      if (isEventTypeName(type)) processor.submit(type, textValue(text), timeMs);
    }
    if (polled.events.length > 0) await processor.settled();
    this.#last = { ...polled, events: [] };
  }
}

/** Agents of this release or later fetch events of the control plane. */
const fromRelease = 829;

/**
 * Whether an agent is the one that handles the events of the whole cluster: of the agents that take such jobs and have
 * a recent enough release, the one with the smallest id. Agents may see different lists for a moment.
 */
export function isEventsAgent(agentId: string, agents: readonly AgentDescription[]): boolean {
  return agents.every(
    (other) =>
      !takesJobs(other, 'events') || releaseNumber(other.release) < fromRelease || other.agentId >= agentId,
  );
}

/** A release without a number is a custom build and counts as the newest. */
function releaseNumber(release: string): number {
  const number = Number(/^v(\d+)/.exec(release)?.[1]);
  return Number.isNaN(number) ? Number.POSITIVE_INFINITY : number;
}
