import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CheckDescription, CheckResult, Finding } from './check.ts';
import { type DiagnosticRecord, newRecord, shownStatus, type Transition } from './record.ts';
import { checkFailedToRun } from './registry.ts';
import { type DiagnosticEvent, noDataMsMax, step } from './transitions.ts';

const minuteMs = 60_000;

function checkWith(failAfterRuns: number, recoverAfterRuns: number): CheckDescription {
  return { ...checkFailedToRun, damping: { failAfterRuns, recoverAfterRuns } };
}

const finding = (name = 'a', facts: Partial<Finding> = {}): Finding => {
  return { entity: { kind: 'agent', name }, message: `${name} is wrong`, weight: 1, ...facts };
};

/**
 * A letter per minute: `x` has findings, `.` has none, `?` has no stats, `m` mutes, `M` mutes for two minutes, `u`
 * unmutes.
 */
function events(story: string): DiagnosticEvent[] {
  return [...story].map((letter, index): DiagnosticEvent => {
    const atMs = index * minuteMs;
    const checked = (result: CheckResult) => ({ kind: 'looked', atMs, result }) as const;
    const mute = (untilMs: number | null) => {
      return { kind: 'mute', mute: { by: 'ann', atMs, untilMs, reason: 'known' } } as const;
    };
    switch (letter) {
      case 'x':
        return checked([finding()]);
      case '.':
        return checked([]);
      case '?':
        return checked({ missing: 'stats' });
      case 'm':
        return mute(null);
      case 'M':
        return mute(atMs + 2 * minuteMs);
      default:
        return { kind: 'unmute', atMs, by: 'bob' };
    }
  });
}

function play(check: CheckDescription, happened: readonly DiagnosticEvent[]) {
  let record = newRecord('vci_test', check.name, 0);
  const transitions: Transition[] = [];
  const records: DiagnosticRecord[] = [];
  for (const event of happened) {
    const after = step(check, record, event);
    record = after.record;
    records.push(record);
    transitions.push(...after.transitions);
  }
  return { record, records, transitions };
}

const stories: readonly (readonly [story: string, status: string, transitions: string])[] = [
  ['', 'unknown', ''],
  ['.', 'healthy', ''],
  ['x', 'unknown', ''],
  ['xx', 'failed', 'failed@1'],
  ['.x.x.x', 'healthy', ''],
  ['.xx', 'failed', 'failed@2'],
  ['xx.x.x', 'failed', 'failed@1'],
  ['xx...', 'recovered', 'failed@1 recovered@4'],
  ['xx...x', 'recovered', 'failed@1 recovered@4'],
  ['xx...xx', 'failed', 'failed@1 recovered@4 failed@6'],
  ['?', 'unknown', ''],
  ['x?x', 'failed', 'failed@2'],
  ['xx?..?.', 'recovered', 'failed@1 recovered@6'],
  ['mxx', 'muted', 'muted@0 (failed@2)'],
  ['xxm...', 'recovered', 'failed@1 muted@2 (recovered@5)'],
  ['xxmu', 'failed', 'failed@1 muted@2 unmuted@3'],
  ['xxM.', 'muted', 'failed@1 muted@2'],
  ['xxMxx', 'failed', 'failed@1 muted@2 unmuted@4'],
  ['Mxx', 'failed', 'muted@0 unmuted@2 failed@2'],
  ['xxmM', 'muted', 'failed@1 muted@2 muted@3'],
  ['u.u', 'healthy', ''],
];

test('diagnostics fail after two runs and recover after three', () => {
  const check = checkWith(2, 3);
  for (const [story, status, expected] of stories) {
    const { record, transitions } = play(check, events(story));
    const published = transitions.map(({ kind, atMs, isSilent }) => {
      const text = `${kind}@${atMs / minuteMs}`;
      return isSilent ? `(${text})` : text;
    });
    assert.equal(shownStatus(record), status, story);
    assert.equal(published.join(' '), expected, story);
  }
});

test('a failure expires when stats are missing for too long', () => {
  const runs = noDataMsMax / minuteMs;
  const { record, transitions } = play(checkWith(1, 1), events(`x${'?'.repeat(runs)}`));
  assert.equal(record.status, 'failed');
  assert.equal(record.noData?.missing, 'stats');
  assert.equal(transitions.length, 1);
  const later = play(checkWith(1, 1), events(`x${'?'.repeat(runs + 1)}`));
  assert.equal(later.record.status, 'unknown');
  assert.deepEqual(later.record.findings, []);
  assert.match(later.transitions[1]!.message, /^No data for 30 minutes \(stats\); earlier findings/);
  assert.equal(play(checkWith(1, 1), events(`x${'?'.repeat(runs + 1)}.`)).record.status, 'healthy');
});

test('findings retain the time since when they exist', () => {
  const check = checkWith(2, 2);
  const run = (minute: number, ...result: Finding[]) =>
    ({ kind: 'looked', atMs: minute * minuteMs, result }) as const;
  const { record } = play(check, [
    run(1, finding('a')),
    run(2, finding('b'), finding('a')),
    run(3, finding('a'), finding('b', { severity: 'critical' }), finding('c', { sinceMs: 7 })),
    run(4),
  ]);
  assert.equal(record.status, 'failed');
  assert.equal(record.failedMs, 2 * minuteMs);
  assert.equal(record.severity, 'critical');
  assert.deepEqual(
    record.findings.map(({ entity, severity, sinceMs }) => [entity.name, severity, sinceMs]),
    [
      ['b', 'critical', 2 * minuteMs],
      ['a', 'medium', minuteMs],
      ['c', 'medium', 7],
    ],
  );
});

const anyStory = fc.array(fc.constantFrom('x', 'x', '.', '.', '?', 'm', 'M', 'u'), { maxLength: 200 });
const runsMax = fc.integer({ min: 1, max: 4 });

test('property: the status depends on the runs only, not on mutes', () => {
  fc.assert(
    fc.property(anyStory, runsMax, runsMax, (letters, failAfter, recoverAfter) => {
      // A run without stats does not count, unless they are missing for half an hour; mutes are not runs.
      fc.pre(
        !letters
          .join('')
          .replaceAll(/[mMu]/g, '?')
          .includes('?'.repeat(noDataMsMax / minuteMs)),
      );
      const { record, transitions } = play(checkWith(failAfter, recoverAfter), events(letters.join('')));
      const runs = letters.filter((letter) => letter === 'x' || letter === '.').join('');
      let isFailed = false;
      let left = runs;
      while (left !== '') {
        const [letter, after] = isFailed ? ['.', recoverAfter] : ['x', failAfter];
        const end = left.indexOf(letter.repeat(after));
        if (end < 0) break;
        isFailed = !isFailed;
        left = left.slice(end + after);
      }
      assert.equal(record.status === 'failed', isFailed);
      const changes = transitions.filter(({ kind }) => kind === 'failed' || kind === 'recovered');
      assert.ok(changes.every(({ kind }, index) => kind === (index % 2 === 0 ? 'failed' : 'recovered')));
      assert.equal(changes.length % 2 === 1, isFailed);
    }),
  );
});

test('property: mutes apply, and transitions are numbered without gaps', () => {
  fc.assert(
    fc.property(anyStory, runsMax, (letters, after) => {
      const { transitions, record } = play(checkWith(after, after), events(letters.join('')));
      let isMuted = false;
      for (const [index, { number, kind, isSilent }] of transitions.entries()) {
        assert.equal(number, index);
        if (kind === 'muted' || kind === 'unmuted') isMuted = kind === 'muted';
        assert.equal(isSilent, isMuted && (kind === 'failed' || kind === 'recovered'));
      }
      assert.equal(record.transitionCount, transitions.length);
      assert.equal(record.mute !== null, isMuted);
    }),
  );
});

test('property: a run without news returns the same record', () => {
  fc.assert(
    fc.property(anyStory, runsMax, fc.constantFrom('x', '.'), (letters, after, last) => {
      const check = checkWith(after, after);
      const { record } = play(check, events(`${letters.join('')}u${last.repeat(after)}`));
      const [event] = events(last);
      const atMs = 1e9;
      const again = step(check, record, { ...event!, atMs } as DiagnosticEvent);
      assert.equal(again.record, record);
      assert.deepEqual(again.transitions, []);
    }),
  );
});
