/**
 * A value that the message cannot carry: null where null is not allowed, a string that is too long, a field that the
 * chosen version does not have. It is a mistake of this side, never of a peer.
 */
export class EncodeError extends Error {
  override readonly name = 'EncodeError';
  /** The field by its path in the definition: `topics[].name`. */
  readonly field: string;

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.field = field;
  }
}
