import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { MalformedCommand } from '../command.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { isOfOpenSequence } from './file-sequences.ts';

/** Returns the time that the id of a file must have at least so that the file can be committed now. */
export function committableFromMs(limits: MachineLimits, nowMs: number): number {
  return Math.max(0, nowMs - limits.fileCommitMsMax);
}

/** Throws for ids that no correct caller sends. */
export function checkFileIds(fileIds: readonly string[], limits: MachineLimits): void {
  if (fileIds.length > limits.fileIdsPerCallMax) {
    throw new MalformedCommand(`${fileIds.length} file ids; a call has at most ${limits.fileIdsPerCallMax}`);
  }
  for (const fileId of fileIds) {
    if (!/^[0-9a-f]{32}$/.test(fileId)) {
      throw new MalformedCommand(`the file id ${fileId} is not 32 hex digits`);
    }
  }
}

/** Returns those of the files that are dead, each once. */
export function decideForgetDeadFiles(state: ClusterState, fileIds: readonly string[]): string[] {
  return [...new Set(fileIds)].filter(
    (fileId) => state.files.isDead(fileId) && !isOfOpenSequence(state, fileId),
  );
}

export function writeDeadFilesForgotten(
  writer: ByteWriter,
  fromMs: number,
  fileIds: readonly string[],
): void {
  writer.varint(fromMs);
  writer.varint(fileIds.length);
  for (const fileId of fileIds) writer.hex16(fileId);
}

export function applyDeadFilesForgotten({ files, nowMs }: ClusterState, reader: ByteReader): void {
  const fromMs = reader.varint();
  for (let left = reader.varint(); left > 0; left--) {
    const fileId = reader.hex16();
    if (!files.forgetDead(fileId, fromMs, nowMs)) throw new UnreadableBytes(`file ${fileId} is not dead`);
  }
  files.forgetDeleted(fromMs, nowMs);
}

/** A file with its size; 0 if it is not known. */
interface FileSize {
  readonly fileId: string;
  readonly fileBytes: number;
}

/** Returns those of the files that the cluster does not know, each once. */
export function decideDeclareFilesDead(
  state: ClusterState,
  fileIds: readonly string[],
  fileBytes: readonly number[],
): FileSize[] {
  const { files } = state;
  const unknown = new Map<string, FileSize>();
  for (const [index, fileId] of fileIds.entries()) {
    if (files.slotOf(fileId) >= 0 || isOfOpenSequence(state, fileId)) continue;
    const size = fileBytes[index] ?? 0;
    unknown.set(fileId, { fileId, fileBytes: Math.min(Math.max(0, Math.floor(size)), 2 ** 32 - 1) });
  }
  return [...unknown.values()];
}

export function writeFilesDeclaredDead(writer: ByteWriter, files: readonly FileSize[]): void {
  writer.varint(files.length);
  for (const { fileId, fileBytes } of files) {
    writer.hex16(fileId);
    writer.varint(fileBytes);
  }
}

export function applyFilesDeclaredDead({ files, nowMs }: ClusterState, reader: ByteReader): void {
  for (let left = reader.varint(); left > 0; left--) {
    const fileId = reader.hex16();
    if (!files.addDead(fileId, reader.varint(), nowMs)) {
      throw new UnreadableBytes(`file ${fileId} is known and cannot be declared dead`);
    }
  }
}
