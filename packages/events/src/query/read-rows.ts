import { caps } from '@weir/core';
import type { EventSource, EventTopic } from './port.ts';

/** Offsets that are this close are read together. */
const gapMax = 256;
const readsMax = 8;

export interface OffsetRange {
  readonly from: number;
  readonly to: number;
}

/** Ranges that cover some ascending offsets, without much in between. */
export function rangesOver(offsets: readonly number[]): OffsetRange[] {
  const ranges: { from: number; to: number }[] = [];
  for (const offset of offsets) {
    const last = ranges.at(-1);
    if (last !== undefined && offset - last.to <= gapMax) last.to = offset + 1;
    else ranges.push({ from: offset, to: offset + 1 });
  }
  return ranges;
}

/** The JSON of some events, by offset. Those that retention took meanwhile are missing, and those beyond what an answer may hold. */
export async function readTexts(
  source: EventSource,
  topic: EventTopic,
  offsets: readonly number[],
  signal: AbortSignal,
): Promise<{ readonly texts: ReadonlyMap<number, string>; readonly bytesRead: number }> {
  const wanted = new Set(offsets);
  const texts = new Map<number, string>();
  const waiting = rangesOver([...wanted].sort((one, other) => one - other));
  let [bytesRead, textChars] = [0, 0];
  const reader = async () => {
    for (let range = waiting.shift(); range !== undefined; range = waiting.shift()) {
      for await (const page of source.read(topic, range.from, range.to, signal)) {
        bytesRead += page.storedBytes;
        const bytes = Buffer.from(page.bytes.buffer, page.bytes.byteOffset, page.bytes.byteLength);
        for (let index = 0; index < page.timesMs.length; index++) {
          const offset = page.firstOffset + index;
          if (!wanted.has(offset) || textChars > 2 * caps.eventAnswerBytesMax) continue;
          const text = bytes.toString('utf8', page.valueStarts[index], page.valueEnds[index]);
          textChars += text.length;
          texts.set(offset, text);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(readsMax, waiting.length) }, reader));
  return { texts, bytesRead };
}
