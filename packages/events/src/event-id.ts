import type { Random } from '@weir/core';

/** Three hexadecimal digits each: to look them up takes a fraction of the time that it takes to write them. */
const digits = Array.from({ length: 4096 }, (_, number) => number.toString(16).padStart(3, '0'));
const variants = '89ab';

/** What ids of one millisecond begin with. */
let begun = { timeMs: Number.NaN, text: '' };

/** An id that no other event has, a UUID of version 7: ids of later events come later, as far as milliseconds tell. */
export function newEventId(nowMs: number, random: Random): string {
  const timeMs = Math.max(0, Math.floor(nowMs));
  if (timeMs !== begun.timeMs) {
    const time = timeMs.toString(16).padStart(12, '0').slice(-12);
    begun = { timeMs, text: `${time.slice(0, 8)}-${time.slice(8)}-7` };
  }
  const some = () => digits[random.below(digits.length)]!;
  return `${begun.text}${some()}-${variants[random.below(4)]}${some()}-${some()}${some()}${some()}${some()}`;
}
