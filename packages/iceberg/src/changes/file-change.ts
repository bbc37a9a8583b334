/**
 * Changes of the files of a table: append, compaction (replace), overwrite and delete. One rule each for newer states:
 *
 * - an append fits every state;
 * - files to be removed must still be there, or the change is refused: they were compacted or deleted meanwhile;
 * - a change that was planned on a snapshot is refused if delete files came since, or data files that match its filter.
 */
import type { DataFile, LiveEntry, ManifestEntry } from '../manifests/data-file.ts';
import type { ManifestFile } from '../manifests/manifest-list.ts';
import { mainBranch, type Operation, type Snapshot } from '../metadata/snapshot.ts';
import {
  ancestors,
  currentSchema,
  snapshotOf,
  snapshotOfRef,
  type TableMetadata,
} from '../metadata/table-metadata.ts';
import type { TableCommit } from '../metadata/updates.ts';
import type { Filter } from '../pruning/filter.ts';
import { fileMayMatch, hasLiveFiles, partitionsBySpec } from '../scan/plan-files.ts';
import { entriesOf, manifestsOf } from '../scan/snapshot-manifests.ts';
import { ChangeRefused, InvalidTable } from '../table-errors.ts';
import { ManifestMerge } from './manifest-merge.ts';
import { checkWritable, type NewManifest, SnapshotWriter } from './snapshot-writer.ts';
import { summaryOfChange } from './summary.ts';
import type { ChangeDeps, TableChange } from './table-change.ts';

export interface FileChangeParts {
  readonly operation: Operation;
  readonly added?: readonly DataFile[] | undefined;
  /** Paths of data files, or of delete files. */
  readonly removed?: readonly string[] | undefined;
  /** Properties for the summary of the snapshot, such as source offsets. */
  readonly summary?:
    | Readonly<Record<string, string>>
    | ((metadata: TableMetadata) => Readonly<Record<string, string>>)
    | undefined;
  /** The branch; `main` if absent. */
  readonly branch?: string | undefined;
  /** Leaves earlier manifests as they are: a quick commit, and more files for readers. */
  readonly isFast?: boolean | undefined;
  /** The snapshot that the change was planned on. */
  readonly plannedOn?: bigint | undefined;
  /** Refuses the change if data files that may match were added since it was planned. */
  readonly noNewFilesIn?: Filter | undefined;
  /**
   * The data sequence number of the added files, for compaction of tables with delete files: deletes that came after
   * that number apply to them.
   */
  readonly dataSequenceNumber?: bigint | undefined;
  /** Called with each newer state; throws `ChangeRefused` if the change is obsolete: its offsets were passed. */
  readonly validate?: ((metadata: TableMetadata) => void) | undefined;
}

interface Rewritten {
  readonly manifests: readonly NewManifest[];
  readonly removed: readonly DataFile[];
}

export class FileChange implements TableChange {
  readonly #parts: FileChangeParts;
  readonly #deps: ChangeDeps;
  readonly #writer: SnapshotWriter;
  readonly #merge: ManifestMerge;
  readonly #removedPaths: ReadonlySet<string>;
  #addedManifests: readonly NewManifest[] | undefined;
  /** Manifests without the removed files, by the path of the original; `undefined` if it has none of them. */
  readonly #rewritten = new Map<string, Rewritten | undefined>();

  constructor(parts: FileChangeParts, deps: ChangeDeps) {
    const { operation, added = [], removed = [] } = parts;
    if (operation === 'append' && removed.length > 0) throw new InvalidTable('an append removes no files');
    if (operation === 'delete' && added.length > 0) throw new InvalidTable('a delete adds no files');
    this.#removedPaths = new Set(removed);
    if (new Set(added.map(({ path }) => path)).size !== added.length)
      throw new InvalidTable('a file is added twice');
    for (const { path } of added)
      if (this.#removedPaths.has(path)) throw new InvalidTable(`${path}: added and removed`);
    this.#parts = parts;
    this.#deps = deps;
    this.#writer = new SnapshotWriter(deps);
    this.#merge = new ManifestMerge(deps, this.#writer);
  }

  get snapshotId(): bigint {
    return this.#writer.snapshotId;
  }

  isIn(metadata: TableMetadata): boolean {
    return this.#writer.isIn(metadata);
  }

  unusedFiles(committed: TableMetadata | undefined): readonly string[] {
    return this.#writer.unusedFiles(committed);
  }

  async on(metadata: TableMetadata): Promise<TableCommit> {
    const { operation, branch = mainBranch, isFast = false, added = [], summary = {} } = this.#parts;
    checkWritable(metadata);
    this.#parts.validate?.(metadata);
    const parent = snapshotOfRef(metadata, branch);
    const earlier = await manifestsOf(this.#deps.files, parent);
    await this.#checkSincePlanned(metadata, parent, earlier);
    const removal = await this.#withoutRemoved(metadata, earlier.filter(hasLiveFiles));
    const kept = isFast ? removal.kept : await this.#merge.merge(metadata, removal.kept);
    this.#addedManifests ??= await this.#writeAdded(metadata, added);
    const properties = typeof summary === 'function' ? summary(metadata) : summary;
    const columnsOf = partitionsBySpec(metadata);
    return this.#writer.commit(metadata, {
      ref: branch,
      operation,
      manifests: [...this.#addedManifests, ...removal.rewritten, ...kept],
      summary: summaryOfChange({ added, removed: removal.removed, parent, columnsOf, properties }),
    });
  }

  async #writeAdded(metadata: TableMetadata, added: readonly DataFile[]): Promise<NewManifest[]> {
    const { snapshotId } = this;
    const sequenceNumber = this.#parts.dataSequenceNumber;
    const written: NewManifest[] = [];
    for (const [key, files] of Map.groupBy(
      added,
      ({ specId, content }) => `${content === 'data' ? 'data' : 'deletes'} ${specId}`,
    )) {
      const entries = files.map(
        (file): ManifestEntry => ({ status: 'added', snapshotId, sequenceNumber, file }),
      );
      const content = key.startsWith('data') ? 'data' : 'deletes';
      written.push(...(await this.#writer.manifests(metadata, files[0]!.specId, content, entries)));
    }
    return written;
  }

  async #withoutRemoved(metadata: TableMetadata, manifests: readonly ManifestFile[]) {
    const kept: ManifestFile[] = [];
    const rewritten: NewManifest[] = [];
    const removed: DataFile[] = [];
    for (const manifest of manifests) {
      const found = await this.#rewrite(metadata, manifest);
      if (found === undefined) kept.push(manifest);
      else {
        rewritten.push(...found.manifests);
        removed.push(...found.removed);
      }
    }
    const missing = this.#removedPaths.size - removed.length;
    if (missing > 0) {
      const there = new Set(removed.map(({ path }) => path));
      const first = this.#removedPaths.values().find((path) => !there.has(path));
      throw new ChangeRefused(
        `${first}: no longer in the table, and ${missing - 1} other files; plan the change again`,
      );
    }
    return { kept, rewritten, removed };
  }

  /** The manifest without the removed files; `undefined` if it has none of them. */
  async #rewrite(metadata: TableMetadata, manifest: ManifestFile): Promise<Rewritten | undefined> {
    if (this.#removedPaths.size === 0) return undefined;
    if (this.#rewritten.has(manifest.path)) return this.#rewritten.get(manifest.path);
    const entries = await entriesOf(this.#deps.files, metadata, manifest);
    const live = entries.filter(({ status }) => status !== 'deleted');
    const isRemoved = ({ file }: LiveEntry) => this.#removedPaths.has(file.path);
    let result: Rewritten | undefined;
    if (live.some(isRemoved)) {
      const { snapshotId } = this;
      const next = live.map(
        (entry): ManifestEntry =>
          isRemoved(entry) ? { ...entry, status: 'deleted', snapshotId } : { ...entry, status: 'existing' },
      );
      result = {
        manifests: await this.#writer.manifests(metadata, manifest.specId, manifest.content, next),
        removed: live.filter(isRemoved).map(({ file }) => file),
      };
    }
    this.#rewritten.set(manifest.path, result);
    return result;
  }

  async #checkSincePlanned(
    metadata: TableMetadata,
    parent: Snapshot | undefined,
    manifests: readonly ManifestFile[],
  ): Promise<void> {
    const { plannedOn, noNewFilesIn, operation, dataSequenceNumber } = this.#parts;
    const hasDeletes = manifests.some((manifest) => manifest.content === 'deletes' && hasLiveFiles(manifest));
    if (operation === 'replace' && hasDeletes && dataSequenceNumber === undefined)
      throw new ChangeRefused(
        'the table has delete files; compaction has to say up to which sequence number it applied them',
      );
    if (plannedOn === undefined) return;
    const planned = snapshotOf(metadata, plannedOn);
    const since = new Set<bigint>();
    let isAncestor = false;
    for (const { id } of ancestors(metadata, parent)) {
      isAncestor = id === plannedOn;
      if (isAncestor) break;
      since.add(id);
    }
    if (planned === undefined || !isAncestor)
      throw new ChangeRefused(
        `the snapshot ${plannedOn} is no longer in the history of the table; plan the change again`,
      );
    const columnsOf = partitionsBySpec(metadata);
    for (const manifest of manifests) {
      if (!since.has(manifest.addedSnapshotId) || manifest.addedFiles === 0) continue;
      if (manifest.content === 'deletes' && this.#removedPaths.size > 0)
        throw new ChangeRefused('delete files were added since the change was planned; plan it again');
      if (manifest.content !== 'data' || noNewFilesIn === undefined) continue;
      for (const { status, file } of await entriesOf(this.#deps.files, metadata, manifest))
        if (
          status === 'added' &&
          fileMayMatch(noNewFilesIn, currentSchema(metadata), columnsOf(file.specId), file)
        )
          throw new ChangeRefused(
            `${file.path}: added since the change was planned, and may have rows that it is about`,
          );
    }
  }
}
