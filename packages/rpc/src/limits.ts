import { MiB } from '@weir/core';

/** Limits of the connections between agents and the control plane. */
export const rpcLimits = {
  /**
   * The largest frame that an agent may send to the control plane: a commit of a file is about 80 bytes per batch.
   */
  rpcCallBytesMax: 16 * MiB,

  /** The part of `rpcCallBytesMax` that is JSON. Parsed, it may take ten times its length. */
  rpcCallBodyBytesMax: 4 * MiB,

  /**
   * Bytes beyond `rpcCallBytesMax` that the control plane still reads, so that an agent gets a "call too large" error
   * instead of a lost connection.
   */
  rpcCallSurplusBytesMax: 1 * MiB,

  /**
   * Entries of a list in one call; longer lists are split into several calls. With 200 bytes of JSON each they fit, and
   * other calls can run in between.
   */
  rpcCallEntriesMax: 10_000,

  /** The same for topics to create and configs to alter: an entry takes ten microseconds and more. */
  rpcCostlyCallEntriesMax: 2_000,

  /**
   * The largest frame that the control plane sends: a snapshot, with 16 bytes per partition and some hundred per
   * topic.
   */
  rpcReplyBytesMax: 256 * MiB,

  /** An empty column is 8 bytes on the wire and about 200 in memory. */
  rpcColumnsMax: 128 * 1024,

  /** Nesting depth of lists and objects in a frame. */
  rpcDepthMax: 32,

  /** Names of one object in a call. The largest are the configs of a topic, of which a request has at most 1,000. */
  rpcObjectNamesMax: 10_000,

  /** Calls of one agent that wait for an answer, including those that are queued or wait for a connection. */
  rpcPendingCallsMax: 4096,

  /**
   * Calls of one connection that the control plane runs concurrently. The agent learns the limit with hello and sends
   * no more.
   */
  rpcRunningCallsMax: 256,

  /**
   * Calls of one connection that wait for calls of other agents, as members of a group wait for each other. A waiting
   * call uses no CPU.
   */
  rpcWaitingCallsMax: 16_384,

  /** Answers per agent that are stored in case they were lost. An agent confirms them long before. */
  rpcRememberedRepliesMax: 32_768,

  /** Agents whose answers are stored after their connection was lost. */
  rpcRememberedClientsMax: 10_000,

  /**
   * Unsent changes per connection. A follower that falls further behind loses them and gets a snapshot once it has
   * caught up.
   */
  rpcQueuedPushBytesMax: 16 * MiB,

  /** Unsent bytes of any kind per connection, excluding a snapshot. An agent that reads too slowly is disconnected. */
  rpcQueuedBytesMax: 64 * MiB,
} as const;
