import type { MessagePort } from 'node:worker_threads';
import type { StoreErrorKind } from '../store/store-error.ts';

export interface ThreadCall {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export interface ThreadProblem {
  /** Absent for a bug. */
  readonly kind: StoreErrorKind | undefined;
  readonly subject: string;
  readonly text: string;
}

/** The answer to the call with the same id. */
export interface ThreadAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly problem?: ThreadProblem;
}

/** What the owner of the thread logs. */
export interface ThreadWarning {
  readonly fields: Readonly<Record<string, string | number>>;
}

export type ThreadReply = ThreadAnswer | ThreadWarning;

/** The last message to a thread: it closes its database and ends. */
export const closeMessage = 'close';

/** Answers a call. The bytes that were read are moved to the caller. */
export function answerCall(port: MessagePort, answer: ThreadAnswer): void {
  const { pieces = [] } = (answer.result ?? {}) as { readonly pieces?: readonly Uint8Array[] };
  port.postMessage(
    answer,
    pieces.map(({ buffer }) => buffer as ArrayBuffer),
  );
}
