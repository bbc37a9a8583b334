/** Where a command writes. Only the composition root knows that these are the streams of the process. */
export interface Output {
  /** What was asked for. */
  out(text: string): void;
  /** Warnings and problems. */
  err(text: string): void;
  /** Whether a person watches what is asked for, on a terminal where a line can be written anew. */
  readonly isTerminal: boolean;
  /** Waits until the reader has kept up. A command that can write without end asks for it between its parts. */
  drained(): Promise<void>;
}
