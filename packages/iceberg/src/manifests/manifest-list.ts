/** Manifest lists: the manifests of a snapshot, each with counts and the range of its partitions. */
import type { Random } from '@weir/core';
import type { AvroRecord, AvroValue } from '../avro/avro-type.ts';
import { readContainer, writeContainer } from '../avro/container.ts';
import { printJson } from '../json/exact-json.ts';
import type { PartitionSummary } from '../pruning/known-ranges.ts';
import { InvalidTable } from '../table-errors.ts';
import { manifestIds, manifestListSchema, summaryIds } from './manifest-schema.ts';

/** A manifest, as the list has it. */
export interface ManifestFile {
  readonly path: string;
  readonly bytes: bigint;
  readonly specId: number;
  readonly content: 'data' | 'deletes';
  /** Of the snapshot that added the manifest. */
  readonly sequenceNumber: bigint;
  /** The least of its live files. */
  readonly minSequenceNumber: bigint;
  readonly addedSnapshotId: bigint;
  readonly addedFiles: number;
  readonly existingFiles: number;
  readonly deletedFiles: number;
  readonly addedRows: bigint;
  readonly existingRows: bigint;
  readonly deletedRows: bigint;
  /** One for each field of the spec; absent if the writer did not summarise them. */
  readonly partitions?: readonly PartitionSummary[] | undefined;
  readonly keyMetadata?: Uint8Array | undefined;
}

interface ManifestListOptions {
  readonly snapshotId: bigint;
  readonly parentSnapshotId: bigint | undefined;
  readonly sequenceNumber: bigint;
  readonly random: Random;
}

export function writeManifestList(
  manifests: readonly ManifestFile[],
  { snapshotId, parentSnapshotId, sequenceNumber, random }: ManifestListOptions,
): Buffer {
  return writeContainer(manifests.values().map(manifestRecord), {
    schema: printJson(manifestListSchema),
    metadata: {
      'snapshot-id': String(snapshotId),
      'parent-snapshot-id': String(parentSnapshotId ?? null),
      'sequence-number': String(sequenceNumber),
      'format-version': '2',
    },
    random,
  });
}

export function readManifestList(bytes: Buffer, name: string): ManifestFile[] {
  return readContainer(bytes, name).records.map((record) => readManifestFile(record, name));
}

function manifestRecord(manifest: ManifestFile): AvroRecord {
  return new Map<number, AvroValue>([
    [manifestIds.path, manifest.path],
    [manifestIds.bytes, manifest.bytes],
    [manifestIds.specId, manifest.specId],
    [manifestIds.content, manifest.content === 'data' ? 0 : 1],
    [manifestIds.sequenceNumber, manifest.sequenceNumber],
    [manifestIds.minSequenceNumber, manifest.minSequenceNumber],
    [manifestIds.addedSnapshotId, manifest.addedSnapshotId],
    [manifestIds.addedFiles, manifest.addedFiles],
    [manifestIds.existingFiles, manifest.existingFiles],
    [manifestIds.deletedFiles, manifest.deletedFiles],
    [manifestIds.addedRows, manifest.addedRows],
    [manifestIds.existingRows, manifest.existingRows],
    [manifestIds.deletedRows, manifest.deletedRows],
    [manifestIds.partitions, manifest.partitions?.map(summaryRecord) ?? null],
    [manifestIds.keyMetadata, manifest.keyMetadata ?? null],
  ]);
}

function summaryRecord({ containsNull, containsNan, lower, upper }: PartitionSummary): AvroRecord {
  return new Map<number, AvroValue>([
    [summaryIds.containsNull, containsNull],
    [summaryIds.containsNan, containsNan ?? null],
    [summaryIds.lower, lower ?? null],
    [summaryIds.upper, upper ?? null],
  ]);
}

function readManifestFile(record: AvroRecord, name: string): ManifestFile {
  const optional = <Kind>(id: number): Kind | undefined => (record.get(id) ?? undefined) as Kind | undefined;
  const [path, bytes] = [optional<string>(manifestIds.path), optional<bigint>(manifestIds.bytes)];
  if (typeof path !== 'string' || typeof bytes !== 'bigint')
    throw new InvalidTable(`${name}: a manifest has no path or length`);
  // Format version 1 has neither content nor sequence numbers, and may lack counts.
  return {
    path,
    bytes,
    specId: optional<number>(manifestIds.specId) ?? 0,
    content: optional<number>(manifestIds.content) === 1 ? 'deletes' : 'data',
    sequenceNumber: optional<bigint>(manifestIds.sequenceNumber) ?? 0n,
    minSequenceNumber: optional<bigint>(manifestIds.minSequenceNumber) ?? 0n,
    addedSnapshotId: optional<bigint>(manifestIds.addedSnapshotId) ?? 0n,
    addedFiles: optional<number>(manifestIds.addedFiles) ?? 0,
    existingFiles: optional<number>(manifestIds.existingFiles) ?? 0,
    deletedFiles: optional<number>(manifestIds.deletedFiles) ?? 0,
    addedRows: optional<bigint>(manifestIds.addedRows) ?? 0n,
    existingRows: optional<bigint>(manifestIds.existingRows) ?? 0n,
    deletedRows: optional<bigint>(manifestIds.deletedRows) ?? 0n,
    partitions: optional<readonly AvroRecord[]>(manifestIds.partitions)?.map(readSummary),
    keyMetadata: optional(manifestIds.keyMetadata),
  };
}

function readSummary(record: AvroRecord): PartitionSummary {
  return {
    containsNull: record.get(summaryIds.containsNull) === true,
    containsNan: (record.get(summaryIds.containsNan) ?? undefined) as boolean | undefined,
    lower: (record.get(summaryIds.lower) ?? undefined) as Uint8Array | undefined,
    upper: (record.get(summaryIds.upper) ?? undefined) as Uint8Array | undefined,
  };
}
