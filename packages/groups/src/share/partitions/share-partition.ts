/**
 * `available`: any member can acquire it. `acquired`: a member holds it for a limited time. `acknowledged` and
 * `archived`: it is finished, with or without success, and is not delivered again.
 *
 *     available ──acquire──▶ acquired ──accept──────────────────────────────▶ acknowledged
 *         ▲                     │ ├────gap, reject──────────────────────────▶ archived
 *         └──release, expiry────┘ └────release or expiry of last delivery───▶ archived
 */
export type RecordState = 'available' | 'acquired' | 'acknowledged' | 'archived';

/** Adjacent records with equal state. Immutable; replaced as a whole. */
export interface Span {
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
  readonly state: RecordState;
  /** The number of deliveries; 0 for finished records. */
  readonly deliveryCount: number;
  /** The member that holds it, and the end of its lock; empty and infinite unless acquired. */
  readonly memberId: string;
  readonly lockedUntilMs: number;
}

/** The configuration of the group. */
export interface PartitionRules {
  readonly lockMs: number;
  readonly deliveriesMax: number;
  /** The maximum size of the window, in offsets. */
  readonly windowMax: number;
  readonly mayRenew: boolean;
}

/**
 * The progress of a share group in one partition. All records before `startOffset` are finished, and none from
 * `endOffset` on was acquired; the window between consists of contiguous spans, of which the first is never finished.
 * The functions beside this class change it and leave it normalised (`tidy`).
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

  /** The first offset that can be acquired. The record need not exist yet. */
  get firstAvailable(): number {
    return this.#spans.find(({ state }) => state === 'available')?.first ?? this.endOffset;
  }

  /** The earliest end of a lock; infinite if there is none. */
  get nextDeadlineMs(): number {
    let soonestMs = Number.POSITIVE_INFINITY;
    for (const { lockedUntilMs } of this.#spans) if (lockedUntilMs < soonestMs) soonestMs = lockedUntilMs;
    return soonestMs;
  }

  /** The number of finished records in the window. */
  get doneCount(): number {
    let count = 0;
    for (const span of this.#spans) if (isDone(span)) count += sizeOf(span);
    return count;
  }

  /** The spans that overlap a range. */
  *overlapping(first: number, last: number): Generator<Span> {
    for (let index = this.#indexOf(first); index < this.#spans.length; index++) {
      const span = this.#spans[index]!;
      if (span.first > last) return;
      yield span;
    }
  }

  /** Appends a span to the window. */
  append(span: Span): void {
    if (span.first !== this.endOffset || span.last < span.first)
      throw new RangeError('a span has to follow the window');
    this.#spans.push(span);
  }

  /** Changes the records of a range, which must be in the window. The caller must call `tidy`. */
  change(first: number, last: number, next: (span: Span) => Span): void {
    this.#splitAt(first);
    this.#splitAt(last + 1);
    for (let index = this.#indexOf(first); index < this.#spans.length; index++) {
      const span = this.#spans[index]!;
      if (span.first > last) return;
      this.#spans[index] = next(span);
    }
  }

  /** Changes whole spans; returns whether there were any. The caller must call `tidy`. */
  changeAll(isMeant: (span: Span) => boolean, next: (span: Span) => Span): boolean {
    let isChanged = false;
    for (const [index, span] of this.#spans.entries()) {
      if (!isMeant(span)) continue;
      this.#spans[index] = next(span);
      isChanged = true;
    }
    return isChanged;
  }

  /** Applies a new log start: everything before it is finished. Returns whether the start moved. */
  startNoEarlierThan(offset: number): boolean {
    if (offset <= this.#startOffset) return false;
    this.#splitAt(offset);
    this.#spans = this.#spans.filter((span) => span.first >= offset);
    this.#startOffset = offset;
    this.tidy();
    return true;
  }

  /** Moves the start past finished records, and merges adjacent spans with equal state. */
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

  /** The first span that ends at or after the offset. */
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

/** A record at its delivery limit is archived. */
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
