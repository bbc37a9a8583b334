import { printAddress } from './address.ts';
import { ConnectionFailed } from './connection-failed.ts';

const charsMax = 2000;

/** The text of an error in one line, without advice about flags of commands. */
export function kafkaReason(error: unknown): string {
  const text =
    error instanceof ConnectionFailed
      ? `${printAddress(error.address)}: ${error.what}`
      : error instanceof Error
        ? error.message
        : String(error);
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, charsMax);
}
