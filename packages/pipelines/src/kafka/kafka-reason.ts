import { ConnectionFailed, printAddress } from '@weir/client';
import { reasonOf } from '../component/failures.ts';

/** The text of an error in one line, without advice about flags of commands. */
export function kafkaReason(error: unknown): string {
  return error instanceof ConnectionFailed
    ? `${printAddress(error.address)}: ${error.what}`
    : reasonOf(error);
}
