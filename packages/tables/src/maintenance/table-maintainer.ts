/**
 * Keeps tables in order, one at a time: retention of rows, compaction, manifests, expiry of snapshots, clean-up of
 * files. A step that fails does not keep the others from being done.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, Failure, type Log, type Random, RecentlyUsed, Semaphore } from '@weir/core';
import { TableNotFound } from '@weir/iceberg';
import { DuckDbRewriter } from '../parquet/duckdb-rewrite.ts';
import { cleanUp } from './clean-up.ts';
import { type CompactionTools, compact } from './compact.ts';
import { expireSnapshots } from './expire-snapshots.ts';
import type { Maintenance } from './maintenance.ts';
import { type MaintenanceStep, maintenanceDue } from './maintenance-due.ts';
import { retainRows } from './retain-rows.ts';
import { rewriteManifests } from './rewrite-manifests.ts';

interface MaintainerOptions {
  /** Of the maintainer alone; what is in it at first is deleted. */
  readonly directory: string;
  /** For DuckDB, which merges files. */
  readonly memoryBytesMax: number;
  readonly spillBytesMax: number;
  /** What a run reads of a table for compaction; `compactionBytesPerJobMax` if absent. */
  readonly compactionBytesMax?: number | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

interface MaintainedTable
  extends Pick<
    Maintenance,
    'catalog' | 'table' | 'files' | 'dataFiles' | 'settings' | 'signal' | 'onVerified'
  > {
  /** What is due if absent. */
  readonly steps?: readonly MaintenanceStep[] | undefined;
}

const noCounts = {
  removedFiles: 0,
  removedRows: 0,
  mergedFiles: 0,
  mergedBytes: 0,
  writtenFiles: 0,
  /** By files of other programs. */
  deletedRows: 0,
  removedDeletes: 0,
  replacedManifests: 0,
  expiredSnapshots: 0,
  /** Files that only expired snapshots had. */
  deletedFiles: 0,
  orphanFiles: 0,
  oldMetadataFiles: 0,
  /** The table refers to them, and they do not exist. */
  missingFiles: 0,
};
type MaintenanceCounts = Readonly<typeof noCounts>;

interface MaintenanceResult {
  /** One line for people. */
  readonly summary: string;
  readonly counts: MaintenanceCounts;
  /** Whether there is more to merge than one run may: it is worth running again at once. */
  readonly hasMore: boolean;
}

/** Some steps failed; the others were done. */
class MaintenanceFailed extends Failure {
  override readonly name = 'MaintenanceFailed';
}

/** What this process remembers of a table. After that it looks for more than it has to, and finds nothing. */
interface LastRun {
  endedMs: number;
  hasMore: boolean;
}
const rememberedRunsMax = 10_000;

export class TableMaintainer {
  readonly #options: MaintainerOptions;
  /** So that memory and disk are bounded. */
  readonly #turns = new Semaphore({ permits: 1 });
  readonly #runs = new RecentlyUsed<LastRun>(rememberedRunsMax);
  #isEmptied = false;

  constructor(options: MaintainerOptions) {
    this.#options = { ...options, directory: resolve(options.directory) };
  }

  /**
   * Does what is due. Throws `MaintenanceFailed` after the steps that could be done. A table that is gone needs none.
   */
  maintain(maintained: MaintainedTable): Promise<MaintenanceResult> {
    return this.#turns.run(() => this.#maintain(maintained));
  }

  async #maintain(maintained: MaintainedTable): Promise<MaintenanceResult> {
    const { clock, random } = this.#options;
    const log = this.#options.log.with({ table: maintained.table.name });
    const maintenance: Maintenance = { ...maintained, clock, random, log };
    const { signal } = maintained;
    const run = this.#runs.of([...maintained.table.namespace, maintained.table.name].join('/'), () => ({
      endedMs: 0,
      hasMore: false,
    }));
    const steps = maintained.steps ?? (await dueSteps(maintenance, run));
    const counts = { ...noCounts };
    const failures: string[] = [];
    let hasMore = false;
    if (steps.length === 0) return { summary: summaryOf(counts), counts, hasMore };
    const step = async (name: string, run: () => Promise<Partial<typeof noCounts>>) => {
      signal.throwIfAborted();
      try {
        Object.assign(counts, await run());
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof TableNotFound) return;
        log.warn('failed to maintain table', { step: name, error: String(error) });
        failures.push(`${name}: ${(error as Error).message}`);
      }
    };
    // What a crash left.
    if (!this.#isEmptied) await rm(this.#options.directory, { recursive: true, force: true });
    this.#isEmptied = true;
    const workspace = new Workspace(() => this.#openTools());
    try {
      if (steps.includes('retention')) await step('retention', () => retainRows(maintenance));
      if (steps.includes('compaction') || steps.includes('clean-up')) {
        await step('compaction', async () => {
          const result = await compact(
            maintenance,
            () => workspace.tools(),
            this.#options.compactionBytesMax,
          );
          ({ hasMore } = result);
          failures.push(...result.failures.map((message) => `compaction: ${message}`));
          const { mergedFiles, mergedBytes, writtenFiles, deletedRows, removedDeletes } = result;
          return { mergedFiles, mergedBytes, writtenFiles, deletedRows, removedDeletes };
        });
        await step('manifests', async () => ({ replacedManifests: await rewriteManifests(maintenance) }));
      }
      if (steps.includes('expiry') || steps.includes('clean-up'))
        await step('expiry', () => expireSnapshots(maintenance));
      if (steps.includes('clean-up')) await step('clean-up', () => cleanUp(maintenance));
    } finally {
      await workspace.close();
    }
    Object.assign(run, { endedMs: clock.nowMs(), hasMore });
    const summary = summaryOf(counts);
    if (failures.length > 0) throw new MaintenanceFailed(`${failures.join('; ')} (${summary})`);
    return { summary, counts, hasMore };
  }

  async #openTools(): Promise<OpenTools> {
    const { directory, memoryBytesMax, spillBytesMax } = this.#options;
    await mkdir(directory, { recursive: true });
    const own = await mkdtemp(join(directory, 'table-'));
    const rewriter = await DuckDbRewriter.open({ directory: own, memoryBytesMax, spillBytesMax });
    return {
      rewriter,
      directory: own,
      close: async () => {
        rewriter.close();
        await rm(own, { recursive: true, force: true });
      },
    };
  }
}

async function dueSteps(maintenance: Maintenance, { endedMs, hasMore }: LastRun): Promise<MaintenanceStep[]> {
  const { catalog, table, settings, clock } = maintenance;
  try {
    const { metadata } = await catalog.load(table);
    const due = maintenanceDue(metadata, { settings, nowMs: clock.nowMs(), lastRunMs: endedMs });
    return hasMore && !due.includes('compaction') ? ['compaction', ...due] : due;
  } catch (error) {
    if (error instanceof TableNotFound) return [];
    throw error;
  }
}

interface OpenTools extends CompactionTools {
  close(): Promise<void>;
}

/** Opened once, with the first file that is merged. */
class Workspace {
  readonly #open: () => Promise<OpenTools>;
  #tools: Promise<OpenTools> | undefined;

  constructor(open: () => Promise<OpenTools>) {
    this.#open = open;
  }

  tools(): Promise<CompactionTools> {
    this.#tools ??= this.#open();
    return this.#tools;
  }

  async close(): Promise<void> {
    const tools = await this.#tools?.catch(() => undefined);
    await tools?.close();
  }
}

function summaryOf(counts: MaintenanceCounts): string {
  const { removedFiles, removedRows, mergedFiles, mergedBytes, writtenFiles } = counts;
  const {
    deletedRows,
    removedDeletes,
    replacedManifests,
    expiredSnapshots: expired,
    deletedFiles,
    orphanFiles,
    oldMetadataFiles,
    missingFiles,
  } = counts;
  const parts = [
    removedFiles > 0 && `removed ${removedRows} rows in ${removedFiles} files`,
    mergedFiles > 0 && `merged ${mergedFiles} files (${mergedBytes} bytes) into ${writtenFiles}`,
    deletedRows > 0 && `left out ${deletedRows} rows that another program had deleted`,
    removedDeletes > 0 && `removed ${removedDeletes} files of deletes that were about no file any more`,
    replacedManifests > 0 && `rewrote ${replacedManifests} manifests`,
    expired > 0 && `expired ${expired} snapshots and deleted ${deletedFiles} files`,
    orphanFiles > 0 && `deleted ${orphanFiles} orphaned files`,
    oldMetadataFiles > 0 && `deleted ${oldMetadataFiles} old metadata files`,
    missingFiles > 0 && `found ${missingFiles} files missing that the table refers to`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'nothing to do' : parts.join(', ');
}
