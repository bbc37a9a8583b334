import { MiB } from '@weir/core';

/** Limits of HTTP listeners: connections and what they hold. */
export const httpLimits = {
  /**
   * Connections of an HTTP port of an agent: its own, that of the schema registry, and that of other agents. A port
   * that has so many takes a new one in place of one that is half-sent or idle, of the address with the most; a few
   * more are for addresses that have hardly any, such as those of probes.
   */
  httpConnectionsMax: 4096,
  httpReservedConnectionsMax: 64,

  /** Requests that an HTTP connection may send before it has read the answer to the first. They wait their turn. */
  httpRequestsWaitingMax: 16,

  /** Frames of a body that is compressed with zstd: each costs a fresh context, and clients write one. */
  httpZstdFramesMax: 1024,
  /** How long a peer of an HTTP port may leave a part of an answer unread, and what all of them may leave, about. */
  httpUnreadMsMax: 300_000,
  httpUnreadBytesMax: 1024 * MiB,
} as const;
