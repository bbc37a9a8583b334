import type { Message } from '@weir/wire';

/** Every version of a message, from the lowest to the highest. */
export function versionsOf({ versions: { lowest, highest } }: Message): readonly number[] {
  return Array.from({ length: highest - lowest + 1 }, (_, index) => lowest + index);
}
