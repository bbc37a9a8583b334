import type { Random } from '@weir/core';

/** Three hexadecimal digits each: to look them up takes a fraction of the time that it takes to write them. */
const digits = Array.from({ length: 4096 }, (_, number) => number.toString(16).padStart(3, '0'));
const variants = '89ab';

/**
 * What ids of one millisecond have in common, and how many there are already: the time, and what tells them from those of others, which is drawn anew
 * for each millisecond. Between the two they are counted, as the standard has it for those who make many.
 */
let begun = { timeMs: Number.NaN, head: '', tail: '', count: 0 };

/** An id that no other event has, a UUID of version 7: ids of later events come later. */
export function newEventId(nowMs: number, random: Random): string {
  if (nowMs !== begun.timeMs || begun.count === digits.length) begun = begin(nowMs, random);
  return `${begun.head}${digits[begun.count++]}${begun.tail}`;
}

function begin(timeMs: number, random: Random): typeof begun {
  const time = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, '0').slice(-12);
  const some = () => digits[random.below(digits.length)]!;
  const tail = `-${variants[random.below(4)]}${some()}-${some()}${some()}${some()}${some()}`;
  return { timeMs, head: `${time.slice(0, 8)}-${time.slice(8)}-7`, tail, count: 0 };
}
