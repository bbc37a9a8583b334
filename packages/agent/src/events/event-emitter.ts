import { type Clock, KiB, type Random } from '@weir/core';
import { agentSource, type EventData, type EventTypeName } from '@weir/events/emission';
import type { ValueToWrite } from '@weir/wire';
import type { EventProcessor } from './event-processor.ts';
import type { EventSwitch } from './event-switch.ts';
import { EventWriter } from './event-writer.ts';

export interface EmitOptions {
  /** When it happened; now when not given. */
  readonly timeMs?: number;
}

/** What the parts of an agent tell events with. It never throws and never makes anybody wait; what cannot be written is counted. */
export interface EventEmitter {
  /** Whether events of the type are wanted. Ask it where making the data of one costs something. */
  isOn(type: EventTypeName): boolean;
  /** Does nothing while the type is off. The data is looked at later: whoever gives it must not change it any more. */
  emit(type: EventTypeName, data: EventData, options?: EmitOptions): void;
}

/** Who emits. Events say it in their source and in their payload. */
export interface EmittingAgent {
  readonly agentId: string;
  readonly hostname: string;
  readonly clusterId: string;
  /** What people call the cluster, as far as that is known; it may change. */
  readonly clusterName?: () => string | undefined;
}

export interface EmitterOptions {
  readonly agent: EmittingAgent;
  readonly events: Pick<EventSwitch, 'isOn'>;
  readonly processor: Pick<EventProcessor, 'submit' | 'refuse'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** How long events wait to be written down together, and how much of them does not. */
export const writeDelayMs = 50;
const waitingCountMax = 1_024;
const waitingCharsMax = 256 * KiB;

interface EmittedEvent {
  readonly type: EventTypeName;
  readonly timeMs: number;
  readonly data: EventData;
}

/**
 * Takes note of events and writes them down a little later, many at a time: whoever emits goes on at once, and the hundredth in a row takes a quarter of
 * the time of one that comes between two requests, for which the processor has to fetch everything anew.
 */
export class AgentEmitter implements EventEmitter {
  readonly #options: EmitterOptions;
  #clusterName: string | undefined;
  #writer: EventWriter;
  #waiting: EmittedEvent[] = [];
  #waitingChars = 0;
  #cancel: (() => void) | undefined;

  constructor(options: EmitterOptions) {
    this.#options = options;
    this.#clusterName = options.agent.clusterName?.();
    this.#writer = writerFor(options, this.#clusterName);
  }

  isOn(type: EventTypeName): boolean {
    return this.#options.events.isOn(type);
  }

  emit(type: EventTypeName, data: EventData, options?: EmitOptions): void {
    const { events, clock } = this.#options;
    if (!events.isOn(type)) return;
    this.#waiting.push({ type, timeMs: Math.floor(options?.timeMs ?? clock.nowMs()), data });
    this.#waitingChars += roughChars(data);
    if (this.#waiting.length >= waitingCountMax || this.#waitingChars >= waitingCharsMax) this.writeNow();
    else this.#cancel ??= clock.after(writeDelayMs, () => this.writeNow());
  }

  writeNow(): void {
    const { agent, processor } = this.#options;
    this.#cancel?.();
    this.#cancel = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    const clusterName = agent.clusterName?.();
    if (clusterName !== this.#clusterName) {
      this.#clusterName = clusterName;
      this.#writer = writerFor(this.#options, clusterName);
    }
    for (const { type, timeMs, data } of waiting) {
      const event = this.#written(type, timeMs, data);
      if (event === undefined) processor.refuse();
      else processor.submit(type, event, timeMs);
    }
  }

  /** Nothing for data that is no JSON, which is a mistake of ours, and no reason to fail. */
  #written(type: EventTypeName, timeMs: number, data: EventData): ValueToWrite | undefined {
    try {
      return this.#writer.event(type, timeMs, data);
    } catch {
      return undefined;
    }
  }
}

/** What is long in an event is text that comes from outside. */
function roughChars(data: EventData): number {
  let chars = 0;
  for (const key in data) {
    const value = data[key];
    if (typeof value === 'string') chars += value.length;
  }
  return chars;
}

function writerFor({ agent, random }: EmitterOptions, clusterName: string | undefined): EventWriter {
  const { agentId, hostname, clusterId } = agent;
  return new EventWriter({
    source: agentSource({ virtualClusterId: clusterId, agentId }),
    common: {
      agent_id: agentId,
      hostname_fqdn: hostname,
      virtual_cluster_id: clusterId,
      virtual_cluster_name: clusterName ?? clusterId,
    },
    random,
  });
}
