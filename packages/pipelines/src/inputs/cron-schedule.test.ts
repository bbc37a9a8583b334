import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSchedule } from './cron-schedule.ts';

test('when a schedule is due next', () => {
  // biome-ignore format: a table
  const cases: readonly [schedule: string, after: string, next: string | undefined][] = [
    ['* * * * *',                        '2026-03-01T10:20:30Z',     '2026-03-01T10:21:00Z'],
    ['0,30 * * * * *',                   '2026-03-01T10:20:10Z',     '2026-03-01T10:20:30Z'],
    ['0,30 */2 * * * *',                 '2026-03-01T10:20:30Z',     '2026-03-01T10:22:00Z'],
    ['30 4 * * *',                       '2026-03-01T04:30:00Z',     '2026-03-02T04:30:00Z'],
    ['0 0 1 1 *',                        '2026-03-01T00:00:00Z',     '2027-01-01T00:00:00Z'],
    ['0 12 * * MON-FRI',                 '2026-03-06T12:00:00Z',     '2026-03-09T12:00:00Z'],
    ['0 0 13 * 5',                       '2026-03-01T00:00:00Z',     '2026-03-06T00:00:00Z'],
    ['0 0 29 feb ?',                     '2026-03-01T00:00:00Z',     '2028-02-29T00:00:00Z'],
    ['0 0 31 2 *',                       '2026-03-01T00:00:00Z',     undefined],
    ['5/20 * * * *',                     '2026-03-01T10:30:00Z',     '2026-03-01T10:45:00Z'],
    ['@hourly',                          '2026-03-01T10:20:30Z',     '2026-03-01T11:00:00Z'],
    ['@daily',                           '2026-12-31T10:20:30Z',     '2027-01-01T00:00:00Z'],
    ['@weekly',                          '2026-03-02T00:00:00Z',     '2026-03-08T00:00:00Z'],
    ['@every 90s',                       '2026-03-01T10:20:30.500Z', '2026-03-01T10:22:00Z'],
    ['TZ=Europe/London 30 4 * * *',      '2026-07-01T00:00:00Z',     '2026-07-01T03:30:00Z'],
    ['TZ=America/New_York 0 9 * * *',    '2026-01-15T00:00:00Z',     '2026-01-15T14:00:00Z'],
    // A time that clocks leave out does not come that day, and an hour that they repeat comes twice.
    ['TZ=Europe/Berlin 30 2 * * *',      '2026-03-28T12:00:00Z',     '2026-03-30T00:30:00Z'],
    ['TZ=Europe/Berlin 0 * * * *',       '2026-10-25T00:00:00Z',     '2026-10-25T01:00:00Z'],
    ['TZ=Asia/Kolkata 0 0 * * *',        '2026-03-01T10:00:00Z',     '2026-03-01T18:30:00Z'],
  ];
  for (const [schedule, after, next] of cases) {
    const nextMs = parseSchedule(schedule)!(Date.parse(after));
    const shown = nextMs === undefined ? undefined : new Date(nextMs).toISOString().replace('.000Z', 'Z');
    assert.equal(shown, next, `${schedule} after ${after}`);
  }
});

test('texts that are no schedules', () => {
  for (const text of [
    '',
    'x',
    '* * * *',
    '* * * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 7',
    '*/0 * * * *',
    '5-1 * * * *',
    '1-2-3 * * * *',
    '@every',
    '@every 0s',
    '@never',
    'TZ=Nowhere/Else * * * * *',
  ])
    assert.equal(parseSchedule(text), undefined, text);
});
