import { brokerLimits } from '../limits.ts';

/** Limits on the resources that peers of a listener may use. */
export interface ListenerLimits {
  readonly connectionsMax: number;
  /** Further ones, for addresses that have few. */
  readonly reservedConnectionsMax: number;
  readonly frameBytesMax: number;
  readonly requestsInFlightPerConnectionMax: number;
  readonly requestBytesInFlightPerConnectionMax: number;
  readonly requestBytesInFlightMax: number;
  readonly responseBytesQueuedPerConnectionMax: number;
  readonly responseBytesMax: number;
  /** Time limit for PROXY header and TLS handshake together. */
  readonly greetingMs: number;
  /** A connection without a request, an answer or anything in flight is closed after this time. */
  readonly idleMs: number;
  /** An unfinished frame, or queued answer bytes, must make progress within this time. */
  readonly progressMs: number;
  /** The same while the shared memory for requests or answers is full: slow connections are closed first then. */
  readonly progressWhenFullMs: number;
}

export function defaultListenerLimits(cpuCount: number): ListenerLimits {
  return {
    connectionsMax: brokerLimits.connectionsPerCpuMax * cpuCount,
    reservedConnectionsMax: brokerLimits.reservedConnectionsMax,
    frameBytesMax: brokerLimits.requestFrameBytesMax,
    requestsInFlightPerConnectionMax: brokerLimits.requestsInFlightPerConnectionMax,
    requestBytesInFlightPerConnectionMax: brokerLimits.requestBytesInFlightPerConnectionMax,
    requestBytesInFlightMax: Math.min(
      brokerLimits.requestBytesInFlightPerCpuMax * cpuCount,
      brokerLimits.requestBytesInFlightMax,
    ),
    responseBytesQueuedPerConnectionMax: brokerLimits.responseBytesQueuedPerConnectionMax,
    responseBytesMax: Math.min(brokerLimits.responseBytesPerCpuMax * cpuCount, brokerLimits.responseBytesMax),
    greetingMs: 10_000,
    idleMs: 3_600_000,
    progressMs: 15_000,
    progressWhenFullMs: 2_000,
  };
}
