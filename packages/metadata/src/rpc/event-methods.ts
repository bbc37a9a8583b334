import type { ControlPlaneEvent, ControlPlaneEventsWish, EventsPort } from '../cluster/events-port.ts';
import type { Method } from './methods.ts';
import { list, object, text, tuple, whole } from './shape.ts';

/** The calls about events of the control plane. */
export const eventMethods = {
  putControlPlaneEvents: {
    membersOnly: true,
    again: 'remembered',
    deadlineMs: 10_000,
    args: tuple(list(object<ControlPlaneEvent>({ type: text, timeMs: whole, text }))),
  },
  // What was taken and is not said to be written is given out again.
  takeControlPlaneEvents: {
    again: 'repeated',
    deadlineMs: 60_000,
    waits: true,
    args: tuple(
      object<ControlPlaneEventsWish>({ agentId: text, queueId: text, writtenBefore: whole, waitMs: whole }),
    ),
  },
} as const satisfies { readonly [M in keyof EventsPort]: Method<Parameters<EventsPort[M]>> };
