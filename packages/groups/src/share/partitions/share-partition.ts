/**
 * `available`: anybody may be given it. `acquired`: somebody has it for a time. `acknowledged` and `archived`: it is done, well or
 * not, and nobody is given it any more.
 *
 *     available ──acquire──▶ acquired ──accept─────────────▶ acknowledged
 *         ▲                     │ ├────gap, reject─────────▶ archived
 *         └──release, time over─┘ └────the last time over──▶ archived
 */
export type RecordState = 'available' | 'acquired' | 'acknowledged' | 'archived';

/** Neighbouring records with the same fate. Replaced, never changed. */
export interface Span {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  readonly state: RecordState;
  /** How often it was given out; 0 for what is done. */
  readonly deliveryCount: number;
  /** Who has it, and until when; empty and infinite unless it is acquired. */
  readonly memberId: string;
  readonly lockedUntilMs: number;
}

/** What is configured for the group. */
export interface PartitionRules {
  readonly lockMs: number;
  readonly deliveriesMax: number;
  /** How far the window may reach from its start. */
  readonly windowMax: number;
  readonly mayRenew: boolean;
}

/**
 * Where a share group stands in one partition. Before `startOffset` everything is done, and from `endOffset` on nobody was given
 * anything; the window between is spans without holes, of which the first is never done. What changes it are the functions
 * beside it, which leave it tidy.
 */
export class SharePartition {
  #startOffset: number;
  #spans: Span[] = [];

  constructor(startOffset: number) {
    this.#startOffset = startOffset;
  }

  get startOffset(): number {
    return this.#startOffset;
  }

  get endOffset(): number {
    const last = this.#spans.at(-1);
    return last === undefined ? this.#startOffset : last.last + 1;
  }

  get spans(): readonly Span[] {
    return this.#spans;
  }

  /** The first record that somebody could be given. It need not exist yet. */
  get firstAvailable(): number {
    return this.#spans.find(({ state }) => state === 'available')?.first ?? this.endOffset;
  }

  /** When the first of its locks ends; infinite when there is none. */
  get nextDeadlineMs(): number {
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const { lockedUntilMs } of this.#spans) if (lockedUntilMs < soonestMs) soonestMs = lockedUntilMs;
    return soonestMs;
  }

  /** Records of the window that are done. */
  get doneCount(): number {
    let count = 0;
    for (const span of this.#spans) if (isDone(span)) count += sizeOf(span);
    return count;
  }

  /** The spans that a range has to do with. */
  *overlapping(first: number, last: number): Generator<Span> {
    for (let index = this.#indexOf(first); index < this.#spans.length; index++) {
      const span = this.#spans[index]!;
      if (span.first > last) return;
      yield span;
    }
  }

  /** Adds spans behind the window. */
  append(span: Span): void {
    if (span.first !== this.endOffset || span.last < span.first)
      throw new RangeError('a span has to follow the window');
    this.#spans.push(span);
  }

  /** Changes the records of a range, all of which are in the window. Tidy up afterwards. */
  change(first: number, last: number, next: (span: Span) => Span): void {
    this.#splitAt(first);
    this.#splitAt(last + 1);
    for (let index = this.#indexOf(first); index < this.#spans.length; index++) {
      const span = this.#spans[index]!;
      if (span.first > last) return;
      this.#spans[index] = next(span);
    }
  }

  /** Changes whole spans; gives whether there was anything to change. Tidy up afterwards. */
  changeAll(isMeant: (span: Span) => boolean, next: (span: Span) => Span): boolean {
    let isChanged = false;
    for (const [index, span] of this.#spans.entries()) {
      if (!isMeant(span)) continue;
      this.#spans[index] = next(span);
      isChanged = true;
    }
    return isChanged;
  }

  /** The log begins at this offset now, so that everything before it is done. Gives whether that moved anything. */
  startNoEarlierThan(offset: number): boolean {
    if (offset <= this.#startOffset) return false;
    this.#splitAt(offset);
    this.#spans = this.#spans.filter((span) => span.first >= offset);
    this.#startOffset = offset;
    this.tidy();
    return true;
  }

  /** Moves the start over what is done, and joins neighbours that are alike. */
  tidy(): void {
    let done = 0;
    while (done < this.#spans.length && isDone(this.#spans[done]!)) done++;
    if (done > 0) this.#startOffset = this.#spans[done - 1]!.last + 1;
    const tidied: Span[] = [];
    for (let index = done; index < this.#spans.length; index++) {
      const span = this.#spans[index]!;
      const before = tidied.at(-1);
      if (before !== undefined && isAlike(before, span))
        tidied[tidied.length - 1] = { ...before, last: span.last };
      else tidied.push(span);
    }
    this.#spans = tidied;
  }

  /** The first span that ends at the offset or behind it. */
  #indexOf(offset: number): number {
    let low = 0;
    let high = this.#spans.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#spans[middle]!.last < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #splitAt(offset: number): void {
    const index = this.#indexOf(offset);
    const span = this.#spans[index];
    if (span === undefined || span.first >= offset) return;
    this.#spans.splice(index, 1, { ...span, last: offset - 1 }, { ...span, first: offset });
  }
}

const unlocked = { memberId: '', lockedUntilMs: Number.POSITIVE_INFINITY } as const;

export function acquired(span: Span, memberId: string, lockedUntilMs: number): Span {
  return { ...span, state: 'acquired', deliveryCount: span.deliveryCount + 1, memberId, lockedUntilMs };
}

export function done(
  { first, last }: Pick<Span, 'first' | 'last'>,
  state: 'acknowledged' | 'archived',
): Span {
  return { first, last, state, deliveryCount: 0, ...unlocked };
}

export function available({ first, last }: Pick<Span, 'first' | 'last'>, deliveryCount: number): Span {
  return { first, last, state: 'available', deliveryCount, ...unlocked };
}

/** A record that was given out as often as it may be is given up. */
export function released(span: Span, { deliveriesMax }: PartitionRules): Span {
  return span.deliveryCount >= deliveriesMax ? done(span, 'archived') : available(span, span.deliveryCount);
}

export function isDone({ state }: Span): boolean {
  return state === 'acknowledged' || state === 'archived';
}

export function sizeOf({ first, last }: Pick<Span, 'first' | 'last'>): number {
  return last - first + 1;
}

function isAlike(a: Span, b: Span): boolean {
  return (
    a.state === b.state &&
    a.deliveryCount === b.deliveryCount &&
    a.memberId === b.memberId &&
    a.lockedUntilMs === b.lockedUntilMs
  );
}
