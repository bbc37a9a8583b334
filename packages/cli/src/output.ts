/** Where a command writes. Only the composition root knows that these are the streams of the process. */
export interface Output {
  /** Results. */
  out(text: string): void;
  /** Results that may be no text. If absent, they are taken for one. */
  outBytes?(bytes: Uint8Array): void;
  /** Warnings and problems. */
  err(text: string): void;
  /** Whether `out` is a terminal. */
  readonly isTerminal: boolean;
  /** Whether `err` is a terminal, where a line of progress can be overwritten. */
  readonly isErrTerminal?: boolean;
  /** Which of the two may have colours; none if absent. */
  readonly colours?: { readonly out: boolean; readonly err: boolean };
  /** Waits until the reader has caught up. A command with unbounded output calls it between its parts. */
  drained(): Promise<void>;
}
