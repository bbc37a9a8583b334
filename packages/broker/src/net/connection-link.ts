import type { Frame } from './frame-pool.ts';
import type { CloseReason } from './listener-metrics.ts';

/** Frames of one connection that were received and not yet served. */
export interface FrameQueue {
  readonly isEmpty: boolean;
  /** Whether the rest of the stream cannot be decoded. */
  readonly isBroken: boolean;
  /** Bytes of the unfinished frame behind them. */
  readonly unfinishedBytes: number;
  /** Memory cost of the complete frames. */
  readonly waitingBytes: number;
  /** Removes and returns the oldest frame. Throws after the last frame if the rest cannot be decoded. */
  take(): Frame | undefined;
  /** When the frame that `take` has just returned was received. Called once per frame. */
  takeReceivedMs(): number;
  /** Releases the complete frames. */
  drop(): void;
  /** Releases the unfinished frame, once the socket no longer reads into it. */
  forgetUnfinished(): void;
}

/** Answers that wait to be sent on a connection. */
export interface AnswerQueue {
  /** Bytes that the socket has not accepted yet. */
  readonly queuedBytes: number;
  readonly isEnding: boolean;
  /** `onSent` is called once, when the slices are no longer used: the socket has accepted them or is closed. */
  push(slices: readonly Buffer[], onSent?: () => void): void;
  /** Sends queued slices and then closes our side. */
  end(): void;
  /** Called when the socket is closed, and not before: until then the system may read the slices. */
  close(): void;
}

/** Receives what happens on a link. */
export interface LinkReceiver {
  /** Whether bytes are wanted; if not, they are read and discarded. */
  readonly isOpen: boolean;
  /** Bytes have arrived. If a frame is complete, or the stream is broken, `frames` has it. */
  onReceived(bytes: number, nowMs: number, isComplete: boolean): void;
  /** The socket has accepted bytes of answers. */
  onProgress(): void;
  onError(error: Error): void;
  /** The peer has ended its side. */
  onEnd(): void;
  /** With a reason if the connection was closed by something else than its peer or `destroy`. */
  onClose(reason?: CloseReason): void;
}

/** The peer of a connection: a socket of this thread, or one of a serving thread. */
export interface ConnectionLink {
  readonly frames: FrameQueue;
  readonly outbox: AnswerQueue;
  /** Begins to read. */
  start(receiver: LinkReceiver): void;
  /** Reads no further. A few bytes may still arrive. `finishesFrame`: the frame that was begun is read to its end. */
  pause(finishesFrame: boolean): void;
  resume(): void;
  destroy(): void;
}
