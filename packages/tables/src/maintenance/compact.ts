/** Compaction: small data files become larger ones with the same rows. */
import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Failure, randomId } from '@weir/core';
import {
  ChangeRefused,
  currentSchema,
  type DataFile,
  describeFile,
  FileChange,
  partitionPath,
  partitionsBySpec,
  planFiles,
  readBytes,
  snapshotOfRef,
  specOfId,
  type TableMetadata,
} from '@weir/iceberg';
import { carriedSummary } from '../append/summary-keys.ts';
import { tableLimits } from '../limits.ts';
import type { DuckDbRewriter } from '../parquet/duckdb-rewrite.ts';
import type { LocalData, LocalDelete } from '../parquet/rows-left.ts';
import { originOf, TableDeletes, UnreadableDeletes } from '../parquet/table-deletes.ts';
import { ParquetNotRewritable } from '../parquet/writer-errors.ts';
import { download, upload } from './local-files.ts';
import { commit, type Maintenance } from './maintenance.ts';
import { type CompactionBin, type CompactionRules, planCompaction } from './plan-compaction.ts';
import { removeSpentDeletes } from './remove-deletes.ts';

interface CompactionResult {
  readonly mergedFiles: number;
  readonly mergedBytes: number;
  readonly writtenFiles: number;
  /** Whether there is more to merge than a job may. */
  readonly hasMore: boolean;
  /** Of files that could not be merged; the others were. */
  readonly failures: readonly string[];
  /** Rows that another program had deleted by files of its own, and that are in no file any more. */
  readonly deletedRows: number;
  /** Files of deletes that are about no file any more, and were removed. */
  readonly removedDeletes: number;
}

/** Rewrites files in a directory of its own, which DuckDB may reach. */
export interface CompactionTools {
  readonly rewriter: Pick<DuckDbRewriter, 'rewrite'>;
  readonly directory: string;
}

/** Plans again so often when another writer changed the files meanwhile. */
const plansMax = 3;
/** After so many failures nothing more is tried: the bucket or the disk may be out. */
const failuresMax = 3;
const hourMs = 3_600_000;
/** Files are merged within this part of the retention, which is how much longer than that a row may stay. */
const slicesPerRetention = 8;

/** Merges what a job may merge. `open` is called if there is something to do. */
export async function compact(
  maintenance: Maintenance,
  open: () => Promise<CompactionTools>,
  bytesMax: number = tableLimits.compactionBytesPerJobMax,
): Promise<CompactionResult> {
  const { hasDeletes, ...merged } = await merge(maintenance, open, bytesMax);
  return { ...merged, removedDeletes: hasDeletes ? await removeSpentDeletes(maintenance) : 0 };
}

interface MergeResult extends Omit<CompactionResult, 'removedDeletes'> {
  /** Whether the table has files of deletes. */
  readonly hasDeletes: boolean;
}

async function merge(
  maintenance: Maintenance,
  open: () => Promise<CompactionTools>,
  bytesMax: number,
): Promise<MergeResult> {
  const { catalog, table, files, settings, log } = maintenance;
  const counts = { mergedFiles: 0, mergedBytes: 0, writtenFiles: 0, deletedRows: 0, hasDeletes: false };
  const attempt: Attempt = { leftAlone: new Set(), failures: [] };
  const { failures } = attempt;
  if (settings.isNeverMerged === true) return { ...counts, failures, hasMore: false };
  for (let plan = 0; plan < plansMax; plan++) {
    const { metadata } = await catalog.load(table);
    const snapshot = snapshotOfRef(metadata);
    const { data, deletes } = await planFiles(files, metadata, snapshot);
    if (snapshot === undefined) return { ...counts, failures, hasMore: false };
    counts.hasDeletes = deletes.length > 0;
    const tableDeletes = new TableDeletes(deletes, metadata);
    const rules = rulesOf(maintenance, metadata, attempt, bytesMax - counts.mergedBytes);
    const { bins, isComplete } = planCompaction(data, rules);
    if (bins.length === 0) return { ...counts, failures, hasMore: false };
    const tools = await open();
    let [isRefused, isPlannedAgain] = [false, false];
    for (let at = 0; at < bins.length && !isRefused; at += tableLimits.compactionBinsPerCommit) {
      const some = bins.slice(at, at + tableLimits.compactionBinsPerCommit);
      const merged = await mergeBins(maintenance, tools, { metadata, deletes: tableDeletes }, some, attempt);
      if (merged.isPlannedAgain) isPlannedAgain = true;
      if (merged.bins.length === 0) continue;
      const { added } = merged;
      const removed = merged.bins.flatMap((bin) => bin.files.map(({ path }) => path));
      const change = new FileChange(
        {
          operation: 'replace',
          added,
          removed,
          plannedOn: snapshot.id,
          summary: carriedSummary,
          // The deletes of this state were applied; later ones are about the new files too.
          ...(deletes.length === 0 ? {} : { dataSequenceNumber: snapshot.sequenceNumber }),
        },
        maintenance,
      );
      try {
        await commit(maintenance, change);
      } catch (error) {
        // Only then is it certain that no state refers to the files. After other errors they may become orphans.
        if (!(error instanceof ChangeRefused)) throw error;
        await files.delete(added.map(({ path }) => path));
        log.debug('retrying compaction of table', { error: error.message });
        isRefused = true;
        continue;
      }
      counts.mergedFiles += removed.length;
      counts.mergedBytes += merged.bins.reduce((sum, { bytes }) => sum + bytes, 0);
      counts.writtenFiles += added.length;
      counts.deletedRows += merged.deletedRows;
    }
    if (!isRefused && !isPlannedAgain) return { ...counts, failures, hasMore: !isComplete };
  }
  return { ...counts, failures, hasMore: true };
}

interface Attempt {
  /** Files that could not be merged. */
  readonly leftAlone: Set<string>;
  readonly failures: string[];
}

/** Files that are never merged with those of other times, as far as retention is concerned. */
function rulesOf(
  { settings: { retention }, clock }: Maintenance,
  metadata: TableMetadata,
  { leftAlone }: Attempt,
  bytesMax: number,
): CompactionRules {
  const schema = currentSchema(metadata);
  const nowMs = clock.nowMs();
  const timestamps = new Map(metadata.snapshots.map(({ id, timestampMs }) => [id, timestampMs]));
  const retained = retention === undefined ? undefined : schema.find([retention.column]);
  const sliceMicros = BigInt(Math.max(hourMs, Math.floor((retention?.ms ?? 0) / slicesPerRetention))) * 1000n;
  const canDescribe = new Map(
    metadata.specs.map(({ id, fields }) => [
      id,
      fields.every(
        ({ sourceId, transform }) => schema.column(sourceId) !== undefined && transform.kind !== 'unknown',
      ),
    ]),
  );
  return {
    targetBytes: targetBytesOf(metadata),
    filesMin: tableLimits.compactionFilesMin,
    filesPerBinMax: tableLimits.compactionFilesPerBinMax,
    bytesMax,
    isOld: (id) => nowMs - (timestamps.get(id) ?? 0) > tableLimits.compactionColdMs,
    sliceOf: ({ columns }) => {
      if (retained?.type.kind !== 'timestamptz') return '';
      const upper = columns.get(retained.id)?.upper;
      if (upper === undefined) return 'unknown';
      const micros = readBytes(retained.type, upper) as bigint;
      // Division rounds towards zero, so that two slices around 1970 are one.
      return String(micros / sliceMicros);
    },
    isLeftAlone: ({ path, specId }) => leftAlone.has(path) || canDescribe.get(specId) !== true,
  };
}

/** A property as in Apache Iceberg, within our limit. */
export function targetBytesOf({ properties }: TableMetadata): number {
  const { compactionTargetBytes, compactionTargetBytesMax } = tableLimits;
  const wanted = Number(properties['write.target-file-size-bytes'] ?? compactionTargetBytes);
  if (!Number.isSafeInteger(wanted) || wanted <= 0) return compactionTargetBytes;
  return Math.min(wanted, compactionTargetBytesMax);
}

interface PlannedTable {
  readonly metadata: TableMetadata;
  readonly deletes: TableDeletes;
}

interface Merged {
  readonly bins: CompactionBin[];
  readonly added: DataFile[];
  deletedRows: number;
  /** Whether the other files of a bin may be merged without those that cannot be. */
  isPlannedAgain: boolean;
}

/** A bin that fails is left as it is, so that one broken file does not keep all others from being merged. */
async function mergeBins(
  maintenance: Maintenance,
  tools: CompactionTools,
  planned: PlannedTable,
  bins: readonly CompactionBin[],
  { leftAlone, failures }: Attempt,
): Promise<Merged> {
  const { files, log, signal } = maintenance;
  const merged: Merged = { bins: [], added: [], deletedRows: 0, isPlannedAgain: false };
  for (const bin of bins) {
    if (failures.length >= failuresMax) break;
    try {
      const { file, deletedRows } = await mergeBin(maintenance, tools, planned, bin);
      if (file !== undefined) merged.added.push(file);
      merged.deletedRows += deletedRows;
      merged.bins.push(bin);
    } catch (error) {
      if (signal.aborted) {
        await files.delete(merged.added.map(({ path }) => path)).catch(() => undefined);
        throw error;
      }
      const { message } = error as Error;
      log.warn('failed to merge files of table', {
        files: bin.files.length,
        first: bin.files[0]!.path,
        error: message,
      });
      // Files of other programs may stay as they are.
      if (error instanceof ParquetNotRewritable || error instanceof UnreadableDeletes)
        merged.isPlannedAgain = true;
      else failures.push(message);
      const unfit = error instanceof ParquetNotRewritable ? error.sources.map((path) => basename(path)) : [];
      for (const [place, { path }] of bin.files.entries())
        if (unfit.length === 0 || unfit.includes(sourceName(place))) leftAlone.add(path);
    }
  }
  return merged;
}

/** The name of a local copy. */
const sourceName = (at: number) => `${at}.parquet`;

async function mergeBin(
  { dataFiles, files, settings, random, signal }: Maintenance,
  { rewriter, directory }: CompactionTools,
  { metadata, deletes }: PlannedTable,
  { entries, files: sources, specId, partition }: CompactionBin,
): Promise<{ readonly file: DataFile | undefined; readonly deletedRows: number }> {
  const schema = currentSchema(metadata);
  const spec = specOfId(metadata, specId);
  const local = await mkdtemp(join(directory, 'bin-'));
  try {
    const localSources: LocalData[] = [];
    for (const [at, entry] of entries.entries()) {
      const path = join(local, sourceName(at));
      await download(dataFiles, entry.file, path, signal);
      localSources.push({ path, ...originOf(entry) });
    }
    const localDeletes: LocalDelete[] = [];
    const needed = deletes.about(entries);
    const deleteBytes = needed.reduce((sum, { file }) => sum + Number(file.fileBytes), 0);
    if (deleteBytes > tableLimits.compactionBytesPerJobMax)
      throw new UnreadableDeletes(`${deleteBytes} bytes of files of deletes are too many to merge files`);
    for (const [at, { file, ...rule }] of needed.entries()) {
      const path = join(local, `deletes-${at}.parquet`);
      await download(dataFiles, file, path, signal);
      localDeletes.push({ path, ...rule });
    }
    const written = await rewriter.rewrite({
      sources: localSources,
      deletes: localDeletes,
      columns: schema.columns,
      neededIds: new Set(
        spec.fields.filter(({ transform }) => transform.kind === 'identity').map(({ sourceId }) => sourceId),
      ),
      compression: settings.compression,
      path: join(local, 'merged.parquet'),
      signal,
    });
    const recordCount = sources.reduce((sum, source) => sum + source.recordCount, 0n);
    // Without deletes every row that was read has to be written.
    const readCount = localDeletes.length === 0 ? written.recordCount : written.readCount;
    if (BigInt(readCount) !== recordCount || written.recordCount > written.readCount)
      throw new Failure(
        `compaction read ${readCount} rows of ${sources[0]!.path} and others, and the table says ${recordCount}; nothing was changed`,
      );
    const deletedRows = written.readCount - written.recordCount;
    if (written.recordCount === 0) return { file: undefined, deletedRows };
    const folder = partitionPath(partitionsBySpec(metadata)(specId), partition);
    const path = `${metadata.location}/data/${folder === '' ? '' : `${folder}/`}${randomId(random)}.parquet`;
    const described = describeFile(
      { ...written, path, format: 'PARQUET', partition },
      { schema, spec, properties: metadata.properties },
    );
    try {
      await upload(dataFiles, written.path, path, signal);
    } catch (error) {
      // The upload may have been finished without an answer.
      await files.delete([path]).catch(() => undefined);
      throw error;
    }
    return { file: described, deletedRows };
  } finally {
    await rm(local, { recursive: true, force: true });
  }
}
