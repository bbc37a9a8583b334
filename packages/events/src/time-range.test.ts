import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { eventLimits } from './limits.ts';
import { offeredRanges, resolveTimeRange, type TimeRange } from './time-range.ts';
import { dayAt } from './wall-time.ts';

const nowMs = Date.parse('2026-11-15T11:20:00Z');

test('ranges resolve to windows', () => {
  const cases: [range: TimeRange, timeZone: string, start: string, end: string][] = [
    [{ relative: '5m' }, 'UTC', '2026-11-15T11:15:00Z', '2026-11-15T11:20:00Z'],
    [{ relative: '1h30m' }, 'UTC', '2026-11-15T09:50:00Z', '2026-11-15T11:20:00Z'],
    [{ relative: '1d' }, 'Asia/Tokyo', '2026-11-14T11:20:00Z', '2026-11-15T11:20:00Z'],
    [{ preset: 'today' }, 'UTC', '2026-11-15T00:00:00Z', '2026-11-16T00:00:00Z'],
    [{ preset: 'yesterday' }, 'UTC', '2026-11-14T00:00:00Z', '2026-11-15T00:00:00Z'],
    [{ preset: 'today' }, 'Europe/Vienna', '2026-11-14T23:00:00Z', '2026-11-15T23:00:00Z'],
    [{ preset: 'today' }, 'Pacific/Kiritimati', '2026-11-15T10:00:00Z', '2026-11-16T10:00:00Z'],
    [{ preset: 'yesterday' }, 'Asia/Kolkata', '2026-11-13T18:30:00Z', '2026-11-14T18:30:00Z'],
    [{ day: '2026-07-01' }, 'Europe/Vienna', '2026-06-30T22:00:00Z', '2026-07-01T22:00:00Z'],
    [{ day: '2026-07-01', from: '09:30' }, 'UTC', '2026-07-01T09:30:00Z', '2026-07-02T00:00:00Z'],
    [{ day: '2026-07-01', to: '00:00:01' }, 'UTC', '2026-07-01T00:00:00Z', '2026-07-01T00:00:01Z'],
    [
      { day: '2026-07-01', from: '23:00', to: '24:00' },
      'UTC',
      '2026-07-01T23:00:00Z',
      '2026-07-02T00:00:00Z',
    ],
    // Clocks are set forward, and the day has 23 hours.
    [{ day: '2026-03-29' }, 'Europe/Vienna', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    [{ day: '2026-03-29', from: '02:30' }, 'Europe/Vienna', '2026-03-29T01:30:00Z', '2026-03-29T22:00:00Z'],
    // Clocks are set back; of 25 hours the first is dropped unless the window is a part of the day.
    [{ day: '2026-10-25' }, 'Europe/Vienna', '2026-10-24T23:00:00Z', '2026-10-25T23:00:00Z'],
    [{ day: '2026-10-25', to: '12:00' }, 'Europe/Vienna', '2026-10-24T22:00:00Z', '2026-10-25T11:00:00Z'],
    [{ day: '2026-10-25', to: '02:30' }, 'Europe/Vienna', '2026-10-24T22:00:00Z', '2026-10-25T00:30:00Z'],
    // A day without midnight.
    [{ day: '2018-11-04' }, 'America/Sao_Paulo', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'],
    [
      { start: '2026-11-15T10:00:00+01:00', end: '2026-11-15T10:00:00.5Z' },
      'UTC',
      '2026-11-15T09:00:00Z',
      '2026-11-15T10:00:00.5Z',
    ],
  ];
  for (const [range, timeZone, start, end] of cases) {
    assert.deepEqual(
      resolveTimeRange(range, { nowMs, timeZone }),
      { window: { startMs: Date.parse(start), endMs: Date.parse(end) } },
      JSON.stringify(range),
    );
  }
});

test('an invalid range is refused with the reason', () => {
  const cases: [range: TimeRange, timeZone: string, code: string, message: RegExp][] = [
    [{ relative: '15' }, 'UTC', 'invalid_time_range', /15 is not a duration; write one such as 15m or 4h/],
    [{ relative: '0' }, 'UTC', 'invalid_time_range', /0 is not a duration/],
    [{ relative: '-5m' }, 'UTC', 'invalid_time_range', /-5m is not a duration/],
    [{ relative: '25h' }, 'UTC', 'window_too_large', /over 24h at most/],
    [{ preset: 'today' }, 'Europe/Wien', 'invalid_time_range', /Europe\/Wien is not a time zone/],
    [{ preset: 'today' }, '', 'invalid_time_range', /is not a time zone/],
    [{ day: '2026-02-29' }, 'UTC', 'invalid_time_range', /2026-02-29 is not a day/],
    [{ day: '2026-2-1' }, 'UTC', 'invalid_time_range', /is not a day/],
    [{ day: '9999-12-31' }, 'UTC', 'invalid_time_range', /is not a day/],
    [{ day: '2026-02-28', from: '9:30' }, 'UTC', 'invalid_time_range', /9:30 is not a time of day/],
    [{ day: '2026-02-28', to: '24:01' }, 'UTC', 'invalid_time_range', /24:01 is not a time of day/],
    [
      { day: '2026-02-28', from: '10:00', to: '10:00' },
      'UTC',
      'invalid_time_range',
      /10:00 is not before 10:00/,
    ],
    [{ start: '2026-11-15', end: '2026-11-16' }, 'UTC', 'invalid_time_range', /2026-11-15 is not a moment/],
    [
      { start: '2026-11-15T10:00:00Z', end: '2026-13-15T10:00:00Z' },
      'UTC',
      'invalid_time_range',
      /2026-13-15T10:00:00Z is not a moment/,
    ],
    [
      { start: '2026-11-15T11:00:00Z', end: '2026-11-15T10:00:00Z' },
      'UTC',
      'invalid_time_range',
      /is not before/,
    ],
    [{ start: '2026-11-14T09:00:00Z', end: '2026-11-15T10:00:00Z' }, 'UTC', 'window_too_large', /24h/],
  ];
  for (const [range, timeZone, code, message] of cases) {
    const { problem } = resolveTimeRange(range, { nowMs, timeZone });
    assert.equal(problem?.code, code, JSON.stringify(range));
    assert.match(problem!.message, message);
    if (code === 'window_too_large') {
      const mended = resolveTimeRange(problem!.suggestion!, { nowMs, timeZone }).window!;
      assert.equal(mended.endMs - mended.startMs, eventLimits.eventsWindowMsMax);
    }
  }
});

test('every offered range can be searched', () => {
  for (const { range } of offeredRanges)
    assert.ok(resolveTimeRange(range, { nowMs, timeZone: 'UTC' }).window);
});

test('in any zone a day resolves to itself, and is never too large', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const anyMoment = fc.integer({
    min: Date.parse('1975-01-01T00:00:00Z'),
    max: Date.parse('2060-01-01T00:00:00Z'),
  });
  fc.assert(
    fc.property(anyMoment, fc.constantFrom(...zones), (ms, timeZone) => {
      const day = dayAt(ms, timeZone);
      const { window } = resolveTimeRange({ preset: 'today' }, { nowMs: ms, timeZone });
      const { startMs, endMs } = window!;
      assert.deepEqual(resolveTimeRange({ day }, { nowMs: 0, timeZone }).window, window);
      assert.ok(startMs < endMs && endMs - startMs <= eventLimits.eventsWindowMsMax);
      assert.equal(dayAt(startMs, timeZone), day);
      assert.equal(dayAt(endMs - 1, timeZone), day);
      assert.notEqual(dayAt(endMs, timeZone), day);
    }),
    { numRuns: 300 },
  );
});
