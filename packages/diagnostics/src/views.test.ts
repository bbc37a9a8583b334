import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiLimits } from '@weir/api/limits';
import { coreLimits } from '@weir/core';
import fc from 'fast-check';
import { type Severity, severities } from './check.ts';
import { type DiagnosticRecord, newRecord } from './record.ts';
import { checks, describeCheck } from './registry.ts';
import { toDiagnosticSummaries } from './summaries.ts';
import { listingsOf, viewOf } from './views.ts';

function failed(name: string, ...found: readonly Severity[]): DiagnosticRecord {
  const findings = found.map((severity, index) => {
    return {
      entity: { kind: 'agent', name: `${index}` },
      message: `m${index}`,
      severity,
      sinceMs: 0,
    } as const;
  });
  const status = 'failed' as const;
  return {
    ...newRecord('vci_test', name, 0),
    status,
    severity: found[0]!,
    findings,
    findingCount: found.length,
  };
}

function summarized(...records: readonly DiagnosticRecord[]): string[] {
  return toDiagnosticSummaries(records).map(({ record, findings, leftOutCount }) => {
    return `${record.name} ${findings.map(({ entity }) => entity.name).join(',')} +${leftOutCount}`;
  });
}

test('at most five findings of a type are shown, with the number of omitted ones', () => {
  assert.deepEqual(summarized(failed('no_agents', ...Array(7).fill('high'))), ['no_agents 0,1,2,3,4 +2']);
  const beyond = { ...failed('no_agents', 'high'), findingCount: 3000 };
  assert.deepEqual(summarized(beyond), ['no_agents 0 +2999']);
});

test('the most severe come first, then the first of each diagnostic', () => {
  assert.deepEqual(
    summarized(
      failed('lost_agent', 'medium', 'medium', 'medium', 'medium'),
      failed('no_agents', 'critical', 'critical', 'low'),
      failed('clock_skew', 'high', 'medium'),
      failed('small_files', 'low'),
    ),
    ['lost_agent 0,1 +2', 'no_agents 0,1 +1', 'clock_skew 0 +1', 'small_files 0 +0'],
  );
});

test('a diagnostic that has not failed yet shows no findings', () => {
  assert.deepEqual(summarized({ ...failed('no_agents', 'high'), status: 'healthy' }), ['no_agents  +0']);
});

test('property: no type shows more than five, no severe finding is dropped for a milder one, and all are counted', () => {
  const severity = fc.constantFrom(...severities);
  // As records store them, the worst first.
  const found = fc
    .array(severity, { minLength: 1, maxLength: 8 })
    .map((list) => list.sort((a, b) => severities.indexOf(b) - severities.indexOf(a)));
  const records = fc
    .uniqueArray(fc.constantFrom(...checks.map(({ name }) => name)))
    .chain((names) => fc.tuple(...names.map((name) => found.map((list) => failed(name, ...list)))));
  fc.assert(
    fc.property(records, (list) => {
      const answers = toDiagnosticSummaries(list);
      assert.deepEqual(
        answers.map(({ record }) => record),
        list,
      );
      for (const same of Map.groupBy(answers, ({ record }) => describeCheck(record.name)!.type).values()) {
        const shown = same.flatMap(({ findings }) => findings);
        const all = same.flatMap(({ record }) => record.findings);
        const dropped = all.filter((finding) => !shown.includes(finding));
        assert.equal(shown.length, Math.min(all.length, apiLimits.diagnosticGroupsMax));
        assert.equal(
          dropped.length,
          same.reduce((sum, { leftOutCount }) => sum + leftOutCount, 0),
        );
        const mildest = Math.min(...shown.map((finding) => severities.indexOf(finding.severity)));
        assert.ok(dropped.every((finding) => severities.indexOf(finding.severity) <= mildest));
      }
    }),
  );
});

test('lists have failing diagnostics first, the worst first, and muted ones after them', () => {
  const mute = { by: 'ann', atMs: 0, untilMs: 60_000, reason: 'known' };
  const listed = listingsOf([
    { ...newRecord('vci_test', 'single_zone', 0), status: 'healthy' },
    { ...failed('no_agents', 'critical'), mute },
    failed('lost_agent', 'medium'),
    failed('clock_skew', 'high', 'low'),
    failed('from_a_later_release', 'high'),
  ]);
  assert.deepEqual(
    listed.map(({ name, successful, severity, muted_until, cause }) => [
      name,
      successful,
      severity,
      muted_until,
      cause,
    ]),
    [
      ['clock_skew', false, 'high', null, 'm0'],
      ['lost_agent', false, 'medium', null, 'm0'],
      ['no_agents', false, 'critical', '1970-01-01T00:01:00.000Z', 'm0'],
      ['single_zone', true, 'low', null, ''],
    ],
  );
});

test('a diagnostic is shown with its findings and its fix', () => {
  const long = 'x'.repeat(coreLimits.groupNameCharsMax);
  const [first] = failed('lost_agent', 'medium').findings;
  const findings = ['1', '2'].map((end) => ({
    ...first!,
    entity: { kind: 'agent', name: long + end } as const,
  }));
  const record = { ...failed('lost_agent', 'medium', 'medium'), findings };
  const view = viewOf([record], 'lost_agent')!;
  assert.equal(view.title, 'Agent lost: heartbeats stopped without a shutdown');
  assert.equal(view.groups_left_out, 0);
  const keys = view.groups.map(({ key }) => key);
  assert.equal(new Set(keys).size, 2, 'long names with the same prefix stay distinct');
  assert.ok(keys.every((key) => key.length <= 256 && key.startsWith('agent:xxx')));
  assert.equal(viewOf([record], 'no_agents'), undefined);
});
