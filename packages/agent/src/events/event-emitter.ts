import type { Clock, Random } from '@weir/core';
import {
  agentSource,
  commonData,
  type EventData,
  type EventTypeName,
  newEventId,
  serializeEventText,
} from '@weir/events/emission';
import type { EventProcessor } from './event-processor.ts';
import type { EventSwitch } from './event-switch.ts';

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
  const source = agentSource({ virtualClusterId: agent.clusterId, agentId: agent.agentId });
  let { clusterName, said } = saidBy(agent);
  return {
    isOn: (type) => events.isOn(type),
    emit(type, data, options) {
      if (!events.isOn(type)) return;
      if (agent.clusterName?.() !== clusterName) ({ clusterName, said } = saidBy(agent));
      const timeMs = Math.floor(options?.timeMs ?? clock.nowMs());
      const id = newEventId(timeMs, random);
      processor.submit(type, serializeEventText({ id, source, type, timeMs }, said.textWith(data)), timeMs);
    },
  };
}

/** What all events of an agent say, and by which name of its cluster. */
function saidBy(agent: EmittingAgent) {
  const clusterName = agent.clusterName?.();
  const said = commonData({
    agent_id: agent.agentId,
    hostname_fqdn: agent.hostname,
    virtual_cluster_id: agent.clusterId,
    virtual_cluster_name: clusterName ?? agent.clusterId,
  });
  return { clusterName, said };
}
