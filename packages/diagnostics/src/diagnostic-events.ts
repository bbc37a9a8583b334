import type { ControlPlaneEvent, EventsPort } from '@weir/cluster';
import type { Clock, Log, Random } from '@weir/core';
import {
  controlPlaneSource,
  EventIds,
  type EventRecord,
  type EventTypeName,
  serializeEvent,
} from '@weir/events';
import { diagnosticEventData } from './event.ts';
import { diagnosticFailureRow, diagnosticSamples } from './gauges.ts';
import type { DiagnosticRecord, Transition } from './record.ts';

interface DiagnosticEventsOptions {
  readonly portOf: (clusterId: string) => Pick<EventsPort, 'putControlPlaneEvents'>;
  /** The name of a cluster; `undefined` if it is unknown. */
  readonly nameOf: (clusterId: string) => string | undefined;
  /** Whether the metrics of a cluster that this process leads should become events. */
  readonly needsStats: (clusterId: string) => boolean;
  readonly random: Random;
  readonly clock: Clock;
  readonly log: Log;
}

export interface DiagnosticEvents {
  /** Called for every transition that is not silent. */
  changed(transition: Transition): void;
  /** Called after every run with the current records. */
  checked(clusterId: string, records: readonly DiagnosticRecord[]): void;
}

/**
 * Queues transitions for the agents of the cluster, which write them as events. Best effort: while a cluster has no
 * leader, or events are off, transitions are only in the store, the metrics and the log.
 */
export function diagnosticEvents(options: DiagnosticEventsOptions): DiagnosticEvents {
  const { portOf, nameOf, needsStats, clock, log } = options;
  const ids = new EventIds(options.random);
  const eventOf = (
    clusterId: string,
    type: EventTypeName,
    timeMs: number,
    fields: EventRecord['data'],
  ): ControlPlaneEvent => {
    const cluster = { virtual_cluster_id: clusterId, virtual_cluster_name: nameOf(clusterId) ?? clusterId };
    const source = controlPlaneSource(clusterId, 'diagnostics');
    const id = ids.next(timeMs);
    return {
      type,
      timeMs,
      text: serializeEvent({ id, source, type, timeMs, data: { ...fields, ...cluster } }),
    };
  };
  const leave = (clusterId: string, events: readonly ControlPlaneEvent[]) => {
    portOf(clusterId)
      .putControlPlaneEvents(events)
      .catch((error: Error) =>
        log.debug('failed to emit diagnostics as events', { clusterId, error: error.message }),
      );
  };
  return {
    changed(transition) {
      const fields = diagnosticEventData(transition);
      if (fields === undefined) return;
      const { clusterId, atMs } = transition;
      leave(clusterId, [eventOf(clusterId, 'diagnostics_logs', atMs, definedOnly(fields))]);
    },

    checked(clusterId, records) {
      if (!needsStats(clusterId)) return;
      const timeMs = clock.nowMs();
      const metric_name = `service_${diagnosticFailureRow.name}`;
      const events = diagnosticSamples(records).map(({ labels, value }) =>
        eventOf(clusterId, 'cluster_metrics', timeMs, { metric_name, value, tags: labels }),
      );
      if (events.length > 0) leave(clusterId, events);
    },
  };
}

function definedOnly(data: object): Record<string, string> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
