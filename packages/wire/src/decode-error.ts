/**
 * The only error that decoding bytes from a peer may throw.
 *
 * It names what was being read, the field and the byte, so that an operator can distinguish a broken client from a
 * broken network without a packet capture.
 */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  /** What was being decoded: `Produce request v9`, `record batch`, `frame`. */
  readonly subject: string;
  /** The field by its path in the definition: `topicData[].partitionData[].records`. */
  readonly field: string;
  /** The byte at which the field starts, counted from the first byte of the subject. */
  readonly offset: number;
  /** What is wrong, as a phrase: `length 70000 exceeds the 12 bytes left`. */
  readonly problem: string;

  constructor(subject: string, field: string, offset: number, problem: string) {
    super(`${subject}: ${field} at byte ${offset}: ${problem}`);
    this.subject = subject;
    this.field = field;
    this.offset = offset;
    this.problem = problem;
  }
}
