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
  /** A file of the sequence was acknowledged and cannot be committed by this agent. */
  leave(sequence: OwnSequence): void;
}
