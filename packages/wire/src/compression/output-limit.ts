import { DecodeError } from '../decode-error.ts';

/**
 * The bytes are, or claim to be, larger inside than the caller allows. Kept apart from other decode errors because the
 * answer differs: a producer can split a batch that is too large, but not one that is broken.
 */
export class OutputLimitExceeded extends DecodeError {
  constructor(subject: string, offset: number, outputBytesMax: number) {
    super(subject, 'output', offset, `is larger than the ${outputBytesMax} bytes allowed`);
  }
}
