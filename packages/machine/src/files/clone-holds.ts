import { type ByteReader, UnreadableBytes } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { MalformedCommand } from '../command.ts';
import type { FileHold } from '../log/file-holds.ts';
import type { MachineLimits } from '../machine-limits.ts';

/** What is held: all files that had pointers at the time of the entry, or a list of files. */
const held = { referenced: 0, listed: 1 } as const;

/** Throws for an id that no correct caller sends. It becomes part of keys in the bucket. */
export function checkCloneId({ clusterId }: ClusterState, cloneId: string): void {
  if (!/^[\w-]{1,128}$/.test(cloneId) || cloneId === clusterId)
    throw new MalformedCommand(`${JSON.stringify(cloneId)} is not a clone id`);
}

/** Returns why a clone cannot hold files; `undefined` if it can. */
export function holdProblem(
  { files }: ClusterState,
  limits: MachineLimits,
  cloneId: string,
): string | undefined {
  if (files.holds.get(cloneId) !== undefined || files.holds.count < limits.clonesMax) return undefined;
  return `the cluster has ${files.holds.count} of at most ${limits.clonesMax} clones; delete one first`;
}

export function writeFilesHeld(
  writer: ByteWriter,
  cloneId: string,
  fileIds: readonly string[] | undefined,
): void {
  writer.text(cloneId);
  writer.u8(fileIds === undefined ? held.referenced : held.listed);
  if (fileIds !== undefined) writeFileIds(writer, fileIds);
}

export function applyFilesHeld({ files, nowMs }: ClusterState, reader: ByteReader): undefined {
  const cloneId = reader.text();
  const what = reader.u8();
  const hold = files.holds.begin(cloneId, nowMs, what === held.listed ? 'confirmed' : 'open');
  if (what === held.referenced) files.holdReferenced(hold);
  else if (what === held.listed) for (const fileId of readFileIds(reader)) files.hold(hold, fileId, 0);
  else throw new UnreadableBytes(`this release does not support held files of kind ${what}`);
}

/** Returns the listed files that the hold lacks and that exist, as far as the cluster knows. */
export function decideHoldListed({ files }: ClusterState, cloneId: string, fileIds: readonly string[]) {
  const hold = files.holds.get(cloneId);
  return [...new Set(fileIds)].filter(
    (fileId) => files.isHoldable(fileId) && (hold === undefined || !files.isHeldBy(hold, fileId)),
  );
}

/** Returns those of the files that the clone holds, each once. */
export function decideRelease(
  { files }: ClusterState,
  cloneId: string,
  fileIds: readonly string[],
): readonly string[] {
  const hold = files.holds.get(cloneId);
  if (hold === undefined) return [];
  return [...new Set(fileIds)].filter((fileId) => files.isHeldBy(hold, fileId));
}

export function writeHeldFilesReleased(
  writer: ByteWriter,
  cloneId: string,
  fileIds: readonly string[],
): void {
  writer.text(cloneId);
  writeFileIds(writer, fileIds);
}

export function applyHeldFilesReleased(state: ClusterState, reader: ByteReader): undefined {
  const { files, nowMs } = state;
  const hold = readHold(state, reader);
  for (const fileId of readFileIds(reader)) {
    if (!files.release(hold, fileId, nowMs)) throw new UnreadableBytes(`file ${fileId} is not held`);
  }
}

export function applyHoldConfirmed(state: ClusterState, reader: ByteReader): undefined {
  readHold(state, reader).state = 'confirmed';
}

export function applyHoldAbandoned(state: ClusterState, reader: ByteReader): undefined {
  readHold(state, reader).state = 'abandoned';
}

export function applyHoldEnded(state: ClusterState, reader: ByteReader): undefined {
  state.files.endHold(readHold(state, reader), state.nowMs);
}

/** Returns those of the files that are unneeded, each once. */
export function decideForgetUnneeded({ files }: ClusterState, fileIds: readonly string[]): string[] {
  return [...new Set(fileIds)].filter((fileId) => files.isUnneeded(fileId));
}

export function applyUnneededFilesForgotten({ files }: ClusterState, reader: ByteReader): undefined {
  for (const fileId of readFileIds(reader)) {
    if (!files.forgetUnneeded(fileId)) throw new UnreadableBytes(`file ${fileId} is not unneeded`);
  }
}

export function writeFileIds(writer: ByteWriter, fileIds: readonly string[]): void {
  writer.varint(fileIds.length);
  for (const fileId of fileIds) writer.hex16(fileId);
}

function* readFileIds(reader: ByteReader): Generator<string> {
  for (let left = reader.varint(); left > 0; left--) yield reader.hex16();
}

function readHold({ files }: ClusterState, reader: ByteReader): FileHold {
  const cloneId = reader.text();
  const hold = files.holds.get(cloneId);
  if (hold === undefined) throw new UnreadableBytes(`no files are held for ${cloneId}`);
  return hold;
}
