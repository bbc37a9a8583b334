import type { ValueType } from './value-type.ts';

/** Up to where a topic is cloned: an offset of its only partition, offsets of partitions, or a time. */
type ClonePoint =
  | { readonly offset: number }
  | { readonly offsets: readonly { readonly partition: number; readonly offset: number }[] }
  | { readonly timestampMs: number };

/** Numbers from here on are milliseconds since 1970, the others offsets: it is a day of 1973. */
const earliestMs = 100_000_000_000;
/** The last time that the API can represent. */
const latestMs = Date.UTC(9999, 11, 31);
const time = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[Zz]|[+-]\d{2}:\d{2}))?$/;

export function clonePoint(): ValueType<ClonePoint> {
  const allowed =
    'an offset such as 42, offsets of partitions such as 0:42,1:17, or a time such as 2026-01-31T12:00:00Z or 1769860800000';
  const refused = { problem: `${allowed} is allowed` };
  return {
    label: 'offset or time',
    syntax:
      '`42`, `0:42,1:17`, `2026-01-31T12:00:00Z` or `1769860800000`; a number from 100000000000 on is a time',
    allowed,
    parse(text) {
      const word = text.trim();
      if (/^\d{1,16}$/.test(word)) {
        const number = Number(word);
        if (number < earliestMs) return { value: { offset: number } };
        return number > latestMs ? refused : { value: { timestampMs: number } };
      }
      if (/^\d{1,9}:\d{1,15}(?:,\d{1,9}:\d{1,15})*$/.test(word)) {
        const offsets = word.split(',').map((pair) => {
          const [partition, offset] = pair.split(':').map(Number);
          return { partition: partition!, offset: offset! };
        });
        const isRepeated = new Set(offsets.map(({ partition }) => partition)).size < offsets.length;
        return isRepeated ? { problem: 'each partition is allowed once' } : { value: { offsets } };
      }
      const timestampMs = time.test(word) ? Date.parse(word) : Number.NaN;
      return Number.isNaN(timestampMs) || timestampMs < 0 ? refused : { value: { timestampMs } };
    },
    print(point) {
      if ('offset' in point) return String(point.offset);
      if ('timestampMs' in point) return new Date(point.timestampMs).toISOString();
      return point.offsets.map(({ partition, offset }) => `${partition}:${offset}`).join(',');
    },
  };
}
