import type { ManifestEntry } from '../manifests/data-file.ts';
import type { ManifestFile } from '../manifests/manifest-list.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import { entriesOf } from '../scan/snapshot-manifests.ts';
import type { NewManifest, SnapshotWriter } from './snapshot-writer.ts';
import type { ChangeDeps } from './table-change.ts';

const defaults = { targetBytes: 8_388_608, minCount: 100 };

function propertyOr(metadata: TableMetadata, name: string, otherwise: number): number {
  const value = Number(metadata.properties[name] ?? otherwise);
  return Number.isSafeInteger(value) && value > 0 ? value : otherwise;
}

/**
 * Merges small manifests of earlier snapshots when there are many, so that appends do not leave readers with one small
 * file each. Properties as in Apache Iceberg: `commit.manifest-merge.enabled`, `commit.manifest.min-count-to-merge`,
 * `commit.manifest.target-size-bytes`.
 *
 * Merged manifests are kept for the next attempt, which most often merges the same ones.
 */
export class ManifestMerge {
  readonly #deps: ChangeDeps;
  readonly #writer: SnapshotWriter;
  readonly #merged = new Map<string, readonly NewManifest[]>();

  constructor(deps: ChangeDeps, writer: SnapshotWriter) {
    this.#deps = deps;
    this.#writer = writer;
  }

  async merge(
    metadata: TableMetadata,
    manifests: readonly ManifestFile[],
  ): Promise<(ManifestFile | NewManifest)[]> {
    const minCount = propertyOr(metadata, 'commit.manifest.min-count-to-merge', defaults.minCount);
    const targetBytes = propertyOr(metadata, 'commit.manifest.target-size-bytes', defaults.targetBytes);
    if (metadata.properties['commit.manifest-merge.enabled'] === 'false' || manifests.length < minCount)
      return [...manifests];
    const result: (ManifestFile | NewManifest)[] = [];
    for (const bin of bins(manifests, targetBytes)) {
      if (bin.length < 2) result.push(...bin);
      else result.push(...(await this.#mergeBin(metadata, bin)));
    }
    return result;
  }

  async #mergeBin(metadata: TableMetadata, bin: readonly ManifestFile[]): Promise<readonly NewManifest[]> {
    const key = bin.map(({ path }) => path).join('\n');
    const known = this.#merged.get(key);
    if (known !== undefined) return known;
    const entries: ManifestEntry[] = [];
    for (const manifest of bin) {
      for (const entry of await entriesOf(this.#deps.files, metadata, manifest))
        if (entry.status !== 'deleted') entries.push({ ...entry, status: 'existing' });
    }
    const merged = await this.#writer.manifests(metadata, bin[0]!.specId, bin[0]!.content, entries);
    this.#merged.set(key, merged);
    return merged;
  }
}

/** Neighbours of one spec and content, together up to the target; larger ones stay alone. */
function bins(manifests: readonly ManifestFile[], targetBytes: number): ManifestFile[][] {
  const all: ManifestFile[][] = [];
  const open = new Map<string, { readonly bin: ManifestFile[]; bytes: number }>();
  for (const manifest of manifests) {
    const bytes = Number(manifest.bytes);
    const kind = `${manifest.content} ${manifest.specId}`;
    const current = open.get(kind);
    if (current !== undefined && current.bytes + bytes <= targetBytes) {
      current.bin.push(manifest);
      current.bytes += bytes;
      continue;
    }
    const bin = [manifest];
    all.push(bin);
    open.set(kind, { bin, bytes });
  }
  return all;
}
