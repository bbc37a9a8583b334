import type { OutputOf } from '@weir/api/client';

type Timeline = OutputOf<'get_events_timeline'>['timeline'];
type Fields = Pick<OutputOf<'list_event_fields'>, 'fields' | 'sampled_events'>;
type Value = Timeline['series'][number]['key'];

/** A part of a time, the end not included. */
interface Part {
  readonly startMs: number;
  readonly endMs: number;
}

/** How often a field has a value, in a selection and in the rest of the time. */
export interface Difference {
  readonly field: string;
  /** `null` where events lack the field. */
  readonly value: Value;
  readonly selected: number;
  readonly rest: number;
  readonly selectedShare: number;
  readonly restShare: number;
  /** How far it is from what chance would do. */
  readonly score: number;
}

/** The events of a timeline by a field that are in a part of it, and the others. */
interface FieldCounts {
  readonly field: string;
  readonly selectedTotal: number;
  readonly restTotal: number;
  readonly values: readonly { readonly value: Value; readonly selected: number; readonly rest: number }[];
  /** Whether some values were too many to be counted apart. */
  readonly hasOther: boolean;
}

export function countsIn(field: string, { series }: Timeline, { startMs, endMs }: Part): FieldCounts {
  const counted = series.map(({ key, is_other: isOther, points }) => {
    let [selected, rest] = [0, 0];
    for (const [time, count] of points) {
      if (typeof count !== 'number') continue;
      const timeMs = Date.parse(String(time));
      if (timeMs >= startMs && timeMs < endMs) selected += count;
      else rest += count;
    }
    return { value: key, isOther, selected, rest };
  });
  const sum = (of: 'selected' | 'rest') => counted.reduce((total, one) => total + one[of], 0);
  return {
    field,
    selectedTotal: sum('selected'),
    restTotal: sum('rest'),
    values: counted.filter(({ isOther }) => !isOther),
    hasOther: counted.some(({ isOther }) => isOther),
  };
}

/** A difference as large as this one happens by chance once in a thousand times. */
const scoreMin = 10.83;

/** The values that are more or less frequent in the selection, the clearest first. */
export function rankDifferences(fields: readonly FieldCounts[]): readonly Difference[] {
  return fields
    .flatMap(({ field, selectedTotal, restTotal, values }) =>
      values.map(({ value, selected, rest }) => ({
        field,
        value,
        selected,
        rest,
        selectedShare: shareOf(selected, selectedTotal),
        restShare: shareOf(rest, restTotal),
        score: likelihoodRatio(selected, selectedTotal, rest, restTotal),
      })),
    )
    .filter(({ score }) => score >= scoreMin)
    .toSorted((a, b) => b.score - a.score || (a.field < b.field ? -1 : 1));
}

function shareOf(count: number, total: number): number {
  return total === 0 ? 0 : count / total;
}

/** The G-test of two counts out of two totals: large counts weigh more than large ratios of small ones. */
function likelihoodRatio(a: number, aTotal: number, b: number, bTotal: number): number {
  if (aTotal === 0 || bTotal === 0) return 0;
  const share = (a + b) / (aTotal + bTotal);
  const term = (seen: number, expected: number) => (seen === 0 ? 0 : seen * Math.log(seen / expected));
  return (
    2 *
    (term(a, aTotal * share) +
      term(aTotal - a, aTotal * (1 - share)) +
      term(b, bTotal * share) +
      term(bTotal - b, bTotal * (1 - share)))
  );
}

/** How a value differs, in words: `3.2× as often`, `only here`, `not here`. */
export function differenceLabel({ selected, rest, selectedShare, restShare }: Difference): string {
  if (rest === 0) return 'only in selection';
  if (selected === 0) return 'not in selection';
  const lift = selectedShare / restShare;
  const digits = lift < 0.1 ? 2 : lift < 10 ? 1 : 0;
  return lift < 0.01 ? 'rare in selection' : `${lift.toFixed(digits)}× as often`;
}

/** Different in every event, so that no value says anything about a time. */
const unique: ReadonlySet<string> = new Set(['id', 'time']);

/** The fields that are worth counting: those whose values differ most between two samples. */
export function fieldsToCount(selected: Fields, all: Fields, fieldsMax: number): readonly string[] {
  const samples = [selected, all];
  const names = new Set(samples.flatMap(({ fields }) => fields.filter(isTelling).map(({ name }) => name)));
  return [...names]
    .map((name) => {
      const [here, there] = samples.map((sample) => sharesOf(name, sample)) as [Shares, Shares];
      const keys = new Set([...here.keys(), ...there.keys()]);
      const most = Math.max(
        0,
        ...[...keys].map((key) => Math.abs((here.get(key) ?? 0) - (there.get(key) ?? 0))),
      );
      return { name, most };
    })
    .filter(({ most }) => most > 0)
    .toSorted((a, b) => b.most - a.most || (a.name < b.name ? -1 : 1))
    .slice(0, fieldsMax)
    .map(({ name }) => name);
}

const distinctFew = 5;

function isTelling({ name, types, events, distinct_values: values }: Fields['fields'][number]): boolean {
  if (unique.has(name) || types.every((type) => type === 'object')) return false;
  return values <= distinctFew || values <= events / 2;
}

type Shares = ReadonlyMap<string, number>;

/** The shares of the values of a field, and under an empty key that of the events that have it. */
function sharesOf(name: string, { fields, sampled_events: total }: Fields): Shares {
  const field = fields.find((one) => one.name === name);
  const shares = new Map<string, number>([['', shareOf(field?.events ?? 0, total)]]);
  for (const { value, events } of field?.top_values ?? [])
    shares.set(JSON.stringify(value), shareOf(events, total));
  return shares;
}
