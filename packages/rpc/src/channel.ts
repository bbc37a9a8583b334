/**
 * A connection that carries whole frames in order, either way, until it ends. The WebSocket is one; tests have one in memory.
 */
export interface Channel {
  /** Does nothing once the channel has ended. The bytes must not be changed afterwards. */
  send(frame: Uint8Array): void;
  /** Bytes that were given to `send` and have not left yet. */
  unsentBytes(): number;
  /** Called once, right after the channel was made; nothing is delivered before. */
  listen(listener: ChannelListener): void;
  /** Ends it in order: what was sent still goes out. `onEnd` follows. */
  close(code: EndCode, reason: string): void;
  /** Ends it at once, when the peer cannot be expected to answer. `onEnd` follows. */
  abort(): void;
}

export interface ChannelListener {
  onFrame(frame: Uint8Array): void;
  /** Called once. `code` is `undefined` when the connection broke. */
  onEnd(code: number | undefined, reason: string): void;
}

/** Why a channel was closed; close codes of WebSocket. */
export const endCodes = {
  /** The side that closes has no more use for it. */
  done: 1000,
  /** The process is about to stop; another one may be there. */
  goingAway: 1001,
  /** The peer sent a frame that cannot be read or keeps no rule. */
  badFrame: 1002,
  /** The peer does not read what it is sent, or says nothing. */
  tooSlow: 1008,
  /** There is no leader here just now. */
  tryAgain: 1013,
  /** The same client opened a newer connection. */
  superseded: 4000,
  /** The agent key is not valid any more. */
  keyRefused: 4401,
} as const;

export type EndCode = (typeof endCodes)[keyof typeof endCodes];

/** A channel could not be opened. Another address, or the same one later, may do. */
export class DialError extends Error {
  override readonly name = 'DialError';
}

/** The control plane refused the agent key. It will not change its mind about that key. */
export class AgentKeyRefused extends Error {
  override readonly name = 'AgentKeyRefused';
}

export interface DialTarget {
  /** Of the control-plane process, `http:` or `https:`. */
  readonly url: string;
  readonly clusterId: string;
  readonly agentKey: string;
  /** Gives up. */
  readonly signal: AbortSignal;
}

/** Opens a channel, or fails with a `DialError` or with `AgentKeyRefused`. */
export type Dial = (target: DialTarget) => Promise<Channel>;
