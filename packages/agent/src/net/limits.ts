import { agentLimits } from '../limits.ts';

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
    connectionsMax: agentLimits.connectionsPerCpuMax * cpuCount,
    frameBytesMax: agentLimits.requestFrameBytesMax,
    requestsInFlightPerConnectionMax: agentLimits.requestsInFlightPerConnectionMax,
    requestBytesInFlightPerConnectionMax: agentLimits.requestBytesInFlightPerConnectionMax,
    requestBytesInFlightMax: Math.min(
      agentLimits.requestBytesInFlightPerCpuMax * cpuCount,
      agentLimits.requestBytesInFlightMax,
    ),
    responseBytesQueuedPerConnectionMax: agentLimits.responseBytesQueuedPerConnectionMax,
    responseBytesMax: Math.min(agentLimits.responseBytesPerCpuMax * cpuCount, agentLimits.responseBytesMax),
    greetingMs: 10_000,
    idleMs: 3_600_000,
    progressMs: 15_000,
    progressWhenFullMs: 2_000,
  };
}
