import type { EventSource, EventTopic, SidecarRef } from '../event-source.ts';
import type { Footer, Stripe } from '../sidecar/format.ts';
import type { TimeWindow } from '../time-range.ts';
import type { SortOrder } from './request.ts';

/** A range of a topic that is still to be scanned, with the known bounds of its times. */
export type Part = RawRange | SidecarRange | StripeRange;

interface Range {
  readonly topic: EventTopic;
  readonly fromOffset: number;
  readonly toOffset: number;
  /** Bounds of the times of those of its events that are in the window. */
  readonly earliestMs: number;
  readonly latestMs: number;
}

export interface RawRange extends Range {
  readonly kind: 'raw';
  /** A hint for the next cut: most of its events are not earlier. */
  readonly mostlyFromMs?: number;
}

/** A sidecar whose footer has not been read yet. */
export interface SidecarRange extends Range {
  readonly kind: 'sidecar';
  readonly ref: SidecarRef;
}

export interface StripeRange extends Range {
  readonly kind: 'stripe';
  readonly ref: SidecarRef;
  readonly stripe: Stripe;
}

/**
 * Ranges of records are scanned in blocks that begin at multiples of this, so that queries can share cached results.
 */
export const defaultBlockEvents = 8192;

/** Returns the parts of a topic that may have events in a window, from metadata alone. */
export async function partsOf(topic: EventTopic, window: TimeWindow, source: EventSource): Promise<Part[]> {
  const fromOffset = Math.max(topic.startOffset, await source.offsetAt(topic, window.startMs));
  const lastMs = window.endMs + source.latenessMsMax;
  const endOffset = Number.isFinite(lastMs) ? await source.offsetAt(topic, lastMs) : topic.endOffset;
  const toOffset = Math.min(topic.endOffset, Math.max(endOffset, fromOffset));
  if (fromOffset >= toOffset) return [];
  const bounds = { topic, earliestMs: window.startMs, latestMs: window.endMs - 1 };
  const parts: Part[] = [];
  let offset = fromOffset;
  for (const ref of await source.sidecars(topic, fromOffset, toOffset)) {
    const from = Math.max(offset, ref.fromOffset);
    const to = Math.min(toOffset, ref.toOffset);
    if (from >= to) continue;
    if (offset < from) parts.push({ kind: 'raw', ...bounds, fromOffset: offset, toOffset: from });
    offset = to;
    const range = within({ kind: 'sidecar', ...bounds, ref, fromOffset: from, toOffset: to }, ref);
    if (range !== undefined) parts.push(range);
  }
  if (offset < toOffset) parts.push({ kind: 'raw', ...bounds, fromOffset: offset, toOffset });
  return parts;
}

/** The stripes of a sidecar that may have events in the window. */
export function stripesOf(range: SidecarRange, { stripes }: Footer): StripeRange[] {
  return stripes.flatMap((stripe) => {
    const fromOffset = Math.max(range.fromOffset, stripe.fromOffset);
    const toOffset = Math.min(range.toOffset, stripe.fromOffset + stripe.rows);
    if (fromOffset >= toOffset) return [];
    return within({ ...range, kind: 'stripe' as const, stripe, fromOffset, toOffset }, stripe) ?? [];
  });
}

/** Narrows a part to the known bounds of its times; `undefined` if they are outside the window. */
function within<Known extends Part>(
  part: Known,
  { minTimeMs, maxTimeMs }: { readonly minTimeMs: number; readonly maxTimeMs: number },
): Known | undefined {
  const earliestMs = Math.max(part.earliestMs, minTimeMs);
  const latestMs = Math.min(part.latestMs, maxTimeMs);
  return earliestMs > latestMs ? undefined : { ...part, earliestMs, latestMs };
}

/** Metadata lookups for one cut. More lookups cost more than a less exact cut. */
const questionsMax = 12;

/**
 * Splits a range of records that is too large to scan at once; `undefined` if it is not. If the order matters it is
 * split by time, so that the time bounds get tighter.
 */
export async function halves(
  range: RawRange,
  source: EventSource,
  order: SortOrder | undefined,
  blockEvents: number,
): Promise<readonly [RawRange, RawRange] | undefined> {
  const { topic, fromOffset, toOffset } = range;
  const firstBlock = Math.floor(fromOffset / blockEvents);
  const lastBlock = Math.floor((toOffset - 1) / blockEvents);
  if (firstBlock === lastBlock) return undefined;
  let { earliestMs, latestMs } = range;
  let fromMs = Math.max(earliestMs, range.mostlyFromMs ?? earliestMs);
  for (let questions = 0; order !== undefined && questions < questionsMax; questions++) {
    const middleMs = Math.floor((fromMs + latestMs + 1) / 2);
    if (middleMs <= fromMs) break;
    const exact = await source.offsetAt(topic, middleMs);
    // Rounded to the side on which the known bounds stay true.
    const blocks = exact / blockEvents;
    const cut = (order === 'desc' ? Math.floor(blocks) : Math.ceil(blocks)) * blockEvents;
    const notBeforeMs = Math.max(earliestMs, middleMs - source.latenessMsMax);
    if (cut > fromOffset && cut < toOffset) {
      const left = { ...range, earliestMs, latestMs, toOffset: cut };
      const right = { ...range, earliestMs, latestMs, fromOffset: cut, mostlyFromMs: middleMs };
      return order === 'desc'
        ? [{ ...left, latestMs: middleMs - 1 }, right]
        : [left, { ...right, earliestMs: notBeforeMs }];
    }
    if (exact >= toOffset) latestMs = middleMs - 1;
    else if (exact <= fromOffset) {
      fromMs = middleMs;
      earliestMs = notBeforeMs;
    } else break;
  }
  const cut = Math.ceil((firstBlock + lastBlock + 1) / 2) * blockEvents;
  const known = { ...range, earliestMs, latestMs };
  return [
    { ...known, toOffset: cut },
    { ...known, fromOffset: cut },
  ];
}
