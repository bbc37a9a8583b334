import type { Random } from '@weir/core';

/** An id that no other event has, a UUID of version 7: ids of later events come later, as far as milliseconds tell. */
export function newEventId(nowMs: number, random: Random): string {
  const time = Math.max(0, Math.floor(nowMs)).toString(16).padStart(12, '0').slice(-12);
  const bits = (count: number) =>
    random
      .below(2 ** count)
      .toString(16)
      .padStart(count / 4, '0');
  const variant = (8 + random.below(4)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits(12)}-${variant}${bits(12)}-${bits(24)}${bits(24)}`;
}
