/** How the manifests of a snapshot lie, which decides how many of them a reader with a filter opens. */
import { lowerBound } from '@weir/core';
import type { TableFiles } from '../files/table-files.ts';
import type { ManifestFile } from '../manifests/manifest-list.ts';
import type { Snapshot } from '../metadata/snapshot.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import type { PartitionColumn } from '../partitions/partition-spec.ts';
import { readBytes } from '../values/binary-value.ts';
import { compareValues, type Value } from '../values/value.ts';
import { hasLiveFiles, partitionsBySpec } from './plan-files.ts';
import { manifestsOf } from './snapshot-manifests.ts';

interface ManifestLayout {
  /** Of data files. */
  readonly manifests: number;
  /** Live files by partition spec. */
  readonly filesOfSpecs: ReadonlyMap<number, number>;
  /** With how many others a manifest shares values of the first partition field, on average. */
  readonly overlap: number;
}

export async function manifestLayout(
  files: TableFiles,
  metadata: TableMetadata,
  snapshot: Snapshot | undefined,
): Promise<ManifestLayout> {
  const manifests = (await manifestsOf(files, snapshot)).filter(
    (manifest) => manifest.content === 'data' && hasLiveFiles(manifest),
  );
  const columnsOf = partitionsBySpec(metadata);
  const filesOfSpecs = new Map<number, number>();
  let overlaps = 0;
  for (const [specId, group] of Map.groupBy(manifests, (manifest) => manifest.specId)) {
    filesOfSpecs.set(
      specId,
      group.reduce((sum, { addedFiles, existingFiles }) => sum + addedFiles + existingFiles, 0),
    );
    const column = columnsOf(specId)[0];
    if (column !== undefined) overlaps += overlapsOf(group, column);
  }
  return { manifests: manifests.length, filesOfSpecs, overlap: overlaps / Math.max(1, manifests.length) };
}

/** Pairs that overlap, each counted from both sides. Manifests without values overlap none. */
function overlapsOf(manifests: readonly ManifestFile[], { type }: PartitionColumn): number {
  const ranges = manifests.flatMap(({ partitions }): { least: Value; greatest: Value }[] => {
    const { lower, upper } = partitions?.[0] ?? {};
    if (lower === undefined || upper === undefined) return [];
    return [{ least: readBytes(type, lower), greatest: readBytes(type, upper) }];
  });
  const compare = (one: Value, other: Value) => compareValues(type, one, other);
  const [least, greatest] = [
    ranges.map((range) => range.least).sort(compare),
    ranges.map((range) => range.greatest).sort(compare),
  ];
  let pairs = 0;
  for (const range of ranges) {
    const before = lowerBound(greatest, (one) => compare(one, range.least) < 0);
    const notAfter = lowerBound(least, (one) => compare(one, range.greatest) <= 0);
    pairs += notAfter - before - 1;
  }
  return pairs;
}
