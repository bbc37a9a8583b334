import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '@weir/controlplane/testing';
import { jsonLog, Metrics, nextTurn, systemClock } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import { agentOf, healthySnapshot } from '../testing/diagnostic-snapshot.ts';
import { MemoryDiagnosticsStore } from '../testing/memory-diagnostics-store.ts';
import { defineCheck } from './check.ts';
import type { DiagnosticSnapshot } from './diagnostic-snapshot.ts';
import { diagnosticEventData } from './event.ts';
import { MuteRefused, muteDiagnostic, unmuteDiagnostic } from './mute.ts';
import type { Transition } from './record.ts';
import { checks } from './registry.ts';
import {
  DiagnosticsRunner,
  type DiagnosticsRunnerOptions,
  defaultIntervalMs,
  diagnosticSnapshotMsMax,
} from './runner.ts';

const clusterId = 'vci_test';
const noJobs = { agents: [agentOf('a', { roles: ['proxy'] }), agentOf('b', { roles: ['proxy'] })] };

class Stage {
  readonly clock = new HandClock();
  readonly store = new MemoryDiagnosticsStore();
  readonly lines: string[] = [];
  readonly published: string[] = [];
  readonly metrics = new Metrics();
  readonly runner: DiagnosticsRunner;
  clusterIds: readonly string[] = [clusterId];
  takeDiagnosticSnapshot: (clusterId: string) => Promise<DiagnosticSnapshot> = async () => this.snapshot({});

  constructor(t: TestContext, options: Partial<DiagnosticsRunnerOptions> = {}) {
    const { clock, store, lines, metrics } = this;
    this.runner = new DiagnosticsRunner({
      clusterIds: () => this.clusterIds,
      takeDiagnosticSnapshot: (id) => this.takeDiagnosticSnapshot(id),
      store,
      metricsOf: () => metrics,
      onTransition: ({ name, kind }: Transition) => this.published.push(`${name} ${kind}`),
      clock,
      log: jsonLog({ level: 'debug', nowMs: () => 0, write: (line) => lines.push(line) }),
      ...options,
    });
    t.after(() => this.runner.stop());
  }

  snapshot(facts: Partial<DiagnosticSnapshot>): DiagnosticSnapshot {
    const atMs = this.clock.nowMs();
    const snapshot = healthySnapshot(facts);
    const agents = snapshot.agents.map((agent) => ({ ...agent, lastSeenMs: atMs }));
    return { ...snapshot, atMs, agents };
  }

  async run(times = 1, facts?: Partial<DiagnosticSnapshot>): Promise<void> {
    if (facts !== undefined) this.takeDiagnosticSnapshot = async () => this.snapshot(facts);
    for (let i = 0; i < times; i++) {
      this.clock.advance(defaultIntervalMs);
      await this.runner.checkAll();
    }
  }

  async status(name: string): Promise<string | undefined> {
    const stored = await this.store.load(clusterId);
    return stored.find(({ record }) => record.name === name)?.record.status;
  }
}

test('every check for the type of cluster runs, and the metric shows it', async (t) => {
  const stage = new Stage(t);
  await stage.run();
  const stored = await stage.store.load(clusterId);
  const ofKafka = checks.filter(({ kinds }) => kinds.includes('kafka'));
  assert.deepEqual(
    stored.map(({ record }) => record.name),
    [...ofKafka.map(({ name }) => name), 'check_failed_to_run'].sort(),
  );
  assert.deepEqual(new Set(stored.map(({ record }) => record.status)), new Set(['healthy']));
  assert.equal(
    stage.metrics.render().match(/^service_diagnostic_failure\{.*\} 0$/gm)?.length,
    ofKafka.length + 1,
  );
  assert.deepEqual(stage.published, []);
});

test('a data lake cluster has the checks of its tables', async (t) => {
  const stage = new Stage(t);
  await stage.run(1, { cluster: { ...healthySnapshot().cluster, kind: 'data_lake' } });
  assert.equal(await stage.status('table_failing'), 'healthy');
  assert.equal(await stage.status('pipeline_failing'), undefined);
});

test('consumer groups of a schema registry are not requested', async (t) => {
  const stage = new Stage(t);
  await stage.run(1, { cluster: { ...healthySnapshot().cluster, kind: 'schema_registry' } });
  assert.equal(await stage.status('no_agents'), 'healthy');
  assert.equal(await stage.status('consumer_group_stuck'), undefined);
});

test('a failure is reported once, and so is the recovery', async (t) => {
  const stage = new Stage(t);
  await stage.run(5, noJobs);
  assert.deepEqual(stage.published, ['no_jobs_agent failed']);
  assert.match(stage.metrics.render(), /diagnostic_name="no_jobs_agent",.*severity_high="true",.*\} 1\n/);
  await stage.run(5, {});
  assert.deepEqual(stage.published, ['no_jobs_agent failed', 'no_jobs_agent recovered']);
  assert.doesNotMatch(stage.metrics.render(), /\} 1\n/);
});

test('a run without changes writes nothing', async (t) => {
  const stage = new Stage(t);
  await stage.run(3, noJobs);
  const versions = async () => (await stage.store.load(clusterId)).map(({ version }) => version);
  const before = await versions();
  await stage.run(3);
  assert.deepEqual(await versions(), before);
});

test('a check that throws is its own diagnostic and stops no other', async (t) => {
  const broken = defineCheck({
    ...checks[0],
    name: 'small_files',
    run: () => {
      throw new TypeError('of all things');
    },
  });
  const stage = new Stage(t, { checks: [broken, ...checks.filter(({ name }) => name !== 'small_files')] });
  await stage.run(2, noJobs);
  assert.deepEqual(stage.published, ['no_jobs_agent failed', 'check_failed_to_run failed']);
  assert.equal(await stage.status('small_files'), 'unknown');
  const [transition] = await stage.store.transitions({ clusterId, name: 'check_failed_to_run', limit: 1 });
  assert.equal(transition?.message, 'Check small_files failed to run.');
  assert.match(stage.lines.join('\n'), /failed to run diagnostic check.*small_files.*of all things/);
});

test('a cluster without a snapshot retains its records and reports missing data', async (t) => {
  const stage = new Stage(t);
  await stage.run(2, noJobs);
  stage.takeDiagnosticSnapshot = async () => {
    throw new Error('no leader');
  };
  await stage.run(2);
  assert.equal(await stage.status('no_jobs_agent'), 'failed');
  assert.deepEqual(stage.published, ['no_jobs_agent failed', 'check_failed_to_run failed']);
  await stage.run(2, {});
  assert.deepEqual(stage.published.slice(2).sort(), [
    'check_failed_to_run recovered',
    'no_jobs_agent recovered',
  ]);
});

test('a snapshot that hangs times out, and other clusters are checked', async (t) => {
  const stage = new Stage(t);
  stage.clusterIds = ['vci_slow', clusterId];
  stage.takeDiagnosticSnapshot = (id) =>
    id === 'vci_slow' ? new Promise(() => {}) : Promise.resolve(stage.snapshot({}));
  const running = stage.runner.checkAll();
  await until(async () => (await stage.status('no_agents')) === 'healthy');
  stage.clock.advance(diagnosticSnapshotMsMax);
  await running;
  assert.match(stage.lines.join('\n'), /failed to collect data.*vci_slow.*timed out after 30000 ms/);
  assert.equal((await stage.store.load('vci_slow')).length, 1);
});

test('a cluster that another process leads now is no longer reported', async (t) => {
  const stage = new Stage(t);
  await stage.run();
  assert.match(stage.metrics.render(), /service_diagnostic_failure\{/);
  stage.clusterIds = [];
  await stage.run();
  assert.doesNotMatch(stage.metrics.render(), /service_diagnostic_failure\{/);
});

test('a process that takes over continues from the findings of the other', async (t) => {
  const stage = new Stage(t);
  await stage.run(1, noJobs);
  const published: string[] = [];
  const { clock, store } = stage;
  const other = new Stage(t, {
    clock,
    store,
    onTransition: ({ name, kind }) => published.push(`${name} ${kind}`),
  });
  await other.run(1, noJobs);
  assert.deepEqual(published, ['no_jobs_agent failed'], 'the second run in a row');
  assert.deepEqual(stage.published, []);
});

test('a mute from any process applies: failures are silent until the unmute', async (t) => {
  const stage = new Stage(t);
  const { store, clock } = stage;
  const name = 'no_jobs_agent';
  await stage.run();
  const mute = { by: 'ann', atMs: clock.nowMs(), untilMs: null, reason: 'on purpose' };
  const { transitions } = await muteDiagnostic(store, { clusterId, name, mute });
  assert.deepEqual(diagnosticEventData(transitions[0]!), {
    diagnostic_id: name,
    diagnostic_source: 'control_plane',
    diagnostic_type: 'agents',
    transition: 'muted',
    virtual_cluster_id: clusterId,
    title: 'No agent has the jobs role',
    message: 'on purpose',
    by: 'ann',
  });
  await stage.run(3, noJobs);
  assert.deepEqual(stage.published, []);
  assert.match(stage.metrics.render(), /diagnostic_name="no_jobs_agent",.*muted="true"\} 1\n/);
  const [failed] = await store.transitions({ clusterId, name, limit: 1 });
  assert.equal(failed?.kind, 'failed');
  assert.equal(diagnosticEventData(failed!), undefined);
  await unmuteDiagnostic(store, { clusterId, name, by: 'bob', atMs: clock.nowMs() });
  await stage.run();
  assert.match(stage.metrics.render(), /diagnostic_name="no_jobs_agent",.*muted="false"\} 1\n/);
});

test('an impossible mute is refused with the reason', async (t) => {
  const { store } = new Stage(t);
  const mute = { by: 'ann', atMs: 10, untilMs: null, reason: '' };
  const refusals = [
    [{ clusterId, name: 'nothing', mute }, /Unknown diagnostic nothing/],
    [{ clusterId, name: 'no_agents', mute: { ...mute, untilMs: 10 } }, /in the future/],
    [{ clusterId, name: 'no_agents', mute: { ...mute, untilMs: Number.NaN } }, /in the future/],
    [{ clusterId, name: 'no_agents', mute: { ...mute, reason: 'x'.repeat(5000) } }, /2048 characters/],
  ] as const;
  for (const [request, message] of refusals) {
    await assert.rejects(muteDiagnostic(store, request), (error: Error) => {
      return error instanceof MuteRefused && message.test(error.message);
    });
  }
  assert.deepEqual(await store.load(clusterId), []);
});

test('a mute between a run and its save is not lost, and neither is the run', async (t) => {
  const stage = new Stage(t);
  const { store, clock } = stage;
  await stage.run(1, noJobs);
  const load = store.load.bind(store);
  let isFirst = true;
  store.load = async (id) => {
    const stored = await load(id);
    if (!isFirst) return stored;
    isFirst = false;
    const mute = { by: 'ann', atMs: clock.nowMs(), untilMs: null, reason: '' };
    await muteDiagnostic(store, { clusterId, name: 'no_jobs_agent', mute });
    return stored;
  };
  await stage.run();
  const all = await store.transitions({ clusterId, name: 'no_jobs_agent', limit: 10 });
  assert.deepEqual(all.map(({ kind, isSilent }) => [kind, isSilent]).sort(), [
    ['failed', true],
    ['muted', false],
  ]);
});

test('a failed save is retried with the next run', async (t) => {
  const stage = new Stage(t);
  const save = stage.store.save.bind(stage.store);
  stage.store.save = async () => {
    throw new Error('no room');
  };
  await stage.run(2, noJobs);
  assert.deepEqual(stage.published, []);
  assert.match(stage.lines.join('\n'), /failed to store diagnostics.*no room/);
  stage.store.save = save;
  await stage.run(2, noJobs);
  assert.deepEqual(stage.published, ['no_jobs_agent failed']);
});

test('it runs at every interval until it is stopped', async (t) => {
  const stage = new Stage(t);
  const runs: number[] = [];
  stage.takeDiagnosticSnapshot = async () => {
    runs.push(stage.clock.monotonicMs());
    return stage.snapshot(noJobs);
  };
  const startMs = stage.clock.monotonicMs();
  stage.runner.start();
  while (stage.published.length === 0) {
    stage.clock.advance(1_000);
    // A run is over before the loop continues.
    await nextTurn(systemClock);
  }
  const [first, second] = runs as [number, number];
  assert.ok(first - startMs >= defaultIntervalMs / 2, 'agents have time to report');
  assert.ok(first - startMs <= 1.5 * defaultIntervalMs + 1_000);
  assert.ok(Math.abs(second - first - defaultIntervalMs) <= 1_000);
  await stage.runner.stop();
  assert.equal(stage.clock.waiting, 0);
});

test('many clusters that start together are spread evenly, each once per interval', async (t) => {
  const stage = new Stage(t);
  const count = 300;
  stage.clusterIds = Array.from({ length: count }, (_, n) => `vci_${n}`);
  const runs = new Map<string, number>();
  let inThisSecond = 0;
  stage.takeDiagnosticSnapshot = async (id) => {
    inThisSecond++;
    runs.set(id, (runs.get(id) ?? 0) + 1);
    return stage.snapshot({ cluster: { ...healthySnapshot().cluster, clusterId: id } });
  };
  stage.runner.start();
  let mostPerSecond = 0;
  // A little more than the longest wait for the first run, and two more.
  for (let second = 0; second < 92 + 120; second++) {
    inThisSecond = 0;
    stage.clock.advance(1_000);
    await nextTurn(systemClock);
    mostPerSecond = Math.max(mostPerSecond, inThisSecond);
  }
  assert.equal(runs.size, count);
  for (const [id, times] of runs) assert.ok(times === 3 || times === 4, `${id}: ${times} runs`);
  assert.ok(mostPerSecond < count / 10, `${mostPerSecond} in one second`);
});
