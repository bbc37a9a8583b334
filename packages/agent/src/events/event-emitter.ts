import type { Clock, Random } from '@weir/core';
import { agentSource, type EventData, type EventTypeName } from '@weir/events/emission';
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
  /** Does nothing while the type is off. */
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
  readonly processor: Pick<EventProcessor, 'submit'>;
  readonly clock: Clock;
  readonly random: Random;
}

export function createEmitter({ agent, events, processor, clock, random }: EmitterOptions): EventEmitter {
  let clusterName = agent.clusterName?.();
  let writer = writerFor(agent, clusterName, random);
  return {
    isOn: (type) => events.isOn(type),
    emit(type, data, options) {
      if (!events.isOn(type)) return;
      const name = agent.clusterName?.();
      if (name !== clusterName) {
        clusterName = name;
        writer = writerFor(agent, name, random);
      }
      const timeMs = Math.floor(options?.timeMs ?? clock.nowMs());
      processor.submit(type, writer.event(type, timeMs, data), timeMs);
    },
  };
}

function writerFor(agent: EmittingAgent, clusterName: string | undefined, random: Random): EventWriter {
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
