import type { EventSource, EventTopic } from './engine.ts';
import type { StoredSidecar } from './sidecar-names.ts';

export interface OffsetRange {
  readonly fromOffset: number;
  readonly toOffset: number;
}

/** Events that are older than this are to be in a sidecar. */
export const coverAfterMs = 15 * 60_000;
/** The events of a moment ago are left to the next one, since some of their time may still come. */
const settledAfterMs = 60_000;
/** So many events get a sidecar whatever their age, and no more go into one. */
export const coverEventsMin = 64 * 1024;
export const coverEventsMax = 256 * 1024;

/**
 * The next range of a topic that needs a sidecar: what lies behind the last one, once it is old enough or large enough. Nobody reads the records of a
 * range in between that was left out, so that sidecars follow each other from the front.
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
