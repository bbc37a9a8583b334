/** The alerts and the dashboard of a release, loaded by Prometheus' own tool, which also makes every alert fire. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type AlertRule, alertRules } from '../../../scripts/monitoring/alert-rules.ts';
import { panels } from '../../../scripts/monitoring/dashboard.ts';
import { annotationsOf, rulesFile } from '../../../scripts/monitoring/rules-file.ts';
import { missingPackage } from '../debian-package.ts';

const scratch = mkdtempSync(join(tmpdir(), 'weir-alerts-'));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Debian's package of the server has its tool. */
const skip = missingPackage('prometheus', () => spawnSync('promtool', ['--version']).status === 0);

function promtool(args: readonly string[]): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: scratch, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

writeFileSync(join(scratch, 'alerts.yaml'), rulesFile());

test('Prometheus loads the rules, and finds nothing that is there twice', { skip }, () => {
  const { status, said } = promtool(['check', 'rules', '--lint=all', '--lint-fatal', 'alerts.yaml']);
  assert.equal(status, 0, said);
  assert.match(said, new RegExp(`${alertRules.length} rules found`));
});

const evaluatedAt = '45m';

/** A unit test of Prometheus, whose format is YAML, of which JSON is a part. */
function unitTest(rule: AlertRule, quality: 'good' | 'bad'): object {
  const exp_labels = { severity: rule.severity, ...rule.labels };
  const filled = (text: string) =>
    text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name) => rule.labels[name]!);
  const exp_annotations = Object.fromEntries(
    Object.entries(annotationsOf(rule)).map(([name, text]) => [name, filled(text)]),
  );
  return {
    name: `${rule.name}, ${quality}`,
    interval: '1m',
    input_series: rule.series.map(([series, good, bad]) => ({
      series,
      values: quality === 'good' ? good : bad,
    })),
    alert_rule_test: [
      {
        eval_time: evaluatedAt,
        alertname: rule.name,
        exp_alerts: quality === 'good' ? [] : [{ exp_labels, exp_annotations }],
      },
    ],
  };
}

function runUnitTests(name: string, tests: readonly object[]): ReturnType<typeof promtool> {
  const content = { rule_files: ['alerts.yaml'], evaluation_interval: '1m', tests };
  writeFileSync(join(scratch, name), JSON.stringify(content));
  return promtool(['test', 'rules', name]);
}

for (const rule of alertRules) {
  test(`${rule.name} fires for what it is about, and for nothing else`, { skip }, () => {
    const { status, said } = runUnitTests(`${rule.name}.json`, [
      unitTest(rule, 'good'),
      unitTest(rule, 'bad'),
    ]);
    assert.equal(status, 0, said);
  });
}

test('a rule whose expression never holds is noticed', { skip }, () => {
  const [first] = alertRules;
  const never = { ...first!, series: first!.series.map(([series, good]) => [series, good, good] as const) };
  const { status } = runUnitTests('never.json', [unitTest(never, 'bad')]);
  assert.notEqual(status, 0);
});

test('Prometheus reads every query of the dashboard', { skip }, () => {
  const queries = panels.flatMap((panel) => Object.values(panel.queries));
  const rules = queries.map((query, at) => ({
    record: `query_${at}`,
    expr: query.replaceAll('$__rate_interval', '5m'),
  }));
  writeFileSync(join(scratch, 'queries.json'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  const { status, said } = promtool(['check', 'rules', 'queries.json']);
  assert.equal(status, 0, said);
});
