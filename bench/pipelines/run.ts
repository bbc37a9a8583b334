import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '@weir/core';
import { Lifetime } from '../kafka/lifetime.ts';
import { commit, machine } from '../kafka/machine.ts';
import { startCluster } from '../kafka/weir.ts';
import { Bento } from './bento.ts';
import { type PipelineResults, resultsText, writePage } from './page.ts';
import { clusterRows, mappingRow, type PipelineScale } from './rows.ts';

/**
 * `npm run bench:pipelines`: the bars of managed pipelines, with Bento beside them. `--quick` takes less time and
 * stores nothing, `--write` stores it all the same; `--no-bento` needs no Go.
 */
const root = join(import.meta.dirname, '../..');
const full: PipelineScale = {
  runs: 3,
  mappedMessages: 400_000,
  recordsPerPartition: 60_000,
  idleInstances: 20,
  idleMs: 60_000,
  settleMs: 90_000,
};
const quick: PipelineScale = {
  runs: 1,
  mappedMessages: 200_000,
  recordsPerPartition: 30_000,
  idleInstances: 5,
  idleMs: 30_000,
  settleMs: 75_000,
};

process.once('exit', () => Lifetime.endAll());
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const { values } = parseArgs({
  options: { quick: { type: 'boolean' }, write: { type: 'boolean' }, 'no-bento': { type: 'boolean' } },
});
const scale = values.quick ? quick : full;
const hasGo = spawnSync('go', ['version']).status === 0;
if (!hasGo && !values['no-bento']) process.stderr.write('bench:pipelines: Go is missing, and so is Bento\n');

await Lifetime.during(async (lifetime) => {
  const bento = hasGo && !values['no-bento'] ? new Bento(lifetime) : undefined;
  const mapping = await mappingRow(scale, bento);
  const { servers } = await startCluster(lifetime, { profileFolder: undefined });
  const results: PipelineResults = {
    format: 1,
    machine: machine(),
    commit: commit(root),
    date: new Date(systemClock.nowMs()).toISOString().slice(0, 10),
    isQuick: values.quick === true,
    rows: [mapping, ...(await clusterRows(scale, servers, bento))],
  };
  process.stdout.write(`${resultsText(results)}\n`);
  if (values.quick && !values.write) return;
  const file = join(root, 'bench/results/pipelines.json');
  mkdirSync(dirname(file), { recursive: true });
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  writeFileSync(file, `${JSON.stringify(results, rounded, 2)}\n`);
  writePage(join(root, 'docs/reference/benchmarks.md'), results);
});
