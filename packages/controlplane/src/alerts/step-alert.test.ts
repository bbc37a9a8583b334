import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Alert, type AlertFinding, newAlertState } from '../accounts/alerts/alert-types.ts';
import { controlPlaneLimits } from '../limits.ts';
import { stepAlert } from './step-alert.ts';

const alert: Alert = {
  id: 'ali_1',
  clusterId: 'vci_1',
  name: 'unwell',
  source: { kind: 'diagnostics', diagnosticIds: [], minSeverity: 'low' },
  channelIds: ['aci_1'],
  repeatMinutes: 30,
  notifiesResolved: true,
  isEnabled: true,
  mute: undefined,
  updatedMs: 0,
  updatedBy: '',
};

const finding = (key: string): AlertFinding => ({
  key,
  title: key.toUpperCase(),
  message: `${key} fails`,
  severity: 'high',
});

/** Minutes, what fires then (`!` for an evaluation that failed), and what is said: `~` if it is not sent. */
type Row = readonly [minute: number, firing: string, said: string];

function play(rows: readonly Row[], differences: Partial<Alert> | ((minute: number) => Partial<Alert>) = {}) {
  let state = newAlertState;
  for (const [minute, firing, said] of rows) {
    const given = typeof differences === 'function' ? differences(minute) : differences;
    const findings = [...firing].map(finding);
    const seen = firing === '!' ? { problem: 'no agent' } : { findings, summary: firing };
    const step = stepAlert({ ...alert, ...given }, state, seen, minute * 60_000);
    const { notice } = step;
    const words = notice && `${notice.isSent ? '' : '~'}${notice.kind}${notice.resolved.join('')}`;
    assert.equal(words ?? '', said, `minute ${minute}`);
    state = step.state;
  }
  return state;
}

test('an alert is sent when it fires, changes, goes on, and is resolved', () => {
  assert.equal(controlPlaneLimits.alertGatherMs, 5 * 60_000);
  // biome-ignore format: a table
  const state = play([
    [0,  '',   ''],
    [1,  'a',  'fired'],
    [2,  'a',  ''],
    [3,  'ab', ''],           // gathered
    [4,  'abc', ''],
    [6,  'abc', 'changed'],
    [8,  'bc', ''],
    [11, 'bc', 'changedA'],
    [12, '!',  ''],           // an evaluation that fails resolves nothing
    [40, 'bc', ''],
    [41, 'bc', 'repeated'],
    [42, '',   'resolvedBC'],
    [43, '',   ''],
    [50, 'a',  'fired'],
    [51, '',   'resolvedA'],
    [52, 'a',  ''],           // one that comes and goes
    [53, '',   ''],
    [54, 'a',  ''],
    [55, 'a',  'fired'],
  ]);
  assert.deepEqual([state.incidents, state.notificationCount], [3, 8]);
  assert.deepEqual([state.lastFiredMs, state.firingSinceMs], [54 * 60_000, 54 * 60_000]);
});

test('without repetitions and resolutions, only what is new is sent', () => {
  // biome-ignore format: a table
  play([
    [0,   'ab', 'fired'],
    [10,  'a',  ''],
    [900, 'a',  ''],
    [901, 'ac', 'changedB'],
    [902, '',   '~resolvedAC'],
  ], { repeatMinutes: null, notifiesResolved: false });
});

test('a muted alert is not sent, and the difference is when the mute ends', () => {
  const mute = { by: 'ada', untilMs: 10 * 60_000, reason: '' };
  // biome-ignore format: a table
  play([
    [0,  'a', '~fired'],
    [1,  'a', ''],
    [2,  '',  '~resolvedA'],
    [3,  'a', '~fired'],
    [10, 'a', 'fired'],
  ], { mute });
  // biome-ignore format: a table
  play([
    [0,  'a', 'fired'],
    [1,  '',  '~resolvedA'],
    [9,  '',  ''],
    [10, '',  'resolvedA'],
  ], (minute) => (minute === 0 ? {} : { mute }));
  const state = play([[0, 'a', '~fired']], { mute: { ...mute, untilMs: null } });
  assert.equal(state.notified, null);
});

test('many findings are stored up to the limit', () => {
  const findings = Array.from({ length: 100 }, (_, n) => finding(`f${n}`));
  const { state, notice } = stepAlert(alert, newAlertState, { findings, summary: 'many' }, 0);
  assert.equal(state.firing.length, controlPlaneLimits.alertFindingsMax);
  assert.equal(notice!.findings.length, controlPlaneLimits.alertFindingsMax);
});
