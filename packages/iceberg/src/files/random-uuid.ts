import { type Random, randomId } from '@weir/core';

/** A UUID of version 4. */
export function randomUuid(random: Random): string {
  const digits = randomId(random);
  const variant = '89ab'[Number.parseInt(digits[16]!, 16) % 4];
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}
