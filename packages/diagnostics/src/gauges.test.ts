import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '@weir/core';
import { DiagnosticGauges } from './gauges.ts';
import { type DiagnosticRecord, newRecord } from './record.ts';

function record(name: string, facts: Partial<DiagnosticRecord>): DiagnosticRecord {
  return { ...newRecord('vci_test', name, 0), ...facts };
}

const mute = { by: 'ann', atMs: 0, untilMs: null, reason: '' };

function samples(metrics: Metrics): string[] {
  return metrics
    .render()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

const line = (name: string, type: string, flags: string, value: number) => {
  const [low, medium, high, critical, muted] = [...flags].map((flag) => String(flag === '1'));
  return `service_diagnostic_failure{diagnostic_name="${name}",diagnostic_type="${type}",severity_low="${low}",severity_medium="${medium}",severity_high="${high}",severity_critical="${critical}",muted="${muted}"} ${value}`;
};

test('a diagnostic is one series, with one severity while it fails', () => {
  const metrics = new Metrics();
  const gauges = new DiagnosticGauges(metrics);
  gauges.show([
    record('small_files', { status: 'failed', severity: 'medium' }),
    record('no_agents', { status: 'failed', severity: 'critical', mute }),
    record('clock_skew', { status: 'recovered' }),
    record('lost_agent', { status: 'healthy', severity: 'high', mute }),
    record('single_zone', { status: 'unknown' }),
    record('from_a_later_release', { status: 'failed', severity: 'high' }),
  ]);
  assert.deepEqual(samples(metrics), [
    line('small_files', 'storage', '01000', 1),
    line('no_agents', 'agents', '00011', 1),
    line('clock_skew', 'agents', '00000', 0),
    line('lost_agent', 'agents', '00001', 0),
  ]);
});

test('a diagnostic that changes leaves no second series behind', () => {
  const metrics = new Metrics();
  const gauges = new DiagnosticGauges(metrics);
  const flags = ['00000', '01000', '00100', '00000'];
  const states: readonly Partial<DiagnosticRecord>[] = [
    { status: 'healthy' },
    { status: 'failed', severity: 'medium' },
    { status: 'failed', severity: 'high' },
    { status: 'recovered' },
  ];
  for (const [index, facts] of states.entries()) {
    gauges.show([record('small_files', facts)]);
    const value = facts.status === 'failed' ? 1 : 0;
    assert.deepEqual(samples(metrics), [line('small_files', 'storage', flags[index]!, value)]);
  }
  gauges.clear();
  assert.deepEqual(samples(metrics), []);
});
