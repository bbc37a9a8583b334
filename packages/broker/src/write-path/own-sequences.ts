/** A sequence of files of this agent; see `FileSequence` of `cluster`. */
export interface OwnSequence {
  readonly sequenceId: string;
}

/** The sequences of an agent whose files may be acknowledged before their commit. */
export interface OwnSequences {
  /** Returns the sequence of a file that is being written. `ended` or `leave` must follow. */
  begin(): OwnSequence;
  /** Whether what a stored file of the sequence contains may be acknowledged before its commit. */
  mayAcknowledge(sequence: OwnSequence): boolean;
  /** The file is committed, or it failed before it was acknowledged. */
  ended(sequence: OwnSequence): void;
  /** A file of the sequence was acknowledged, and this agent will not commit it: a job does. */
  leave(sequence: OwnSequence): void;
  /** An upload of a file of the sequence has ended, and what it contains was acknowledged if that was allowed. */
  uploaded(sequence: OwnSequence): void;
  /**
   * Whether acknowledged files may be left to a job when there are many of them, as while there is no leader. Later
   * files are then committed after those.
   */
  readonly mayLeave: boolean;
  /** Whether files of the sequence have to wait for files of it, or of earlier ones, that a job commits. */
  mustWait(sequence: OwnSequence): boolean;
}
