import { DecodeError } from '../decode-error.ts';

/**
 * The decompressed size is, or claims to be, larger than the caller allows. Separate from other decode errors because
 * the reaction differs: a producer can split a batch that is too large, but not an invalid one.
 */
export class OutputLimitExceeded extends DecodeError {
  constructor(subject: string, offset: number, outputBytesMax: number) {
    super(subject, 'output', offset, `is larger than the ${outputBytesMax} bytes allowed`);
  }
}
