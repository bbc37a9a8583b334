import { readBucketId } from '@weir/broker/bucket-id';
import type { BackedUpMetadata } from '@weir/controlplane/backup';
import { formatBytes, formatDurationMs } from '@weir/core';
import { clusterPrefix, type ObjectStore } from '@weir/storage';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import { type Handler, stoppedStatus } from '../handler.ts';
import { Progress } from '../results/progress.ts';
import { printResult } from '../results/results.ts';
import { concealUrls } from '../values/conceal.ts';
import { orProblem, readBackedUpMetadata } from './backed-up-metadata.ts';
import { clusterIn, withBucket } from './bucket.ts';
import { type CheckedFile, checkFile } from './scrub/check-file.ts';
import { type FileToCheck, filesToCheck } from './scrub/files-to-check.ts';
import {
  newProgress,
  readProgress,
  removeProgress,
  type Progress as ScrubProgress,
  writeProgress,
} from './scrub/progress.ts';

type Values = CommandValues<'cli file-scrubber'>;

/** A file that is older can no longer be committed, nor the output of a compaction. */
const orphanAgeMsMin = 6 * 60 * 60_000;

/**
 * Verifies every file of a cluster, and what the metadata backup says of it. Ends with status 1 if a file is damaged,
 * missing, or not as metadata says; orphans are no fault.
 */
export const fileScrubberTool: Handler<'cli file-scrubber'> = (values, deps) =>
  withBucket(values, deps, async (store) => {
    const { output, stop } = deps;
    const clusterId = await clusterIn(store, values.defaultVirtualClusterID);
    const path = values['progress-file'];
    const progress =
      (path && readProgress(path, clusterId)) || newProgress(clusterId, clusterPrefix(clusterId));
    const metadata = values.metadata ? await readBackedUpMetadata({ store, clusterId }) : undefined;
    if (values.metadata && metadata === undefined)
      output.err(
        `weir cli file-scrubber: the bucket has no metadata backup of ${clusterId}; files are verified without it\n`,
      );
    const scrub = new Scrub(store, values, deps, metadata, progress);
    const known = metadata?.buckets() ?? [];
    const bucketId = known.length > 1 ? await readBucketId(store, clusterId, known) : undefined;
    const bucket = known.find((one) => one.bucketId === bucketId)?.number ?? 0;
    for (const { number, url } of known)
      if (number !== bucket)
        output.err(
          `weir cli file-scrubber: files in bucket ${number} of the cluster are not verified${url === '' ? '' : `; verify it with -bucketURL ${concealUrls(url)}`}\n`,
        );
    for await (const files of filesToCheck(
      store,
      clusterId,
      metadata && {
        bucket,
        pointersOfFiles: (first: number, end: number) => metadata.pointersOfFiles(first, end),
      },
      progress.lastKey,
      8 * values.concurrency,
    )) {
      const results = await inParallel(files, values.concurrency, stop, (file) => scrub.check(file));
      if (stop.aborted) break;
      await scrub.report(results);
      progress.lastKey = files.at(-1)!.place;
      if (path !== undefined) writeProgress(path, progress);
      scrub.showProgress();
    }
    scrub.hideProgress();
    scrub.printSummary(!stop.aborted);
    if (stop.aborted) return stoppedStatus;
    if (path !== undefined) removeProgress(path);
    return progress.damaged + progress.missing + progress.mismatched === 0 ? 0 : 1;
  });

class Scrub {
  readonly #store: ObjectStore;
  readonly #values: Values;
  readonly #deps: Deps;
  readonly #metadata: BackedUpMetadata | undefined;
  readonly #progress: ScrubProgress;
  readonly #shown: Progress;

  constructor(
    store: ObjectStore,
    values: Values,
    deps: Deps,
    metadata: BackedUpMetadata | undefined,
    progress: ScrubProgress,
  ) {
    this.#store = store;
    this.#values = values;
    this.#deps = deps;
    this.#metadata = metadata;
    this.#progress = progress;
    this.#shown = new Progress(values, deps);
  }

  /** Files that nothing refers to any more need not be read. */
  async check(file: FileToCheck): Promise<CheckedFile> {
    const state = this.#stateOf(file);
    if (state === 'dead' || state === 'deleted') return { file, bytes: 0, problems: [], isGone: false };
    return checkFile(this.#store, file, this.#values.checksums);
  }

  /**
   * Counts and prints results. What is missing or unknown is looked up again in the newest metadata first: since it was
   * read, a file may have been committed, or have died and been deleted.
   */
  async report(results: readonly CheckedFile[]): Promise<void> {
    if (results.some((result) => this.#isSuspect(result))) await orProblem(this.#metadata!.follow());
    for (const { file, bytes, problems, isGone } of results) {
      const state = this.#stateOf(file);
      if (isGone) {
        if (state === 'referenced') this.#found(file, 'missing', missingProblem(file, this.#recoveryPoint));
        continue;
      }
      this.#progress.files++;
      this.#progress.bytes += bytes;
      for (const { kind, problem } of problems.slice(0, 1))
        this.#found(file, kind, problem + others(problems));
      if (state === 'dead') this.#progress.dead++;
      if (state !== 'unknown' || !this.#isOld(file)) continue;
      this.#progress.orphanBytes += file.listed!.bytes;
      this.#found(file, 'orphans', this.#orphanText(file));
    }
  }

  showProgress(): void {
    const { files, bytes, lastKey, clusterId } = this.#progress;
    const folder = Number.parseInt(lastKey.slice(clusterPrefix(clusterId).length), 16);
    const share = Number.isNaN(folder) ? 0 : folder / 256;
    this.#shown.show({ done: files, unit: 'files', share, detail: formatBytes(bytes) });
  }

  hideProgress(): void {
    this.#shown.clear();
  }

  printSummary(complete: boolean): void {
    const { clusterId: cluster, lastKey: _, orphanBytes: orphan_bytes, ...counts } = this.#progress;
    const { files, bytes, damaged, missing, mismatched, orphans, dead } = counts;
    const recovery_point = this.#recoveryPoint;
    const first = `${files} files with ${bytes} bytes verified, ${damaged} damaged`;
    const byMetadata =
      recovery_point === undefined
        ? ''
        : `, ${missing} missing, ${mismatched} mismatched with the metadata of ${recovery_point}; ` +
          `${orphans} orphans with ${orphan_bytes} bytes, ${dead} dead`;
    printResult(this.#values, this.#deps, {
      json: { cluster, ...counts, orphan_bytes, recovery_point: recovery_point ?? null, complete },
      text: () => `${first}${byMetadata}\n`,
    });
  }

  get #recoveryPoint(): string | undefined {
    return this.#metadata === undefined ? undefined : new Date(this.#metadata.recoveryPointMs).toISOString();
  }

  /** `undefined` without metadata. */
  #stateOf({ fileId }: FileToCheck) {
    return this.#metadata?.fileStates([fileId])[0];
  }

  #isSuspect({ file, isGone }: CheckedFile): boolean {
    const state = this.#stateOf(file);
    return isGone ? state === 'referenced' : state === 'unknown' && this.#isOld(file);
  }

  #isOld({ listed }: FileToCheck): boolean {
    return listed !== undefined && this.#deps.clock.nowMs() - listed.modifiedMs >= orphanAgeMsMin;
  }

  #orphanText({ listed }: FileToCheck): string {
    const { bytes, modifiedMs } = listed!;
    const hours = Math.floor((this.#deps.clock.nowMs() - modifiedMs) / 3_600_000);
    return `orphan of ${formatBytes(bytes)}, ${formatDurationMs(hours * 3_600_000)} old`;
  }

  #found(
    { key }: FileToCheck,
    kind: 'damaged' | 'missing' | 'mismatched' | 'orphans',
    problem: string,
  ): void {
    this.#progress[kind]++;
    this.hideProgress();
    printResult(this.#values, this.#deps, {
      json: { key, kind: kind === 'orphans' ? 'orphan' : kind, problem },
      text: () => `${key}: ${problem}\n`,
    });
  }
}

function others({ length }: { readonly length: number }): string {
  return length > 1 ? `, and ${length - 1} more` : '';
}

function missingProblem({ referenced }: FileToCheck, recoveryPoint: string | undefined): string {
  const [first] = referenced?.pointers ?? [];
  const what =
    first === undefined
      ? ''
      : `, such as ${first.name}, offsets ${first.firstOffset} to ${first.endOffset - 1}`;
  return `missing; the metadata of ${recoveryPoint} refers to it${what}`;
}

/** Runs the work for all items, some at a time; the results are in the order of the items. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  atATime: number,
  stop: AbortSignal,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  const left = items.entries();
  const takeTurns = async () => {
    for (const [index, item] of left) {
      if (stop.aborted) return;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: atATime }, takeTurns));
  return results;
}
