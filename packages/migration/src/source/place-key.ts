import type { Place } from '@weir/client';

/** A partition as the key of a map. */
export function placeKey({ topic, partition }: Place): string {
  return `${partition} ${topic}`;
}
