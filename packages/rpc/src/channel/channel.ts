/**
 * A bidirectional connection that carries whole frames in order until it ends: a WebSocket, or one in memory in tests.
 */
export interface Channel {
  /** Does nothing once the channel has ended. The caller must not change the bytes afterwards. */
  send(frame: Uint8Array): void;
  /** Bytes that were given to `send` and are not written yet. */
  unsentBytes(): number;
  /** Bytes that have arrived, including those of frames that are not complete yet. */
  receivedBytes(): number;
  /** Called once, right after the channel was created; nothing is delivered before. */
  listen(listener: ChannelListener): void;
  /** Asks for no more frames until `resume`. Those that have arrived may still be delivered. */
  pause(): void;
  resume(): void;
  /** Closes cleanly: what was sent still goes out. `onEnd` follows. */
  close(code: EndCode, reason: string): void;
  /** Closes at once, if the peer cannot be expected to answer. `onEnd` follows. */
  abort(): void;
}

export interface ChannelListener {
  onFrame(frame: Uint8Array): void;
  /** Called once. `code` is `undefined` if the connection broke. */
  onEnd(code: number | undefined, reason: string): void;
}

/** Why a channel was closed; WebSocket close codes. */
export const endCodes = {
  /** The closing side no longer needs it. */
  done: 1000,
  /** The process is about to stop; another one may be available. */
  goingAway: 1001,
  /** The peer sent an unreadable frame or violated the protocol. */
  badFrame: 1002,
  /** The peer does not read, or sends nothing. */
  tooSlow: 1008,
  /** There is no leader here at present. */
  tryAgain: 1013,
  /** The same client opened a newer connection. */
  superseded: 4000,
  /** The agent key is no longer valid. */
  keyRefused: 4401,
} as const;

export type EndCode = (typeof endCodes)[keyof typeof endCodes];

/** A channel could not be opened. Another address, or the same one later, may work. */
export class DialError extends Error {
  override readonly name = 'DialError';
}

/** The control plane refused the agent key. A retry with that key does not help. */
export class AgentKeyRefused extends Error {
  override readonly name = 'AgentKeyRefused';
}

export interface DialTarget {
  /** The address of the control-plane process, `http:` or `https:`. */
  readonly url: string;
  readonly clusterId: string;
  /** The region of the agent, which orders the addresses that it gets. */
  readonly region?: string | undefined;
  readonly agentKey: string;
  /** Cancels the attempt. */
  readonly signal: AbortSignal;
}

/** Opens a channel, or fails with a `DialError` or with `AgentKeyRefused`. */
export type Dial = (target: DialTarget) => Promise<Channel>;
