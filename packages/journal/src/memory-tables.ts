import type { SegmentMark } from './journal.ts';
import {
  type Chunk,
  type Head,
  type JournalTables,
  type LeaseTaking,
  type LeaseToRenew,
  type MemberRow,
  noHead,
  type SnapshotRow,
} from './tables.ts';

interface MemoryCluster {
  head: Head;
  chunks: (Chunk & { readonly epoch: number })[];
  note: Uint8Array | undefined;
}

interface MemorySnapshot {
  readonly id: number;
  readonly clusterId: string;
  readonly position: number;
  readonly slices: Uint8Array[];
  finished: boolean;
}

/**
 * Journals in memory, as durable as the process. Hubs that are opened with the same name share them, as they would a
 * server.
 */
export class MemoryDatabase {
  readonly clusters = new Map<string, MemoryCluster>();
  readonly snapshots = new Map<number, MemorySnapshot>();
  readonly members = new Map<string, MemberRow>();
  readonly listeners = new Set<(clusterId: string) => void>();
  segmentMark: SegmentMark | undefined;
  lastSnapshotId = 0;

  cluster(clusterId: string): MemoryCluster {
    let cluster = this.clusters.get(clusterId);
    if (cluster === undefined) {
      cluster = { head: noHead, chunks: [], note: undefined };
      this.clusters.set(clusterId, cluster);
    }
    return cluster;
  }
}

export class MemoryTables implements JournalTables {
  readonly #database: MemoryDatabase;
  #onNews: ((clusterId: string) => void) | undefined;

  constructor(database: MemoryDatabase) {
    this.#database = database;
  }

  async heads(clusterIds: readonly string[]): Promise<Head[]> {
    return clusterIds.map((clusterId) => this.#database.cluster(clusterId).head);
  }

  async append(clusterId: string, epoch: number, firstPosition: number, count: number, packed: Buffer) {
    const cluster = this.#database.cluster(clusterId);
    if (cluster.head.epoch !== epoch || cluster.head.nextPosition !== firstPosition) return false;
    cluster.head = { ...cluster.head, nextPosition: firstPosition + count };
    cluster.chunks.push({ firstPosition, count, epoch, packed });
    return true;
  }

  async chunks(clusterId: string, fromPosition: number, bytesMax: number): Promise<Chunk[]> {
    const { chunks } = this.#database.cluster(clusterId);
    const found: Chunk[] = [];
    let bytes = 0;
    for (let index = firstChunkBehind(chunks, fromPosition); index < chunks.length; index++) {
      const chunk = chunks[index]!;
      bytes += chunk.packed.length;
      if (found.length > 0 && bytes > bytesMax) break;
      found.push(chunk);
    }
    return found;
  }

  async chunkAt(clusterId: string, firstPosition: number) {
    const { chunks } = this.#database.cluster(clusterId);
    return chunks.find((chunk) => chunk.firstPosition === firstPosition);
  }

  async takeLease({ clusterId, epoch, renewal, holder, ttlMs }: LeaseTaking): Promise<boolean> {
    const cluster = this.#database.cluster(clusterId);
    if (cluster.head.epoch !== epoch || cluster.head.renewal !== renewal) return false;
    cluster.head = { ...cluster.head, epoch: epoch + 1, renewal: 0, holder, releasedBy: undefined, ttlMs };
    return true;
  }

  async renewLeases(leases: readonly LeaseToRenew[]): Promise<boolean[]> {
    return leases.map(({ clusterId, epoch }) => {
      const cluster = this.#database.cluster(clusterId);
      if (cluster.head.epoch !== epoch || cluster.head.holder === undefined) return false;
      cluster.head = { ...cluster.head, renewal: cluster.head.renewal + 1 };
      return true;
    });
  }

  async releaseLease(clusterId: string, epoch: number): Promise<void> {
    const cluster = this.#database.cluster(clusterId);
    if (cluster.head.epoch !== epoch) return;
    const releasedBy = cluster.head.holder?.id;
    cluster.head = { ...cluster.head, epoch: epoch + 1, holder: undefined, releasedBy };
  }

  async beginSnapshot(clusterId: string, position: number): Promise<number> {
    const id = ++this.#database.lastSnapshotId;
    this.#database.snapshots.set(id, { id, clusterId, position, slices: [], finished: false });
    return id;
  }

  async addSlice(snapshotId: number, index: number, bytes: Buffer): Promise<void> {
    const snapshot = this.#database.snapshots.get(snapshotId);
    if (snapshot !== undefined) snapshot.slices[index] = bytes;
  }

  async finishSnapshot(snapshotId: number): Promise<void> {
    const snapshot = this.#database.snapshots.get(snapshotId);
    if (snapshot !== undefined) snapshot.finished = true;
  }

  async snapshots(clusterId: string): Promise<SnapshotRow[]> {
    return [...this.#database.snapshots.values()]
      .filter((snapshot) => snapshot.clusterId === clusterId && snapshot.finished)
      .sort((a, b) => b.position - a.position || b.id - a.id)
      .map(({ id, position, slices }) => ({
        id,
        position,
        sliceCount: slices.length,
        bytes: slices.reduce((sum, slice) => sum + slice.length, 0),
      }));
  }

  async slice(snapshotId: number, index: number): Promise<Uint8Array> {
    return this.#database.snapshots.get(snapshotId)?.slices[index] ?? new Uint8Array();
  }

  async prune(clusterId: string, snapshotIdMin: number, retainedSnapshotId: number, position: number) {
    for (const snapshot of this.#database.snapshots.values()) {
      if (snapshot.clusterId !== clusterId) continue;
      if (snapshot.id < snapshotIdMin && snapshot.id !== retainedSnapshotId)
        this.#database.snapshots.delete(snapshot.id);
    }
    const cluster = this.#database.cluster(clusterId);
    cluster.chunks.splice(0, firstChunkBehind(cluster.chunks, position));
    return false;
  }

  async segmentMark(): Promise<SegmentMark | undefined> {
    return this.#database.segmentMark;
  }

  async setSegmentMark(mark: SegmentMark | undefined): Promise<void> {
    this.#database.segmentMark = mark;
  }

  async hasClusters(): Promise<boolean> {
    return this.#database.clusters.size > 0;
  }

  async removeCluster(clusterId: string): Promise<void> {
    this.#database.clusters.delete(clusterId);
  }

  async putNote(clusterId: string, epoch: number, note: Buffer): Promise<void> {
    const cluster = this.#database.cluster(clusterId);
    if (cluster.head.epoch === epoch) cluster.note = note;
  }

  async note(clusterId: string): Promise<Uint8Array | undefined> {
    return this.#database.cluster(clusterId).note;
  }

  async beat(id: string, url: string, region: string | undefined): Promise<void> {
    const { members } = this.#database;
    members.set(id, { id, url, beat: (members.get(id)?.beat ?? 0) + 1, region: region ?? null });
  }

  async beats(): Promise<MemberRow[]> {
    return [...this.#database.members.values()];
  }

  async removeMember(memberId: string, beat: number | null): Promise<void> {
    const { members } = this.#database;
    if (beat === null || members.get(memberId)?.beat === beat) members.delete(memberId);
  }

  notify(clusterId: string): void {
    for (const listener of this.#database.listeners) if (listener !== this.#onNews) listener(clusterId);
  }

  listen(onNews: (clusterId: string | undefined) => void): void {
    this.#onNews = onNews;
    this.#database.listeners.add(onNews);
  }

  async close(): Promise<void> {
    if (this.#onNews !== undefined) this.#database.listeners.delete(this.#onNews);
  }
}

/** The index of the first chunk that ends after the position. */
function firstChunkBehind(chunks: readonly Chunk[], position: number): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const { firstPosition, count } = chunks[middle]!;
    if (firstPosition + count <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
