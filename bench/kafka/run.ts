import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '@weir/core';
import { buildJava } from '../../tests/interop/apache/build.ts';
import { missingTool } from '../../tests/interop/apache/tools.ts';
import { apacheRelease, startApache } from './apache.ts';
import type { BenchResult } from './bench-result.ts';
import { Lifetime } from './lifetime.ts';
import { openLoad } from './load.ts';
import { commit, machine } from './machine.ts';
import { openNodeLoad } from './node-load.ts';
import { type BenchOptions, namesOf, readOptions, usage } from './options.ts';
import { type Occasion, updatedResults, verdict } from './results.ts';
import { benchRows } from './rows/index.ts';
import { cellsOf, columns, markdownTable } from './table.ts';

/**
 * `npm run bench:scenarios`: measures Weir and Apache Kafka with the same client in the same run. All servers listen on
 * loopback and store their data in temporary folders, which are removed afterwards, also on interruption.
 */
const root = join(import.meta.dirname, '../..');
const resultsPage = join(root, 'bench/RESULTS.md');
/** A longer run is stuck. */
const runMsMax = 3 * 3_600_000;

function print(text: string): void {
  process.stderr.write(`${text}\n`);
}

function endBy(reason: string, status: number): void {
  print(`bench:scenarios: ${reason}; ending what was started`);
  process.exit(status);
}

process.once('exit', () => Lifetime.endAll());
process.once('SIGINT', () => endBy('interrupted', 130));
process.once('SIGTERM', () => endBy('terminated', 143));
process.once('SIGHUP', () => endBy('nobody is listening any more', 129));

/** The client for both servers, and Kafka where it is available. */
function deps(lifetime: Lifetime, isWeirAlone: boolean) {
  const missing = missingTool();
  if (missing !== false) {
    print(
      `bench:scenarios: ${missing}, so that Weir runs alone, driven by a client of ours: nothing is compared`,
    );
    return { load: openNodeLoad(), startKafka: undefined, client: 'a client of ours' };
  }
  const classPath = buildJava(join(import.meta.dirname, 'java'));
  const startKafka = (inner: Lifetime) => startApache(inner, classPath);
  return {
    load: openLoad(lifetime, classPath),
    startKafka: isWeirAlone ? undefined : startKafka,
    client: `Apache's client ${apacheRelease}`,
  };
}

async function measureAll({ rows, sizes, isQuick, isWeirAlone, writesResults, ...options }: BenchOptions) {
  const profileFolder = options.profileFolder === undefined ? undefined : resolve(options.profileFolder);
  if (profileFolder !== undefined) mkdirSync(profileFolder, { recursive: true });
  const date = new Date(systemClock.nowMs()).toISOString().slice(0, 10);
  const occasion = { date, machine: machine(), commit: commit(root), runs: sizes.runs, isQuick };
  const results: BenchResult[] = [];
  await Lifetime.during(async (lifetime) => {
    const { load, startKafka, client } = deps(lifetime, isWeirAlone);
    for (const row of rows) {
      print(`${row.name} …`);
      // A failing row must not stop the others.
      try {
        const found = await row.run({ load, sizes, weirOptions: { profileFolder }, startKafka, print });
        results.push(...found);
        if (writesResults) writeResults(found, occasion);
      } catch (error) {
        print(`bench:scenarios: ${row.name} failed: ${error instanceof Error ? error.stack : error}`);
        process.exitCode = 1;
      }
    }
    const beside = startKafka === undefined ? 'Weir alone' : `Weir beside Apache Kafka ${apacheRelease}`;
    process.stdout.write(`${beside}, driven by ${client}; ${occasion.machine}\n\n`);
  });
  process.stdout.write(`${markdownTable(columns, results.map(cellsOf))}\n${verdict(results)}\n`);
}

function writeResults(results: readonly BenchResult[], occasion: Occasion): void {
  const before = existsSync(resultsPage) ? readFileSync(resultsPage, 'utf8') : '';
  writeFileSync(resultsPage, updatedResults(before, results, occasion));
}

const options = readOptions(process.argv.slice(2), benchRows);
if (options === 'help') {
  process.stdout.write(usage);
} else if (options === 'list') {
  process.stdout.write(`${namesOf(benchRows).replaceAll(', ', '\n')}\n`);
} else if ('problem' in options) {
  print(`bench:scenarios: ${options.problem}`);
  process.exitCode = 2;
} else {
  const cancel = systemClock.after(runMsMax, () => endBy('it took too long', 1));
  await measureAll(options);
  cancel();
}
