import { execFile } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock, systemEnvironment } from '@weir/core';
import { buildJava } from '../../tests/interop/apache/build.ts';
import { missingTool } from '../../tests/interop/apache/tools.ts';
import { apacheRelease } from '../kafka/apache.ts';
import { Lifetime } from '../kafka/lifetime.ts';
import { openLoad, type ToolName } from '../kafka/load.ts';
import { commit, machine } from '../kafka/machine.ts';
import { tansuInstall } from '../kafka/tansu.ts';
import { rowNames } from './bars.ts';
import { type CompareOptions, readCompareOptions, usage } from './compare-options.ts';
import { lightClient, missingGo } from './light-client.ts';
import { measureRows } from './measure-rows.ts';
import { writePage } from './page.ts';
import { rowText, unexplained, verdict } from './report.ts';
import { type RowResults, readResults, withRow, writeResults } from './results-file.ts';
import { diskBytesMax } from './rows.ts';

/**
 * `npm run bench:kafka`: Weir on disk, Weir in memory and Apache Kafka, all warm, under the same load in turns. All
 * servers listen on loopback and store their data in temporary folders, which are removed afterwards.
 */
const root = join(import.meta.dirname, '../..');
const resultsFile = join(root, 'bench/results/kafka.json');
/** Not for the page, and not for version control. */
const quickResultsFile = join(root, 'bench/results/kafka-quick.json');
/** A longer run is stuck. */
const runMsMax = 3 * 3_600_000;
const outputBytesMax = 1024 * 1024;

function print(text: string): void {
  process.stderr.write(`${text}\n`);
}

function endBy(reason: string, status: number): void {
  print(`bench:kafka: ${reason}; ending what was started`);
  process.exit(status);
}

process.once('exit', () => Lifetime.endAll());
process.once('SIGINT', () => endBy('interrupted', 130));
process.once('SIGTERM', () => endBy('terminated', 143));
process.once('SIGHUP', () => endBy('the terminal was closed', 129));

/** Runs a tool in a process of its own, as Apache's scripts do. */
async function runToolAlone(classPath: string, name: ToolName, args: readonly string[]): Promise<string> {
  const { PATH, HOME } = systemEnvironment;
  const flags = ['-Xmx512M', '-Duser.language=en', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];
  const java = [...flags, '-cp', classPath, `org.apache.kafka.tools.${name}`, ...args];
  const options = { env: { PATH, HOME }, maxBuffer: outputBytesMax };
  return (await promisify(execFile)('java', java, options)).stdout;
}

/** Says why a comparison cannot run here. */
function obstacle({ rows, sizes, tansu }: CompareOptions): string | undefined {
  if (tansu !== undefined && !existsSync(tansu))
    return `there is no ${tansu}; get it by ${tansuInstall}, which takes a quarter of an hour`;
  const missing = missingTool();
  if (missing !== false)
    return `${missing}; install it, or run npm run bench:scenarios, which can do without`;
  if (rows.some((row) => /^(?:light|threads|store)/.test(row)) && missingGo()) {
    return 'there is no Go on PATH, which builds the light client; install it, or choose --rows without light, threads and store';
  }
  const neededBytes = diskBytesMax(rows, sizes);
  const { bavail, bsize } = statfsSync(tmpdir());
  if (bavail * bsize >= neededBytes) return undefined;
  const [needed, free] = [neededBytes, bavail * bsize].map((bytes) => Math.ceil(bytes / 1e9));
  return `${tmpdir()} has ${free} GB free and up to ${needed} GB are written; free some, or choose fewer --rows or --runs`;
}

/** Weir is measured as it is installed; from sources it would start slower and take more memory. */
async function bundleWeir(): Promise<void> {
  const script = `const { bundleIfStale } = await import('./scripts/bundle.mjs'); await bundleIfStale();`;
  // In a process of its own, because the bundler stays until its process ends.
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: root });
}

async function compare(options: CompareOptions): Promise<void> {
  await bundleWeir();
  const { rows, sizes, isQuick, writesPage, isColdClient, tansu, threads } = options;
  const file = writesPage ? resultsFile : quickResultsFile;
  const date = new Date(systemClock.nowMs()).toISOString().slice(0, 10);
  const first = commit(root);
  const occasion = { date, isQuick, isColdClient };
  const measured: RowResults[] = [];
  const classPath = buildJava(join(import.meta.dirname, '../kafka/java'));
  print(
    `Apache Kafka ${apacheRelease}, ProducerPerformance and ConsumerPerformance ${apacheRelease}; ${machine()}`,
  );
  print(`commit ${first}; ${rows.length} of ${rowNames.length} rows, ${sizes.runs} run(s) of each side`);
  const isWhole = await Lifetime.during(async (lifetime) => {
    const load = openLoad(lifetime, classPath);
    const runTool = (name: ToolName, args: readonly string[]) =>
      isColdClient ? runToolAlone(classPath, name, args) : load.runTool(name, args);
    return measureRows(
      { lifetime, classPath, tansu, threads, load, runTool, runLight: lightClient(), rows, sizes, print },
      (name, title, runs, notes) => {
        // Servers of later rows run what is checked out by then.
        const now = commit(root);
        const measuredCommit = now === first ? now : `${first} to ${now}`;
        const row: RowResults = { name, title, ...occasion, commit: measuredCommit, runs, notes };
        measured.push(row);
        writeResults(file, withRow(readResults(file), machine(), row));
        process.stdout.write(`\n${rowText(row, measuredCommit)}\n`);
      },
    );
  });
  print(`${verdict(measured)}; results are in ${file}`);
  const missed = unexplained(measured);
  if (missed.length > 0) {
    print(`missed without a reason in bench/compare/reasons.ts; add it, and --page writes it:`);
    for (const bar of missed) print(`  ${bar}`);
  }
  if (writesPage) print(`wrote ${writePage(root, readResults(resultsFile)!)}`);
  if (!isWhole) process.exitCode = 1;
}

const options = readCompareOptions(process.argv.slice(2));
if (options === 'help') {
  process.stdout.write(usage);
} else if (options === 'list') {
  process.stdout.write(`${rowNames.join('\n')}\n`);
} else if (options === 'page') {
  const results = readResults(resultsFile);
  if (results === undefined) {
    print('bench:kafka: there are no results yet; run npm run bench:kafka first');
    process.exitCode = 2;
  } else print(`wrote ${writePage(root, results)}`);
} else if ('problem' in options) {
  print(`bench:kafka: ${options.problem}`);
  process.exitCode = 2;
} else {
  const problem = obstacle(options);
  if (problem !== undefined) {
    print(`bench:kafka: ${problem}`);
    process.exitCode = 2;
  } else {
    const cancel = systemClock.after(runMsMax, () => endBy('it took too long', 1));
    await compare(options);
    cancel();
  }
}
