import { brokerLimits } from '../limits.ts';

/** Cuts a list into portions that fit into one call each. A single heavier entry is a portion by itself. */
export function portionsOf<Entry>(entries: readonly Entry[], weigh: (entry: Entry) => number): Entry[][] {
  const portions: Entry[][] = [];
  let left = 0;
  for (const entry of entries) {
    const weight = weigh(entry);
    if (weight > left || portions.length === 0) {
      portions.push([]);
      left = brokerLimits.gatheredRowsMax;
    }
    portions.at(-1)!.push(entry);
    left -= weight;
  }
  return portions;
}

/**
 * The weight of an offset in a call, in rows of about 200 bytes. JSON may encode a character of its metadata as six
 * bytes.
 */
export function offsetWeight({ metadata }: { readonly metadata: string }): number {
  return 1 + Math.ceil(metadata.length / 32);
}
