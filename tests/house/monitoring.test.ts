import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { diagnostics } from '../../packages/diagnostics/src/registry.ts';
import { alertRules } from '../../scripts/monitoring/alert-rules.ts';
import { panels } from '../../scripts/monitoring/dashboard.ts';
import { problemsOf } from '../../scripts/monitoring/metric-names.ts';
import { runbookOf } from '../../scripts/monitoring/rules-file.ts';
import { root } from './repository.ts';

test('alerts and the dashboard ask for metrics and labels that exist', () => {
  const expressions = [
    ...alertRules.map(({ expression }) => expression),
    ...panels.flatMap(({ queries }) => Object.values(queries)),
  ];
  assert.deepEqual(expressions.flatMap(problemsOf), []);
});

test('a metric, a label and a part of a histogram that do not exist are found', () => {
  assert.equal(problemsOf('service_agent_redy == 0').length, 1);
  assert.equal(problemsOf('sum by (zone) (service_agent_ready)').length, 1);
  assert.equal(problemsOf('service_agent_ready{color="red"}').length, 1);
  assert.equal(problemsOf('rate(service_journal_append_seconds[5m])').length, 1);
  assert.deepEqual(problemsOf('rate(service_journal_append_seconds_count{cluster="a"}[5m])'), []);
});

test('the series with which alerts are tried have labels of their metrics', () => {
  const all = alertRules.flatMap(({ series }) => series.map(([one]) => one));
  assert.deepEqual(all.flatMap(problemsOf), []);
});

test('every alert and every diagnostic has a runbook, and runbooks link back', () => {
  const page = (path: string) => readFileSync(join(root, path), 'utf8');
  const runbooks = page('docs/operate/runbooks.md');
  const reference = page('docs/reference/diagnostics.md');
  for (const rule of alertRules) {
    const [path, anchor] = runbookOf(rule).split('#');
    assert.equal(path, 'docs/operate/runbooks.md');
    assert.ok(runbooks.includes(`\n## ${rule.name}\n`), rule.name);
    assert.equal(anchor, rule.name.toLowerCase());
    assert.ok(runbooks.includes(rule.expression), `${rule.name}: the section shows what fires`);
  }
  const backFrom = (name: string) => reference.split(`\n### ${name}\n`)[1]?.split('\n### ')[0] ?? '';
  for (const rule of alertRules) {
    const link = `](../operate/runbooks.md#${rule.name.toLowerCase()})`;
    for (const name of rule.diagnostics)
      assert.ok(backFrom(name).includes(link), `${name} links back to ${rule.name}`);
  }
  for (const { name } of diagnostics) {
    assert.ok(runbooks.includes(`](../reference/diagnostics.md#${name})`), name);
    assert.match(backFrom(name), /\]\(\.\.\/operate\/runbooks\.md#/, `${name} links back`);
  }
});
