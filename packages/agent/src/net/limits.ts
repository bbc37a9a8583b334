import { caps } from '@weir/core';

/** What the peers of a listener may use up. */
export interface ListenerLimits {
  readonly connectionsMax: number;
  readonly frameBytesMax: number;
  readonly requestsInFlightPerConnectionMax: number;
  readonly requestBytesInFlightPerConnectionMax: number;
  readonly requestBytesInFlightMax: number;
  readonly responseBytesQueuedPerConnectionMax: number;
  readonly responseBytesMax: number;
  /** Within this a client has said who it is: PROXY header and TLS handshake together. */
  readonly greetingMs: number;
  /** A connection without a request, an answer or anything under way is closed after this time. */
  readonly idleMs: number;
  /** A frame that was begun, or bytes that were sent, must make some progress within this time. */
  readonly progressMs: number;
  /** The same while requests or answers of all connections have no room: who is slow goes first then. */
  readonly progressWhenFullMs: number;
}

export function defaultListenerLimits(cpuCount: number): ListenerLimits {
  return {
    connectionsMax: caps.connectionsPerCpuMax * cpuCount,
    frameBytesMax: caps.requestFrameBytesMax,
    requestsInFlightPerConnectionMax: caps.requestsInFlightPerConnectionMax,
    requestBytesInFlightPerConnectionMax: caps.requestBytesInFlightPerConnectionMax,
    requestBytesInFlightMax: Math.min(
      caps.requestBytesInFlightPerCpuMax * cpuCount,
      caps.requestBytesInFlightMax,
    ),
    responseBytesQueuedPerConnectionMax: caps.responseBytesQueuedPerConnectionMax,
    responseBytesMax: Math.min(caps.responseBytesPerCpuMax * cpuCount, caps.responseBytesMax),
    greetingMs: 10_000,
    idleMs: 3_600_000,
    progressMs: 15_000,
    progressWhenFullMs: 2_000,
  };
}
