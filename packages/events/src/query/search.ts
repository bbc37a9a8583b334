import { createHash } from 'node:crypto';
import { coreLimits } from '@weir/core';
import type { EventTopic } from '../event-source.ts';
import { eventTypeNames } from '../event-types.ts';
import { bucketsOf } from './buckets.ts';
import { positionOrder } from './order.ts';
import { type Part, partsOf } from './parts.ts';
import { isFull, type ReadTexts, readTexts, textKey } from './read-rows.ts';
import type { EventPosition, EventRow, PartialReason, SearchRequest, Timeline } from './request.ts';
import type { Scan, ScanResult } from './scan.ts';
import { type ScanTools, scanPart } from './scan-part.ts';
import { TimelineTally } from './tally.ts';

export interface SearchTools extends ScanTools {
  /** Resolves when the query has to end, for any reason. */
  readonly whenOver: Promise<void>;
  onProgress(): void;
}

export interface Found {
  readonly rows: readonly EventRow[];
  readonly hasMore: boolean;
  readonly timeline?: Timeline | undefined;
  readonly partial?: PartialReason | undefined;
  readonly hasNoData: boolean;
}

interface Candidate extends EventPosition {
  readonly topic: EventTopic;
  readonly text: string | undefined;
}

const seriesMaxDefault = 10;

/**
 * Scans a window part by part: the part that may have the first rows first, until nothing that remains can change the
 * answer. Parts are refined on the way: a sidecar becomes its stripes, a long range of records two shorter ones.
 */
export async function search(request: Omit<SearchRequest, 'kind'>, tools: SearchTools): Promise<Found> {
  const { source, evaluator, receipt } = tools;
  const topics = await source.topics(
    request.types.length === 0 ? eventTypeNames : [...new Set(request.types)],
  );
  receipt.expect(topics.reduce((sum, { startOffset, endOffset }) => sum + endOffset - startOffset, 0));
  const planned = await Promise.all(topics.map((topic) => partsOf(topic, request.window, source)));

  const scan = scanOf(request);
  const { timeline } = scan;
  const tally = timeline && new TimelineTally(timeline.buckets, timeline.field !== undefined);
  const inOrder = positionOrder(request.order);
  const wanted = request.limit + 1;
  let candidates: Candidate[] = [];
  let waiting: Part[] = planned.flat();
  const running = new Map<Part, Promise<void>>();
  const runningMax = Math.max(4, 2 * evaluator.parallelism);
  const ended = new AbortController();
  const signal = AbortSignal.any([tools.signal, ended.signal]);
  let failure: { readonly error: unknown } | undefined;

  try {
    while (receipt.exhausted === undefined) {
      tools.signal.throwIfAborted();
      if (failure !== undefined) throw failure.error;
      const needed = waiting.filter((part) => !isNeedless(part));
      receipt.isExact &&= needed.length === waiting.length;
      waiting = needed;
      while (running.size < runningMax && waiting.length > 0) start(takeNext());
      if ([...running.keys()].every(isNeedless)) break;
      await Promise.race([...running.values(), tools.whenOver]);
      tools.onProgress();
    }
    tools.signal.throwIfAborted();
  } finally {
    // Running scans are not awaited: they may hang, and their results are not needed.
    ended.abort();
  }
  receipt.isExact &&= running.size === 0 && waiting.length === 0;

  const { rows, isCut } = await rowsOf(candidates.slice(0, request.limit), tools);
  return {
    rows,
    hasMore: isCut || candidates.length > request.limit,
    timeline: tally?.finish(request.timeline!.aggregation, request.timeline!.seriesMax ?? seriesMaxDefault),
    partial: receipt.exhausted ?? (isCut ? 'answer_bytes' : undefined),
    hasNoData: topics.every(({ startOffset, endOffset }) => startOffset >= endOffset),
  };

  /** Whether nothing in it can precede the rows found so far. */
  function isNeedless({ earliestMs, latestMs }: Part): boolean {
    const last = candidates[wanted - 1];
    if (tally !== undefined || last === undefined) return false;
    return request.order === 'desc' ? latestMs < last.timeMs : earliestMs > last.timeMs;
  }

  function takeNext(): Part {
    const isBefore =
      request.order === 'desc'
        ? (one: Part, other: Part) =>
            one.latestMs > other.latestMs ||
            (one.latestMs === other.latestMs && one.toOffset > other.toOffset)
        : (one: Part, other: Part) =>
            one.earliestMs < other.earliestMs ||
            (one.earliestMs === other.earliestMs && one.fromOffset < other.fromOffset);
    const next = waiting.reduce((best, part) => (isBefore(part, best) ? part : best));
    waiting.splice(waiting.indexOf(next), 1);
    return next;
  }

  function start(part: Part): void {
    const scanning = scanPart(scan, part, { ...tools, signal }).then(
      (outcome) => {
        if ('parts' in outcome) waiting.push(...outcome.parts);
        else take(part.topic, outcome.result);
        running.delete(part);
      },
      (error: unknown) => {
        failure ??= { error };
        running.delete(part);
      },
    );
    running.set(part, scanning);
  }

  function take(topic: EventTopic, { rows: { offsets, timesMs, texts }, tally: counted }: ScanResult): void {
    if (counted !== undefined) tally?.merge(counted);
    if (offsets.length === 0) return;
    const found = offsets.map(
      (offset, index): Candidate => ({
        topic,
        type: topic.type,
        offset,
        timeMs: timesMs[index]!,
        text: texts[index],
      }),
    );
    candidates = withoutLongTail([...candidates, ...found].sort(inOrder).slice(0, wanted));
  }
}

/** Drops texts beyond the size of an answer. */
function withoutLongTail(candidates: Candidate[]): Candidate[] {
  let chars = 0;
  return candidates.map((candidate) => {
    chars += candidate.text?.length ?? 0;
    return chars > coreLimits.eventAnswerBytesMax && candidate.text !== undefined
      ? { ...candidate, text: undefined }
      : candidate;
  });
}

function scanOf({ filter, window, order, limit, after, timeline }: Omit<SearchRequest, 'kind'>): Scan {
  const scanTimeline = timeline && {
    buckets: bucketsOf(window),
    groupBy: timeline.groupBy,
    thenBy: timeline.thenBy,
    field: timeline.field,
  };
  // Everything that the result of a part depends on, except the window and the start position.
  const what = [
    filter,
    order,
    limit,
    timeline && [scanTimeline!.buckets.bucketMs, timeline.groupBy, timeline.thenBy, timeline.field],
  ];
  const id = createHash('sha256').update(JSON.stringify(what)).digest('base64');
  return { id, filter, window, order, limit: limit + 1, after, timeline: scanTimeline };
}

/** Returns the rows with their events, up to the size of an answer. */
async function rowsOf(
  candidates: readonly Candidate[],
  { source, receipt, signal }: SearchTools,
): Promise<{ readonly rows: EventRow[]; readonly isCut: boolean }> {
  const read: ReadTexts = { texts: new Map(), chars: 0, bytesRead: 0 };
  const unread = Map.groupBy(
    candidates.filter(({ text }) => text === undefined),
    (candidate) => candidate.topic,
  );
  const reading = [...unread].map(([topic, rows]) =>
    readTexts(
      source,
      topic,
      rows.map(({ offset }) => offset),
      read,
      signal,
    ),
  );
  await receipt.within(Promise.all(reading), signal);
  receipt.addRead(read.bytesRead);
  const rows: EventRow[] = [];
  let chars = 0;
  for (const { topic, type, offset, timeMs, text: known } of candidates) {
    const text = known ?? read.texts.get(textKey(topic, offset));
    if (text === undefined && isFull(read)) return { rows, isCut: true };
    // Retention removed it meanwhile, or the time ran out.
    if (text === undefined) continue;
    chars += text.length;
    if (chars > coreLimits.eventAnswerBytesMax) return { rows, isCut: true };
    rows.push({ type, offset, timeMs, event: JSON.parse(text) });
  }
  return { rows, isCut: false };
}
