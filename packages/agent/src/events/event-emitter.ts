import type { Clock, Random } from '@weir/core';
import { agentSource, type EventEmitter } from '@weir/events/emission';
import type { ValueToWrite } from '@weir/wire';
import type { EventProcessor } from './event-processor.ts';
import type { EventSwitch } from './event-switch.ts';
import { EventWriter } from './event-writer.ts';

/** The emitter, as named in the source and the payload of events. */
export interface EmittingAgent {
  readonly agentId: string;
  readonly hostname: string;
  readonly clusterId: string;
  /** The display name of the cluster if it is known; it may change. */
  readonly clusterName?: () => string | undefined;
}

interface EmitterOptions {
  readonly agent: EmittingAgent;
  readonly events: Pick<EventSwitch, 'isOn'>;
  readonly processor: Pick<EventProcessor, 'submit' | 'refuse'>;
  readonly clock: Clock;
  readonly random: Random;
}

export function createEmitter(options: EmitterOptions): EventEmitter {
  const { agent, events, processor, clock } = options;
  let clusterName = agent.clusterName?.();
  let writer = writerFor(options, clusterName);
  return {
    isOn: (type) => events.isOn(type),
    emit(type, data, emitted) {
      if (!events.isOn(type)) return;
      const name = agent.clusterName?.();
      if (name !== clusterName) {
        clusterName = name;
        writer = writerFor(options, name);
      }
      const timeMs = Math.floor(emitted?.timeMs ?? clock.nowMs());
      let event: ValueToWrite;
      try {
        event = writer.event(type, timeMs, data);
      } catch {
        // Data that is not JSON is a bug in the agent, but no reason to fail.
        processor.refuse();
        return;
      }
      processor.submit(type, event, timeMs);
    },
  };
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
