import type { FileState } from '@weir/cluster';
import { fileIdLevel, fileIdLevelMax, fileIdTimeMs, fileReference } from '@weir/core';
import { type FileHold, FileHolds } from './file-holds.ts';
import { FileIndex, hashOfWords, noSlot } from './file-index.ts';
import { FileQueue } from './file-queue.ts';
import { markerFileSlot } from './marker.ts';

/**
 * The files of a cluster: about 41 bytes per file, however many pointers it has. A file is
 *
 * - **referenced** while pointers lie in it;
 * - **dead** from its last pointer on, until it has been deleted from the bucket (F1);
 * - **deleted** afterwards, as long as its id could still be committed (F4). Then its slot is freed;
 * - **held** instead of dead while a clone of the cluster needs it (K1).
 *
 * In a clone, files may be **foreign**: they lie below the prefix of another cluster, which deletes them (K4). A
 * foreign file is **unneeded** instead of dead, until that is reported to the other cluster.
 */
const slabShift = 12;
const slabFiles = 1 << slabShift;
const slabMask = slabFiles - 1;

const fileState = { free: 0, referenced: 1, dead: 2, deleted: 3, held: 4, unneeded: 5 } as const;
const fileStateNames: readonly FileState[] = ['unknown', 'referenced', 'dead', 'deleted', 'held', 'unneeded'];

class Slab {
  /** Four words per file. */
  readonly idWords = new Uint32Array(4 * slabFiles);
  readonly ids = Buffer.from(this.idWords.buffer);
  readonly fileBytes = new Uint32Array(slabFiles);
  /** Of a dead, deleted or unneeded file: its position in the queue. */
  readonly pointerCount = new Uint32Array(slabFiles);
  /** Bytes that pointers cover; more than the file has if several pointers cover the same ones. */
  readonly liveBytes = new Float64Array(slabFiles);
  readonly state = new Uint8Array(slabFiles);
  /** The number of the origin of each file, 0 for files of this cluster; absent if all are. */
  origin: Uint8Array | undefined;
}

/** Totals of the referenced files of one level. */
export interface LevelTotals {
  readonly files: number;
  readonly bytes: number;
  readonly liveBytes: number;
}

export interface DeadFile {
  readonly fileId: string;
  /** 0 if it is not known. */
  readonly fileBytes: number;
  readonly deadMs: number;
}

const levelCount = fileIdLevelMax + 1;

export class FileTable {
  readonly #slabs: Slab[] = [];
  readonly #freeSlots: number[] = [];
  #retainedSlots: number[] | undefined;
  #slotCount = 0;
  readonly #index = new FileIndex((slot) =>
    hashOfWords(this.#slabs[slot >>> slabShift]!.idWords, 4 * (slot & slabMask)),
  );
  readonly #moved = (slot: number, position: number) => {
    this.#slabs[slot >>> slabShift]!.pointerCount[slot & slabMask] = position;
  };
  /** In order of death. */
  readonly dead = new FileQueue(this.#moved);
  /** In order of deletion. */
  readonly deleted = new FileQueue(this.#moved);
  /** Foreign files, in the order in which they lost their last pointer. */
  readonly unneeded = new FileQueue(this.#moved);
  readonly holds = new FileHolds();
  /** Ids of the clusters to which foreign files belong; the first one has number 1. */
  #origins: readonly string[] = [];
  #deadBytes = 0;
  readonly #levels = Array.from({ length: levelCount }, () => ({ files: 0, bytes: 0, liveBytes: 0 }));
  /** By level, for `countPointers`. */
  readonly #addedBytes = new Float64Array(levelCount);
  /** The id that is searched for. */
  readonly #wantedWords = new Uint32Array(4);
  readonly #wanted = Buffer.from(this.#wantedWords.buffer);

  /** Number of referenced files. */
  get count(): number {
    return this.#levels.reduce((sum, { files }) => sum + files, 0);
  }

  /** Number of slots ever needed at the same time. */
  get slotCount(): number {
    return this.#slotCount;
  }

  get deadBytes(): number {
    return this.#deadBytes;
  }

  /** Totals by level, up to the highest one that has files. */
  levels(): LevelTotals[] {
    const highest = this.#levels.findLastIndex(({ files }) => files > 0);
    return this.#levels.slice(0, highest + 1).map((level) => ({ ...level }));
  }

  /**
   * Returns the slot of a file that is about to get a pointer. A file that was dead is referenced again: only journals
   * of releases that did not know dead files commit one.
   */
  add(fileId: string, fileBytes: number): number {
    this.#wanted.write(fileId, 0, 16, 'hex');
    return this.#addWanted(fileBytes);
  }

  /** Like `add`, for an id that is 16 bytes of a buffer. */
  addFrom(source: Buffer, sourceStart: number, fileBytes: number): number {
    source.copy(this.#wanted, 0, sourceStart, sourceStart + 16);
    return this.#addWanted(fileBytes);
  }

  countPointer(slot: number, byteLength: number): void {
    this.#slabs[slot >>> slabShift]!.pointerCount[slot & slabMask]!++;
    this.addLiveBytes(slot, byteLength);
  }

  /** Counts pointers that are columns, without markers: those of a clone, of which there may be a million. */
  countPointers(fileSlots: Uint32Array, byteLengths: Uint32Array, start: number, end: number): void {
    const levels = this.#addedBytes.fill(0);
    for (let row = start; row < end; row++) {
      const slot = fileSlots[row]!;
      if (slot === markerFileSlot) continue;
      const slab = this.#slabs[slot >>> slabShift]!;
      const position = slot & slabMask;
      const byteLength = byteLengths[row]!;
      slab.pointerCount[position]!++;
      slab.liveBytes[position]! += byteLength;
      levels[levelOf(slab, position)]! += byteLength;
    }
    for (let level = 0; level < levelCount; level++) this.#levels[level]!.liveBytes += levels[level]!;
  }

  /** A pointer was extended. */
  addLiveBytes(slot: number, byteLength: number): void {
    const slab = this.#slabs[slot >>> slabShift]!;
    slab.liveBytes[slot & slabMask]! += byteLength;
    this.#levels[levelOf(slab, slot & slabMask)]!.liveBytes += byteLength;
  }

  /** Releases a pointer. A file without pointers is dead. */
  discountPointer(slot: number, byteLength: number, nowMs: number): void {
    const slab = this.#slabs[slot >>> slabShift]!;
    this.addLiveBytes(slot, -byteLength);
    if (--slab.pointerCount[slot & slabMask]! === 0) this.#die(slot, nowMs);
  }

  /** Declares a file dead that the table does not know. Returns false if it knows the file. */
  addDead(fileId: string, fileBytes: number, deadMs: number): boolean {
    if (this.slotOf(fileId) !== noSlot) return false;
    this.#pushDead(this.#allocate(fileBytes), deadMs);
    return true;
  }

  stateOf(fileId: string): FileState {
    const slot = this.slotOf(fileId);
    return slot === noSlot ? 'unknown' : fileStateNames[this.#stateOf(slot)]!;
  }

  isDead(fileId: string): boolean {
    const slot = this.slotOf(fileId);
    return slot !== noSlot && this.#stateOf(slot) === fileState.dead;
  }

  /** Returns the slot of a referenced, dead or deleted file; -1 if there is none. */
  slotOf(fileId: string): number {
    this.#wanted.write(fileId, 0, 16, 'hex');
    return this.#findWanted();
  }

  /**
   * The file has been deleted from the bucket. Its id is remembered as long as it could be committed: by its own time
   * if it is of level 0, else from now on, because a compaction may have been planned a moment ago (F7). Returns
   * whether the file was dead.
   */
  forgetDead(fileId: string, committableFromMs: number, nowMs: number): boolean {
    const slot = this.slotOf(fileId);
    if (slot === noSlot || this.#stateOf(slot) !== fileState.dead) return false;
    this.#leaveDead(slot);
    const isRemembered = fileIdLevel(fileId) > 0 || isCommittable(fileId, committableFromMs);
    if (isRemembered) this.#pushDeleted(slot, nowMs);
    else this.#free(slot);
    return true;
  }

  /** Restores a deleted file whose id is still remembered. */
  addDeleted(fileId: string, fileBytes: number, deletedMs: number): void {
    if (this.slotOf(fileId) === noSlot) this.#pushDeleted(this.#allocate(fileBytes), deletedMs);
  }

  /** Forgets deleted files that can no longer be committed. */
  forgetDeleted(committableFromMs: number, nowMs: number): void {
    for (let oldest = this.deleted.oldest(); oldest !== undefined; oldest = this.deleted.oldest()) {
      const [slot, deletedMs] = oldest;
      if (deletedMs >= committableFromMs) return;
      // A file that an agent with a fast clock named is queued again, behind the others.
      this.deleted.remove(this.#slabs[slot >>> slabShift]!.pointerCount[slot & slabMask]!);
      if (isCommittable(this.fileId(slot), committableFromMs)) this.#pushDeleted(slot, nowMs);
      else this.#free(slot);
    }
  }

  /** Returns files that died before a time and may be forgotten, the first to die first. */
  deadFiles(deadBeforeMs: number, limit: number, mayForget = (_fileId: string) => true): DeadFile[] {
    const found: DeadFile[] = [];
    for (const [slot, deadMs] of this.dead.oldestFirst()) {
      if (found.length >= limit || deadMs >= deadBeforeMs) break;
      const fileId = this.fileId(slot);
      if (mayForget(fileId)) found.push({ fileId, fileBytes: this.fileBytes(slot), deadMs });
    }
    return found;
  }

  /** Returns foreign files that lost their last pointer before a time, the first one first. */
  unneededFiles(beforeMs: number, limit: number): string[] {
    const found: string[] = [];
    for (const [slot, atMs] of this.unneeded.oldestFirst()) {
      if (found.length >= limit || atMs >= beforeMs) break;
      found.push(this.fileId(slot));
    }
    return found;
  }

  isUnneeded(fileId: string): boolean {
    const slot = this.slotOf(fileId);
    return slot !== noSlot && this.#stateOf(slot) === fileState.unneeded;
  }

  /** That was reported to the cluster that was cloned. Returns whether the file was unneeded. */
  forgetUnneeded(fileId: string): boolean {
    const slot = this.slotOf(fileId);
    if (slot === noSlot || this.#stateOf(slot) !== fileState.unneeded) return false;
    this.#leaveQueue(slot);
    this.#free(slot);
    return true;
  }

  /** Holds all referenced files. */
  holdReferenced({ slots }: FileHold): void {
    for (let slot = 0; slot < this.#slotCount; slot++) if (this.isReferenced(slot)) slots.add(slot);
  }

  /** Whether a file can be held: it is not deleted, as far as the table remembers. */
  isHoldable(fileId: string): boolean {
    const slot = this.slotOf(fileId);
    return slot === noSlot || this.#stateOf(slot) !== fileState.deleted;
  }

  /** Holds a file, which may be dead or unknown. A deleted one cannot be held. */
  hold({ slots }: FileHold, fileId: string, fileBytes: number): void {
    let slot = this.slotOf(fileId);
    if (slot === noSlot) {
      slot = this.#allocate(fileBytes);
      this.#slabs[slot >>> slabShift]!.state[slot & slabMask] = fileState.held;
    }
    const state = this.#stateOf(slot);
    if (state === fileState.deleted) return;
    if (state === fileState.dead || state === fileState.unneeded) {
      this.#leaveQueue(slot);
      this.#slabs[slot >>> slabShift]!.state[slot & slabMask] = fileState.held;
    }
    slots.add(slot);
  }

  isHeldBy({ slots }: FileHold, fileId: string): boolean {
    const slot = this.slotOf(fileId);
    return slot !== noSlot && slots.has(slot);
  }

  /** A clone does not need the file any more. Returns whether it was held. */
  release({ slots }: FileHold, fileId: string, nowMs: number): boolean {
    const slot = this.slotOf(fileId);
    if (slot === noSlot || !slots.delete(slot)) return false;
    this.#endHold(slot, nowMs);
    return true;
  }

  /** A clone needs nothing any more. */
  endHold({ cloneId, slots }: FileHold, nowMs: number): void {
    this.holds.end(cloneId);
    for (const slot of slots) this.#endHold(slot, nowMs);
  }

  /** The number of the origin of a file, from 1; 0 if it is a file of this cluster. */
  originNumber(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.origin?.[slot & slabMask] ?? 0;
  }

  get origins(): readonly string[] {
    return this.#origins;
  }

  setOrigins(origins: readonly string[]): void {
    this.#origins = origins;
  }

  setOrigin(slot: number, number: number): void {
    const slab = this.#slabs[slot >>> slabShift]!;
    slab.origin ??= new Uint8Array(slabFiles);
    slab.origin[slot & slabMask] = number;
  }

  /** Restores an unneeded file. */
  addUnneeded(fileId: string, fileBytes: number, atMs: number, origin: number): void {
    if (this.slotOf(fileId) !== noSlot) return;
    const slot = this.#allocate(fileBytes);
    this.setOrigin(slot, origin);
    this.#pushUnneeded(slot, atMs);
  }

  /** Becomes the table of a clone: referenced files stay and belong to the cluster that was cloned, others go. */
  becomeClone(sourceId: string): void {
    this.#origins = [...this.#origins, sourceId];
    for (const { cloneId } of this.holds.all()) this.holds.end(cloneId);
    for (let slot = 0; slot < this.#slotCount; slot++) {
      const state = this.#stateOf(slot);
      if (state === fileState.free) continue;
      if (state === fileState.referenced) {
        if (this.originNumber(slot) === 0) this.setOrigin(slot, this.#origins.length);
        continue;
      }
      if (state !== fileState.held) this.#leaveQueue(slot);
      this.#free(slot);
    }
  }

  /** From now on, freed slots retain their content for a capture that still reads it. */
  keepFreed(): void {
    this.#retainedSlots ??= [];
  }

  /** Frees the retained slots: the capture has ended. */
  releaseFreed(): void {
    for (const slot of this.#retainedSlots ?? []) this.#makeFree(slot);
    this.#retainedSlots = undefined;
  }

  fileId(slot: number): string {
    const start = 16 * (slot & slabMask);
    return this.#slabs[slot >>> slabShift]!.ids.toString('hex', start, start + 16);
  }

  /** How pointers name the file. */
  reference(slot: number): string {
    const origin = this.originNumber(slot);
    return origin === 0 ? this.fileId(slot) : fileReference(this.fileId(slot), this.#origins[origin - 1]);
  }

  copyFileId(slot: number, target: Buffer, targetStart: number): void {
    const start = 16 * (slot & slabMask);
    this.#slabs[slot >>> slabShift]!.ids.copy(target, targetStart, start, start + 16);
  }

  /** The last byte of the id. */
  lastByte(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.ids[16 * (slot & slabMask) + 15]!;
  }

  /** The last byte of the id, which is random. */
  lastIdByte(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.ids[16 * (slot & slabMask) + 15]!;
  }

  fileBytes(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.fileBytes[slot & slabMask]!;
  }

  liveBytes(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.liveBytes[slot & slabMask]!;
  }

  pointerCount(slot: number): number {
    return this.isReferenced(slot) ? this.#slabs[slot >>> slabShift]!.pointerCount[slot & slabMask]! : 0;
  }

  level(slot: number): number {
    return levelOf(this.#slabs[slot >>> slabShift]!, slot & slabMask);
  }

  /** As `fileIdTimeMs`. */
  timeMs(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.ids.readUIntBE(16 * (slot & slabMask), 6);
  }

  isReferenced(slot: number): boolean {
    return this.#stateOf(slot) === fileState.referenced;
  }

  #stateOf(slot: number): number {
    return this.#slabs[slot >>> slabShift]!.state[slot & slabMask]!;
  }

  #addWanted(fileBytes: number): number {
    const known = this.#findWanted();
    if (known !== noSlot && this.isReferenced(known)) return known;
    if (known !== noSlot) this.#leaveQueue(known);
    const slot = known === noSlot ? this.#allocate(fileBytes) : known;
    const slab = this.#slabs[slot >>> slabShift]!;
    const position = slot & slabMask;
    slab.state[position] = fileState.referenced;
    slab.pointerCount[position] = 0;
    const level = this.#levels[levelOf(slab, position)]!;
    level.files++;
    level.bytes += slab.fileBytes[position]!;
    return slot;
  }

  #findWanted(): number {
    const wanted = this.#wantedWords;
    return this.#index.find(hashOfWords(wanted, 0), (slot) => {
      const { idWords } = this.#slabs[slot >>> slabShift]!;
      const at = 4 * (slot & slabMask);
      return (
        idWords[at + 3] === wanted[3] &&
        idWords[at] === wanted[0] &&
        idWords[at + 1] === wanted[1] &&
        idWords[at + 2] === wanted[2]
      );
    });
  }

  #die(slot: number, nowMs: number): void {
    const slab = this.#slabs[slot >>> slabShift]!;
    const level = this.#levels[levelOf(slab, slot & slabMask)]!;
    level.files--;
    level.bytes -= slab.fileBytes[slot & slabMask]!;
    if (this.holds.isHeld(slot)) slab.state[slot & slabMask] = fileState.held;
    else this.#end(slot, nowMs);
  }

  #endHold(slot: number, nowMs: number): void {
    if (this.#stateOf(slot) === fileState.held && !this.holds.isHeld(slot)) this.#end(slot, nowMs);
  }

  /** Nothing needs the file: its cluster may delete it. */
  #end(slot: number, nowMs: number): void {
    if (this.originNumber(slot) === 0) this.#pushDead(slot, nowMs);
    else this.#pushUnneeded(slot, nowMs);
  }

  #pushUnneeded(slot: number, atMs: number): void {
    this.#slabs[slot >>> slabShift]!.state[slot & slabMask] = fileState.unneeded;
    this.unneeded.push(slot, atMs);
  }

  #pushDead(slot: number, deadMs: number): void {
    this.#slabs[slot >>> slabShift]!.state[slot & slabMask] = fileState.dead;
    this.#deadBytes += this.fileBytes(slot);
    this.dead.push(slot, deadMs);
  }

  #leaveDead(slot: number): void {
    this.#deadBytes -= this.fileBytes(slot);
    this.dead.remove(this.#slabs[slot >>> slabShift]!.pointerCount[slot & slabMask]!);
  }

  #pushDeleted(slot: number, deletedMs: number): void {
    this.#slabs[slot >>> slabShift]!.state[slot & slabMask] = fileState.deleted;
    this.deleted.push(slot, deletedMs);
  }

  #leaveQueue(slot: number): void {
    const state = this.#stateOf(slot);
    const position = this.#slabs[slot >>> slabShift]!.pointerCount[slot & slabMask]!;
    if (state === fileState.dead) this.#leaveDead(slot);
    else if (state === fileState.deleted) this.deleted.remove(position);
    else if (state === fileState.unneeded) this.unneeded.remove(position);
  }

  #free(slot: number): void {
    this.#index.remove(slot);
    this.#slabs[slot >>> slabShift]!.state[slot & slabMask] = fileState.free;
    if (this.#retainedSlots === undefined) this.#makeFree(slot);
    else this.#retainedSlots.push(slot);
  }

  #makeFree(slot: number): void {
    if (this.originNumber(slot) !== 0) this.setOrigin(slot, 0);
    this.#freeSlots.push(slot);
  }

  /** Allocates a slot for the wanted id. */
  #allocate(fileBytes: number): number {
    let slot = this.#freeSlots.pop();
    if (slot === undefined) {
      slot = this.#slotCount++;
      if ((slot & slabMask) === 0) this.#slabs.push(new Slab());
    }
    const slab = this.#slabs[slot >>> slabShift]!;
    const position = slot & slabMask;
    slab.idWords.set(this.#wantedWords, 4 * position);
    slab.fileBytes[position] = fileBytes;
    slab.liveBytes[position] = 0;
    this.#index.add(slot);
    return slot;
  }
}

/** As `fileIdLevel`: the upper half of byte 6, without its highest bit. */
function levelOf({ ids }: Slab, position: number): number {
  return (ids[16 * position + 6]! >>> 4) & fileIdLevelMax;
}

function isCommittable(fileId: string, committableFromMs: number): boolean {
  return fileIdLevel(fileId) === 0 && fileIdTimeMs(fileId) >= committableFromMs;
}
