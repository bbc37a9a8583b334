import { spawn } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { systemClock, systemEnvironment } from '@weir/core';
import { isOutputClosed, print, printError } from './output.ts';
import { propertySeedVariable } from './property-seed.ts';
import { planJobs, type TestJob } from './test-jobs.ts';
import { resultMark, type TestResult } from './test-reporter.ts';

/** Counts that a suite or a gate adds to the closing line. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

export function newTally(): Tally {
  return { passed: 0, failed: 0, skipped: 0 };
}

export function addTally(sum: Tally, { passed, failed, skipped }: Tally): void {
  sum.passed += passed;
  sum.failed += failed;
  sum.skipped += skipped;
}

export interface RunOptions {
  readonly root: string;
  readonly files: readonly string[];
  /** Number of parallel processes; one more than cores if absent, because tests wait for disks and timers too. */
  readonly workers?: number;
  /**
   * Runs a file that failed beside others again, alone, and counts that result instead. Files that shared its process
   * run again too, each in its own.
   */
  readonly repeatsAlone?: boolean;
  /** Runs them with `--quick` (`test-process.ts`), except when it repeats them. */
  readonly isQuick?: boolean;
  /** The run fails if more files than this fail beside others and pass alone. No limit if absent. */
  readonly passedOnlyAloneMax?: number;
  /** One of the workers starts only after this. */
  readonly oneWorkerAfter?: Promise<unknown>;
  /** Of the processes; 0 by default, and 19 is the lowest. */
  readonly priority?: number;
  /** Seed of property tests, if not the fixed one. */
  readonly propertySeed?: string;
  /** Further variables of the processes. */
  readonly variables?: Readonly<Record<string, string>>;
}

const slowestShown = 10;

export function findTests(root: string, patterns: readonly string[]): readonly string[] {
  return globSync([...patterns], { cwd: root, exclude: ['**/node_modules/**'] }).sort();
}

/**
 * Runs test files on all cores and prints one line per file as it ends, every failure in full, every skipped test by
 * name, and the files that took longest and most processor time. Durations are stored, so that the next run starts with
 * the longest.
 */
export async function runTests({
  root,
  files,
  workers = availableParallelism() + 1,
  repeatsAlone = false,
  isQuick = false,
  passedOnlyAloneMax = Number.POSITIVE_INFINITY,
  oneWorkerAfter,
  priority = 0,
  propertySeed,
  variables = {},
}: RunOptions): Promise<Tally> {
  if (files.length === 0) throw new Error('no test file matches');
  const durations = new Durations(root);
  const jobs = [...planJobs(files, durations.known)];
  const environment =
    propertySeed === undefined ? variables : { ...variables, [propertySeedVariable]: propertySeed };
  const options = { environment, priority };
  const run = (job: TestJob) => runJob(root, job, durations, { ...options, isQuick });
  const runAlone = (job: TestJob) => runJob(root, job, durations, { ...options, isQuick: false });
  const total = newTally();
  const toRepeat: TestJob[] = [];
  const failedBesideOthers = new Set<string>();

  const work = async () => {
    for (let job = jobs.shift(); job !== undefined && !isOutputClosed(); job = jobs.shift()) {
      const perFile = await run(job);
      const failedFiles = [...perFile].filter(([, { failed }]) => failed > 0).map(([file]) => file);
      if (repeatsAlone && failedFiles.length > 0) {
        toRepeat.push(...job.files.map((file) => ({ files: [file] })));
        for (const file of failedFiles) failedBesideOthers.add(file);
      } else for (const tally of perFile.values()) addTally(total, tally);
    }
  };
  await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      if (index === 0) await oneWorkerAfter;
      await work();
    }),
  );
  const passedOnlyAlone: string[] = [];
  for (const job of toRepeat) {
    print(`  failed beside others, now alone: ${job.files.join(', ')}`);
    for (const [file, tally] of await runAlone(job)) {
      addTally(total, tally);
      if (tally.failed === 0 && failedBesideOthers.has(file)) passedOnlyAlone.push(file);
    }
  }
  if (repeatsAlone) addTally(total, passedAloneTally(passedOnlyAlone, passedOnlyAloneMax));
  durations.save();
  print('  slowest files:');
  for (const [file, ms] of largest(durations.seen)) print(`    ${seconds(ms)} ${file}`);
  const { processorMs } = durations;
  const sumMs = [...processorMs.values()].reduce((sum, ms) => sum + ms, 0);
  if (sumMs > 0) print(`  processor time: ${seconds(sumMs)}, most of it in`);
  for (const [file, ms] of largest(processorMs)) print(`    ${seconds(ms)} ${file}`);
  return total;
}

/** Prints how many files passed only alone, and counts a failure if they are too many. */
export function passedAloneTally(files: readonly string[], filesMax: number): Tally {
  const tally = newTally();
  print(`  passed only when run alone: ${files.length}${files.length === 0 ? '' : ` (${files.join(', ')})`}`);
  if (files.length > filesMax) {
    tally.failed = 1;
    print(`  FAILED: more than ${filesMax} files passed only when run alone`);
  }
  return tally;
}

interface ProcessOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly priority: number;
  /** Whether it may end with the first error that no test caught, and leave the rest of its files. */
  readonly isQuick: boolean;
}

/** A process that reports nothing for so long hangs. It is ended, so that the others can be repeated and counted. */
const silenceMsMax = 8 * 60_000;

async function runJob(
  root: string,
  { files }: TestJob,
  durations: Durations,
  { environment, priority, isQuick }: ProcessOptions,
): Promise<ReadonlyMap<string, Tally>> {
  const perFile = new Map<string, Tally>(files.map((file) => [file, newTally()]));
  const program = fileURLToPath(import.meta.resolve('./test-process.ts'));
  const startMs = systemClock.monotonicMs();
  const child = spawn(process.execPath, [program, ...(isQuick ? ['--quick'] : []), ...files], {
    cwd: root,
    // A test process spends most of its time on loading the same modules as the previous one.
    env: { NODE_COMPILE_CACHE: join(cacheFolder(root), 'tests'), ...systemEnvironment, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined && priority > 0) setPriority(child.pid, priority);
  const ended = new Promise<string | undefined>((resolve) => {
    child.on('error', ({ message }) => resolve(message));
    child.on('close', (status, signal) =>
      resolve(status === 0 ? undefined : `ended with ${signal ?? status}`),
    );
  });
  child.stderr.on('data', printError);

  let hasFailure = false;
  let fileStartMs = startMs;
  const lastSeen = new Map<string, number>();
  let processorMs = 0;
  let isSilent = false;
  const endIfSilent = () =>
    systemClock.after(silenceMsMax, () => {
      isSilent = true;
      child.kill('SIGKILL');
    });
  let cancelEnd = endIfSilent();
  for await (const line of createInterface({ input: child.stdout })) {
    cancelEnd();
    cancelEnd = endIfSilent();
    if (!line.startsWith(resultMark)) {
      if (line !== '') print(`  | ${line}`);
      continue;
    }
    const result = JSON.parse(line.slice(resultMark.length)) as TestResult;
    const file = shortName(root, result.file);
    lastSeen.set(file, systemClock.monotonicMs());
    if (result.processorMs !== undefined) {
      durations.noteProcessorTime(file, result.processorMs - processorMs);
      processorMs = result.processorMs;
    }
    if (isContainer(result, file)) continue;
    const tally = perFile.get(file) ?? newTally();
    perFile.set(file, tally);
    if (result.skipped !== undefined) {
      tally.skipped++;
      print(`  skipped: ${result.name} (${file}): ${result.skipped}`);
    } else if (result.passed) {
      tally.passed++;
    } else {
      hasFailure = true;
      tally.failed++;
      print(`  FAILED: ${result.name} (${file})\n${(result.error ?? '').replaceAll(/^/gm, '    ')}`);
    }
  }
  cancelEnd();
  const failure = isSilent ? `reported nothing for ${silenceMsMax / 60_000} minutes` : await ended;
  if (failure !== undefined && !hasFailure) {
    const file = files.find((name) => !lastSeen.has(name)) ?? files[files.length - 1] ?? '';
    const tally = perFile.get(file) as Tally;
    tally.failed++;
    print(`  FAILED: the process of ${files.join(', ')} ${failure}`);
  }
  for (const [file, { passed, failed, skipped }] of perFile) {
    // Files of one process run one after the other, so each started when the previous one ended.
    const endMs = lastSeen.get(file) ?? fileStartMs;
    durations.note(file, files.length === 1 ? systemClock.monotonicMs() - startMs : endMs - fileStartMs);
    fileStartMs = endMs;
    const also = `${failed > 0 ? `, ${failed} failed` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    print(`  ${file}: ${passed} passed${also}`);
  }
  return perFile;
}

/** Suites repeat the results of their tests, and so does the entry of a whole file, unless it failed by itself. */
function isContainer({ isSuite, isEcho, passed, skipped, name }: TestResult, file: string): boolean {
  if (skipped !== undefined) return false;
  return (isSuite || name.endsWith(file)) && (passed || isEcho);
}

/** Durations of test files, stored between runs beside the installed packages. */
class Durations {
  readonly known: Record<string, number>;
  readonly seen = new Map<string, number>();
  /**
   * In this run only, where the system counts it. Of files in one process, the first also has what loading all of them
   * took, and what the others took before the first was reported.
   */
  readonly processorMs = new Map<string, number>();
  readonly #path: string;

  constructor(root: string) {
    this.#path = join(cacheFolder(root), 'test-durations.json');
    this.known = readDurations(this.#path);
  }

  note(file: string, ms: number): void {
    this.seen.set(file, Math.round(ms));
  }

  noteProcessorTime(file: string, ms: number): void {
    this.processorMs.set(file, (this.processorMs.get(file) ?? 0) + ms);
  }

  save(): void {
    mkdirSync(join(this.#path, '..'), { recursive: true });
    // Read again, because another run may have ended meanwhile.
    const known = readDurations(this.#path);
    writeFileSync(this.#path, JSON.stringify({ ...known, ...Object.fromEntries(this.seen) }));
  }
}

function readDurations(path: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>;
  } catch {
    return {};
  }
}

function largest(times: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...times].sort(([, a], [, b]) => b - a).slice(0, slowestShown);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The cache folder, which is removed together with the installed packages. */
function cacheFolder(root: string): string {
  return join(root, 'node_modules', '.cache', 'weir');
}

function shortName(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
