import type { Log, Random } from '@weir/core';
import { controlPlaneSource, newEventId, serializeEvent } from '@weir/events';
import type { ControlPlaneEvent, EventsPort } from '@weir/metadata';
import { diagnosticEventData } from './event.ts';
import type { Transition } from './record.ts';

export interface TransitionEventsOptions {
  readonly portOf: (clusterId: string) => Pick<EventsPort, 'putControlPlaneEvents'>;
  /** What people call a cluster; `undefined` where that is not known. */
  readonly nameOf: (clusterId: string) => string | undefined;
  readonly random: Random;
  readonly log: Log;
}

/**
 * Leaves transitions for the agents of their cluster, who write them among its events. Nobody waits for it: while a cluster has no leader, or no events
 * are wanted, the transition is in the store and in the log, and that is all.
 */
export function transitionEvents(options: TransitionEventsOptions): (transition: Transition) => void {
  const { portOf, nameOf, random, log } = options;
  return (transition) => {
    const event = transitionEvent(transition, nameOf(transition.clusterId), random);
    if (event === undefined) return;
    portOf(transition.clusterId)
      .putControlPlaneEvents([event])
      .catch((error: Error) =>
        log.debug('a diagnostic did not become an event', { ...transition, problem: error.message }),
      );
  };
}

/** `undefined` for what nobody is to be told. */
export function transitionEvent(
  transition: Transition,
  clusterName: string | undefined,
  random: Random,
): ControlPlaneEvent | undefined {
  const said = diagnosticEventData(transition);
  if (said === undefined) return undefined;
  const { clusterId, atMs } = transition;
  const type = 'diagnostics_logs';
  const text = serializeEvent({
    id: newEventId(atMs, random),
    source: controlPlaneSource(clusterId, 'diagnostics'),
    type,
    timeMs: atMs,
    data: { ...definedOnly(said), virtual_cluster_name: clusterName ?? clusterId },
  });
  return { type, timeMs: atMs, text };
}

function definedOnly(data: object): Record<string, string> {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}
