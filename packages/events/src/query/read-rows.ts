import { coreLimits } from '@weir/core';
import type { EventSource, EventTopic } from '../event-source.ts';

/** Offsets that are this close are read together. */
const gapMax = 256;
const readsMax = 8;

export interface OffsetRange {
  readonly from: number;
  readonly to: number;
}

/** Returns ranges that cover some ascending offsets, with small gaps. */
export function rangesOver(offsets: readonly number[]): OffsetRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const offset of offsets) {
    const last = ranges.at(-1);
    if (last !== undefined && offset - last.to <= gapMax) last.to = offset + 1;
    else ranges.push({ from: offset, to: offset + 1 });
  }
  return ranges;
}

/** The JSON of events that was read so far. */
export interface ReadTexts {
  readonly texts: Map<string, string>;
  chars: number;
  bytesRead: number;
}

export function textKey({ topicId }: EventTopic, offset: number): string {
  return `${topicId} ${offset}`;
}

/** Whether the texts exceed the size of any answer, so that no more are retained. */
export function isFull({ chars }: ReadTexts): boolean {
  return chars > 2 * coreLimits.eventAnswerBytesMax;
}

/** Reads the JSON of some events. Events that retention removed meanwhile stay missing. */
export async function readTexts(
  source: EventSource,
  topic: EventTopic,
  offsets: readonly number[],
  read: ReadTexts,
  signal: AbortSignal,
): Promise<void> {
  const wanted = new Set(offsets);
  const waiting = rangesOver([...wanted].sort((one, other) => one - other));
  const reader = async () => {
    for (let range = waiting.shift(); range !== undefined && !isFull(read); range = waiting.shift()) {
      for await (const page of source.read(topic, range.from, range.to, signal)) {
        read.bytesRead += page.storedBytes;
        const bytes = Buffer.from(page.bytes.buffer, page.bytes.byteOffset, page.bytes.byteLength);
        for (let index = 0; index < page.timesMs.length; index++) {
          const offset = page.firstOffset + index;
          if (!wanted.has(offset) || isFull(read)) continue;
          const text = bytes.toString('utf8', page.valueStarts[index], page.valueEnds[index]);
          read.chars += text.length;
          read.texts.set(textKey(topic, offset), text);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(readsMax, waiting.length) }, reader));
}
