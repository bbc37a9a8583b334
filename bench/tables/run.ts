import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '@weir/core';
import { Lifetime } from '../kafka/lifetime.ts';
import { commit, machine } from '../kafka/machine.ts';
import { startCluster } from '../kafka/weir.ts';
import { resultsText, type TableResults, writePage } from './page.ts';
import { type TableScale, tableRows } from './rows.ts';

/**
 * `npm run bench:tables`: the bars of table ingestion. `--quick` takes less time and stores nothing, `--write` stores
 * it all the same.
 */
const root = join(import.meta.dirname, '../..');
const full: TableScale = {
  runs: 3,
  mebibytes: 1500,
  lagSeconds: 120,
  commitIntervalMs: 10_000,
  idleTables: 1000,
  idleMs: 60_000,
};
const quick: TableScale = {
  runs: 1,
  mebibytes: 400,
  lagSeconds: 40,
  commitIntervalMs: 5_000,
  idleTables: 1000,
  idleMs: 20_000,
};

process.once('exit', () => Lifetime.endAll());
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, write: { type: 'boolean' } } });

await Lifetime.during(async (lifetime) => {
  const startBroker = async () => (await startCluster(lifetime, { profileFolder: undefined })).servers;
  const results: TableResults = {
    format: 1,
    machine: machine(),
    commit: commit(root),
    date: new Date(systemClock.nowMs()).toISOString().slice(0, 10),
    isQuick: values.quick === true,
    ...(await tableRows(values.quick ? quick : full, startBroker)),
  };
  process.stdout.write(`${resultsText(results)}\n`);
  if (values.quick && !values.write) return;
  const file = join(root, 'bench/results/tables.json');
  mkdirSync(dirname(file), { recursive: true });
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  writeFileSync(file, `${JSON.stringify(results, rounded, 2)}\n`);
  writePage(join(root, 'docs/reference/benchmarks.md'), results);
});
