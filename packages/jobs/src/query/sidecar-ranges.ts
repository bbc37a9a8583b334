import type { EventSource, EventTopic } from './engine.ts';
import type { StoredSidecar } from './sidecar-names.ts';

export interface OffsetRange {
  readonly fromOffset: number;
  readonly toOffset: number;
}

/** Events older than this should be in a sidecar. */
export const coverAfterMs = 15 * 60_000;
/** The newest events are left to the next sidecar, since events of the same time may still arrive. */
const settledAfterMs = 60_000;
/** This many events get a sidecar at any age, and no sidecar has more than the maximum. */
export const coverEventsMin = 64 * 1024;
export const coverEventsMax = 256 * 1024;

/**
 * Returns the next range of a topic that needs a sidecar: the events after the last one, once they are old enough or
 * numerous enough. Sidecars are contiguous from the start of the topic, so that no gap between them has to be scanned.
 */
export async function rangeToCover(
  source: Pick<EventSource, 'offsetAt'>,
  topic: EventTopic,
  sidecars: readonly StoredSidecar[],
  nowMs: number,
): Promise<OffsetRange | undefined> {
  const { startOffset, endOffset } = topic;
  const fromOffset = sidecars.reduce((covered, { toOffset }) => Math.max(covered, toOffset), startOffset);
  const endMax = fromOffset + coverEventsMax;
  if (endOffset - fromOffset >= coverEventsMin) return { fromOffset, toOffset: Math.min(endOffset, endMax) };
  const agedOffset = await source.offsetAt(topic, nowMs - coverAfterMs);
  if (agedOffset <= fromOffset) return undefined;
  const settledOffset = await source.offsetAt(topic, nowMs - settledAfterMs);
  return { fromOffset, toOffset: Math.min(Math.max(agedOffset, settledOffset), endMax) };
}
