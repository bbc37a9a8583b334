import type { OutputOf } from '@weir/api';

type Sample = Pick<OutputOf<'list_event_fields'>, 'fields' | 'sampled_events'>;

export interface ValueDifference {
  readonly field: string;
  readonly value: string;
  readonly selection_percent: number;
  readonly baseline_percent: number;
  readonly difference: number;
}

/** Smaller ones are chance. */
const pointsMin = 1;
const valueCharsMax = 120;

/**
 * Fields and values by how much more or less frequent they are in one sample than in another. Fields that have another value in nearly every event
 * tell nothing: ids, times.
 */
export function compareFields(selection: Sample, baseline: Sample): ValueDifference[] {
  const chosen = sharesOf(selection);
  const usual = sharesOf(baseline);
  const found: ValueDifference[] = [];
  for (const key of new Set([...chosen.keys(), ...usual.keys()])) {
    const one = chosen.get(key);
    const other = usual.get(key);
    const { field, value } = (one ?? other)!;
    const difference = rounded((one?.percent ?? 0) - (other?.percent ?? 0));
    if (Math.abs(difference) < pointsMin) continue;
    found.push({
      field,
      value: value.slice(0, valueCharsMax),
      selection_percent: rounded(one?.percent ?? 0),
      baseline_percent: rounded(other?.percent ?? 0),
      difference,
    });
  }
  return found.sort(
    (a, b) => Math.abs(b.difference) - Math.abs(a.difference) || (a.field < b.field ? -1 : 1),
  );
}

interface Share {
  readonly field: string;
  readonly value: string;
  readonly percent: number;
}

function sharesOf({ fields, sampled_events: all }: Sample): Map<string, Share> {
  const shares = new Map<string, Share>();
  for (const { name: field, distinct_values, events, top_values } of fields) {
    const isTelling = distinct_values <= 1 || distinct_values <= events / 2;
    if (!isTelling || all === 0) continue;
    for (const { value, events: count } of top_values)
      shares.set(`${field} ${String(value)}`, {
        field,
        value: String(value),
        percent: (count / all) * 100,
      });
  }
  return shares;
}

function rounded(percent: number): number {
  return Math.round(percent * 10) / 10;
}
