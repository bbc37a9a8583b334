/** A part of a timeline that is selected by the keyboard, in buckets. */

interface Part {
  readonly startMs: number;
  readonly endMs: number;
}

interface Press {
  readonly key: string;
  readonly shiftKey: boolean;
}

interface Buckets {
  readonly timesMs: readonly number[];
  readonly bucketMs: number;
}

/**
 * The selection after a key: arrows select the next or the previous bucket, Home and End the first and the last, and
 * with Shift they move the end of the selection. `undefined` for other keys.
 */
export function selectionAfter(
  { key, shiftKey }: Press,
  selected: Part | undefined,
  { timesMs, bucketMs }: Buckets,
): Part | undefined {
  const last = timesMs.length - 1;
  if (last < 0) return undefined;
  const bucketAt = (timeMs: number) =>
    Math.max(
      0,
      timesMs.findLastIndex((startMs) => startMs <= timeMs),
    );
  // The newest events are what a person looks at first.
  const from = selected === undefined ? undefined : bucketAt(selected.startMs);
  const to = selected === undefined ? last : bucketAt(selected.endMs - 1);
  const target = targetOf(key, { isNew: selected === undefined, to, last });
  if (target === undefined) return undefined;
  const first = shiftKey ? Math.min(from ?? target, target) : target;
  return { startMs: timesMs[first]!, endMs: timesMs[target]! + bucketMs };
}

function targetOf(
  key: string,
  { isNew, to, last }: { readonly isNew: boolean; readonly to: number; readonly last: number },
): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return isNew ? last : Math.max(0, to - 1);
    case 'ArrowRight':
      return isNew ? last : Math.min(last, to + 1);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}
