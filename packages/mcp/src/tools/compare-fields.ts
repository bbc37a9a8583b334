import type { OutputOf } from '@weir/api';

type Sample = Pick<OutputOf<'list_event_fields'>, 'fields' | 'sampled_events'>;
type SampledField = Sample['fields'][number];

/**
 * How significant a difference is. `telling`: significant. `filtered`: the caller selected the events by the field.
 * `constant`: the field has one value wherever it is present. `unique`: it has another value in nearly every event.
 */
export const differenceKinds = ['telling', 'filtered', 'constant', 'unique'] as const;
type DifferenceKind = (typeof differenceKinds)[number];

export interface ValueDifference {
  readonly field: string;
  readonly value: string;
  readonly selection_percent: number;
  readonly baseline_percent: number;
  readonly difference: number;
  readonly kind: DifferenceKind;
}

/** Smaller differences are noise. */
const pointsMin = 1;
const valueCharsMax = 120;
/** The values of a unique field carry no information, so one of them is enough. */
const uniqueValuesMax = 1;

const ranks: Readonly<Record<DifferenceKind, number>> = { telling: 0, filtered: 1, constant: 1, unique: 2 };

/** Attributes of the envelope that are always unique. */
const uniqueFields: ReadonlySet<string> = new Set(['id', 'time']);

/**
 * Ranks fields and values by how much their frequency differs between two samples. Significant differences come first,
 * then fields by which the caller selected the events and constant fields, and unique ids last.
 */
export function compareFields(
  selection: Sample,
  baseline: Sample,
  filteredFields: ReadonlySet<string> = new Set(),
): ValueDifference[] {
  const chosen = new Map(selection.fields.map((field) => [field.name, field]));
  const usual = new Map(baseline.fields.map((field) => [field.name, field]));
  return [...new Set([...chosen.keys(), ...usual.keys()])]
    .flatMap((name) => {
      const one = new Side(chosen.get(name), selection.sampled_events);
      const other = new Side(usual.get(name), baseline.sampled_events);
      const kind = kindOf(name, one, other, filteredFields.has(name));
      const found = differencesOf(name, one, other, kind);
      return kind === 'unique' ? found.slice(0, uniqueValuesMax) : found;
    })
    .sort(
      (a, b) =>
        ranks[a.kind] - ranks[b.kind] ||
        Math.abs(b.difference) - Math.abs(a.difference) ||
        (a.field < b.field ? -1 : a.field > b.field ? 1 : 0),
    );
}

/** The statistics of a field in one sample. */
class Side {
  readonly events: number;
  readonly distinct: number;
  readonly #all: number;
  readonly #counts: ReadonlyMap<string, number>;
  /** A value that is not among the most frequent ones is assumed to have an average number of events. */
  readonly #eventsOfUnlisted: number;

  constructor(field: SampledField | undefined, all: number) {
    this.#all = all;
    this.events = field?.events ?? 0;
    this.distinct = field?.distinct_values ?? 0;
    const values = field?.top_values ?? [];
    this.#counts = new Map(values.map(({ value, events }) => [String(value), events]));
    const listed = values.reduce((sum, { events }) => sum + events, 0);
    const unlistedCount = this.distinct - values.length;
    this.#eventsOfUnlisted = unlistedCount > 0 ? Math.max(0, this.events - listed) / unlistedCount : 0;
  }

  get values(): readonly string[] {
    return [...this.#counts.keys()];
  }

  percentOf(value: string): number {
    if (this.#all === 0) return 0;
    return ((this.#counts.get(value) ?? this.#eventsOfUnlisted) / this.#all) * 100;
  }

  /** More than half of the events have their own value. A single event cannot show it. */
  get isUnique(): boolean {
    return this.events > 1 && this.distinct > this.events / 2;
  }
}

function kindOf(name: string, one: Side, other: Side, isFiltered: boolean): DifferenceKind {
  // The larger sample is more reliable: in a small one few values differ by chance.
  const larger = one.events >= other.events ? one : other;
  if (uniqueFields.has(name) || larger.isUnique) return 'unique';
  const isSameEverywhere = new Set([...one.values, ...other.values]).size <= 1;
  if (isFiltered) return 'filtered';
  return isSameEverywhere ? 'constant' : 'telling';
}

function differencesOf(field: string, one: Side, other: Side, kind: DifferenceKind): ValueDifference[] {
  return [...new Set([...one.values, ...other.values])]
    .map((value) => ({
      field,
      value: value.slice(0, valueCharsMax),
      selection_percent: rounded(one.percentOf(value)),
      baseline_percent: rounded(other.percentOf(value)),
      difference: rounded(one.percentOf(value) - other.percentOf(value)),
      kind,
    }))
    .filter(({ difference }) => Math.abs(difference) >= pointsMin)
    .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
}

function rounded(percent: number): number {
  return Math.round(percent * 10) / 10;
}
