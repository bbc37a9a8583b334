/** Points and spans of time as Kafka's tools write them. */

import { formatDurationMs, parseDurationMs } from '@weir/core';
import type { ValueType } from './value-type.ts';

const time = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;
/** The last time that can be written with a year of four digits. */
const latestMs = Date.UTC(9999, 11, 31);

/** A point in time, in milliseconds since 1970. Without an offset it is UTC, as in Kafka's tools. */
export function dateTime(): ValueType<number> {
  const allowed =
    'a time such as 2026-01-31T12:00:00.000, with or without Z or +01:00, or milliseconds since 1970';
  const refused = { problem: `${allowed} is allowed` };
  return {
    label: 'time',
    syntax: '`2026-01-31`, `2026-01-31T12:00:00.000`, `2026-01-31T12:00:00+01:00` or `1769860800000`',
    allowed,
    parse(text) {
      const word = text.trim();
      if (/^\d{1,15}$/.test(word)) return Number(word) > latestMs ? refused : { value: Number(word) };
      if (!time.test(word)) return refused;
      const hasZone = /(?:Z|\d[+-]\d{2}:?\d{2})$/i.test(word) && word.length > 10;
      const whole = hasZone ? word : `${word}${word.length > 10 ? 'Z' : ''}`;
      const ms = Date.parse(
        whole
          .replace(' ', 'T')
          .replace(/([+-]\d{2})(\d{2})$/, '$1:$2')
          .toUpperCase(),
      );
      return Number.isNaN(ms) || ms < 0 ? refused : { value: ms };
    },
    print: (ms) => new Date(ms).toISOString(),
  };
}

const isoDuration = /^P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/;

/** A span of time, in milliseconds: as everywhere else, or as ISO 8601 writes it. */
export function timeSpan(): ValueType<number> {
  const allowed = 'a duration such as 90m, 1h30m or 7d, or PT1H30M as ISO 8601 writes it,';
  return {
    label: 'time span',
    syntax: '`90m`, `7d`, `PT1H30M`, `P7D`',
    allowed: 'durations with a unit, or in ISO 8601',
    parse(text) {
      const word = text.trim();
      const match = word === 'P' ? null : isoDuration.exec(word.toUpperCase());
      const [days = 0, hours = 0, minutes = 0, seconds = 0] = (match ?? [])
        .slice(1)
        .map((part) => Number(part ?? 0));
      const isoMs = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
      const ms = match === null ? parseDurationMs(word) : Math.round(isoMs);
      return ms === undefined || !Number.isSafeInteger(ms)
        ? { problem: `${allowed} is allowed` }
        : { value: ms };
    },
    print: formatDurationMs,
  };
}
