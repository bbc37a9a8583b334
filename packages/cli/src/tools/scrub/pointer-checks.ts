import type { FilePointers } from '@weir/cluster';
import { fileIdLevel } from '@weir/core';
import type { ObjectStore, readLogFile } from '@weir/storage';
import { headerBytes, RecordBatchView } from '@weir/wire';

/** A pointer of the metadata into a file. */
export interface FilePointer {
  /** Such as `orders-3`. */
  readonly name: string;
  readonly firstByte: number;
  readonly endByte: number;
  readonly firstOffset: number;
  readonly endOffset: number;
}

type LogFile = Awaited<ReturnType<typeof readLogFile>>;

const lengthOverheadBytes = 12;

/** The pointers into one of the files, by the first byte. Several may refer to the same bytes: clones share files. */
export function pointersOfFile(files: FilePointers, index: number): FilePointer[] {
  const found: FilePointer[] = [];
  for (let row = files.firstRow[index]!; row < files.firstRow[index + 1]!; row++) {
    const { topicName, partition } = files.logs[files.log[row]!]!;
    const firstByte = files.byteStart[row]!;
    found.push({
      name: `${topicName}-${partition}`,
      firstByte,
      endByte: firstByte + files.byteLength[row]!,
      firstOffset: files.baseOffset[row]!,
      endOffset: files.nextOffset[row]!,
    });
  }
  return found.sort((one, other) => one.firstByte - other.firstByte);
}

/** What is wrong with a pointer, as a sentence without its beginning. */
function pointerProblem({ name, firstOffset, endOffset }: FilePointer, problem: string): string {
  return `${name}, offsets ${firstOffset} to ${endOffset - 1}: ${problem}`;
}

interface Walk {
  readonly pointer: FilePointer;
  nextOffset: number;
}

/**
 * Compares pointers with all batches of a file, which come in the order of the file: a pointer begins with a batch,
 * ends with one, and its batches have its offsets.
 *
 * The topic of a section is not compared: pointers of a cloned topic refer to sections of another.
 */
export class PointerWalk {
  readonly #level: number;
  readonly #waiting: FilePointer[];
  #walks: Walk[] = [];
  readonly problems: string[] = [];

  constructor(fileId: string, pointers: readonly FilePointer[]) {
    this.#level = fileIdLevel(fileId);
    this.#waiting = pointers.toReversed();
  }

  onBatch(byteStart: number, bytes: Buffer): void {
    this.#dropBefore(byteStart);
    for (let next = this.#waiting.at(-1); next?.firstByte === byteStart; next = this.#waiting.at(-1)) {
      this.#walks.push({ pointer: next, nextOffset: next.firstOffset });
      this.#waiting.pop();
    }
    if (this.#walks.length === 0) return;
    const view = new RecordBatchView(bytes);
    const endByte = byteStart + bytes.length;
    this.#walks = this.#walks.filter((walk) => this.#step(walk, view, byteStart, endByte));
  }

  /** To be called after the last batch. */
  finish(): void {
    this.#dropBefore(Number.POSITIVE_INFINITY);
    for (const { pointer } of this.#walks)
      this.#report(pointer, `it ends at byte ${pointer.endByte}, after all batches`);
    this.#walks = [];
  }

  /** Returns whether the pointer goes on. */
  #step(walk: Walk, view: RecordBatchView, byteStart: number, endByte: number): boolean {
    const { pointer, nextOffset } = walk;
    const firstOffset = this.#level === 0 ? nextOffset : Number(view.baseOffset);
    const endOffset = firstOffset + view.lastOffsetDelta + 1;
    if (firstOffset < nextOffset || endOffset <= firstOffset || endOffset > pointer.endOffset) {
      this.#report(pointer, `the batch at byte ${byteStart} has offsets ${firstOffset} to ${endOffset - 1}`);
      return false;
    }
    walk.nextOffset = endOffset;
    if (endByte < pointer.endByte) return true;
    if (endByte > pointer.endByte) this.#report(pointer, `it ends within the batch at byte ${byteStart}`);
    else if (endOffset !== pointer.endOffset)
      this.#report(pointer, `its batches end before offset ${endOffset}`);
    return false;
  }

  #dropBefore(byteStart: number): void {
    for (
      let next = this.#waiting.at(-1);
      next !== undefined && next.firstByte < byteStart;
      next = this.#waiting.at(-1)
    ) {
      this.#report(next, `no batch begins at byte ${next.firstByte}`);
      this.#waiting.pop();
    }
  }

  #report(pointer: FilePointer, problem: string): void {
    this.problems.push(pointerProblem(pointer, problem));
  }
}

/**
 * Compares pointers with the footer of a file, without reading its records: a pointer lies within a section, and if it
 * is all of it, the offsets of the section are right. Of another one the header of the first batch is read.
 */
export async function checkByFooter(
  store: ObjectStore,
  key: string,
  file: LogFile,
  pointers: readonly FilePointer[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const pointer of pointers) {
    const problem = await footerProblem(store, key, file, pointer);
    if (problem !== undefined) problems.push(pointerProblem(pointer, problem));
  }
  return problems;
}

async function footerProblem(
  store: ObjectStore,
  key: string,
  { fileId, sections }: LogFile,
  { firstByte, endByte, firstOffset, endOffset }: FilePointer,
): Promise<string | undefined> {
  const section = sections.find(
    ({ byteStart, byteLength }) => firstByte >= byteStart && firstByte < byteStart + byteLength,
  );
  if (section === undefined) return `no batch begins at byte ${firstByte}`;
  const sectionEnd = section.byteStart + section.byteLength;
  if (endByte > sectionEnd) return `it ends at byte ${endByte}, and its section at ${sectionEnd}`;
  const level = fileIdLevel(fileId);
  if (firstByte === section.byteStart && endByte === sectionEnd) {
    if (level === 0 && section.recordCount !== endOffset - firstOffset)
      return `its section has ${section.recordCount} records`;
    const { baseOffset = firstOffset, nextOffset = endOffset } = section;
    return baseOffset < firstOffset || nextOffset !== endOffset
      ? `its section has offsets ${baseOffset} to ${nextOffset - 1}`
      : undefined;
  }
  const header = await store.getRange(key, firstByte, firstByte + headerBytes);
  if (header.length < headerBytes) return `no batch begins at byte ${firstByte}`;
  const view = new RecordBatchView(header);
  const batchEnd = firstByte + view.batchLength + lengthOverheadBytes;
  if (view.magic !== 2 || view.batchLength < 0 || batchEnd > endByte)
    return `no batch begins at byte ${firstByte}`;
  const batchOffset = level === 0 ? firstOffset : Number(view.baseOffset);
  const isRight = batchOffset >= firstOffset && batchOffset + view.lastOffsetDelta < endOffset;
  return isRight
    ? undefined
    : `its first batch has offsets ${batchOffset} to ${batchOffset + view.lastOffsetDelta}`;
}
