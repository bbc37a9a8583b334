import { ProcessLocks } from './process-locks.ts';
import { SqliteBridge } from './sqlite-bridge.ts';
import type { SqliteMethod } from './sqlite-call.ts';
import type { Chunk, Head, JournalTables, LeaseToRenew, MemberRow, SnapshotRow } from './tables.ts';

/**
 * Journals in a SQLite file. The calls cross into the thread of sqlite-worker.ts. Memory that a caller allocated for
 * the call (`Buffer<ArrayBuffer>` of its own) is transferred there; results are small or come from SQLite and are
 * copied once.
 *
 * Processes on one machine may share the file. They notice each other by polling.
 */
export class SqliteTables implements JournalTables {
  readonly #bridge: SqliteBridge;
  readonly #slots: ProcessLocks;

  constructor(path: string) {
    this.#slots = new ProcessLocks(path);
    const worker = new URL(import.meta.resolve('./sqlite-worker.ts'));
    this.#bridge = new SqliteBridge({ worker, path, label: 'journal' });
  }

  heads(clusterIds: readonly string[]): Promise<Head[]> {
    return this.#call('heads', [clusterIds]);
  }

  append(
    clusterId: string,
    epoch: number,
    firstPosition: number,
    count: number,
    packed: Buffer<ArrayBuffer>,
  ): Promise<boolean> {
    return this.#call('append', [clusterId, epoch, firstPosition, count, packed], packed);
  }

  chunks(clusterId: string, fromPosition: number, bytesMax: number): Promise<Chunk[]> {
    return this.#call('chunks', [clusterId, fromPosition, bytesMax]);
  }

  chunkAt(clusterId: string, firstPosition: number): Promise<{ epoch: number; count: number } | undefined> {
    return this.#call('chunkAt', [clusterId, firstPosition]);
  }

  takeLease(
    clusterId: string,
    epoch: number,
    renewal: number,
    holderId: string,
    holderUrl: string,
    ttlMs: number,
  ): Promise<boolean> {
    return this.#call('takeLease', [clusterId, epoch, renewal, holderId, holderUrl, ttlMs]);
  }

  renewLeases(leases: readonly LeaseToRenew[]): Promise<boolean[]> {
    return this.#call('renewLeases', [leases]);
  }

  releaseLease(clusterId: string, epoch: number): Promise<void> {
    return this.#call('releaseLease', [clusterId, epoch]);
  }

  beginSnapshot(clusterId: string, position: number): Promise<number> {
    return this.#call('beginSnapshot', [clusterId, position]);
  }

  addSlice(snapshotId: number, index: number, bytes: Buffer<ArrayBuffer>): Promise<void> {
    return this.#call('addSlice', [snapshotId, index, bytes], bytes);
  }

  finishSnapshot(snapshotId: number, sliceCount: number, bytes: number): Promise<void> {
    return this.#call('finishSnapshot', [snapshotId, sliceCount, bytes]);
  }

  snapshots(clusterId: string): Promise<SnapshotRow[]> {
    return this.#call('snapshots', [clusterId]);
  }

  slice(snapshotId: number, index: number): Promise<Uint8Array> {
    return this.#call('slice', [snapshotId, index]);
  }

  prune(
    clusterId: string,
    snapshotIdMin: number,
    retainedSnapshotId: number,
    position: number,
  ): Promise<boolean> {
    return this.#call('prune', [clusterId, snapshotIdMin, retainedSnapshotId, position]);
  }

  hasClusters(): Promise<boolean> {
    return this.#call('hasClusters', []);
  }

  removeCluster(clusterId: string): Promise<void> {
    return this.#call('removeCluster', [clusterId]);
  }

  putNote(clusterId: string, epoch: number, note: Buffer<ArrayBuffer>): Promise<void> {
    return this.#call('putNote', [clusterId, epoch, note], note);
  }

  note(clusterId: string): Promise<Uint8Array | undefined> {
    return this.#call('note', [clusterId]);
  }

  beat(memberId: string, url: string): Promise<void> {
    return this.#call('beat', [memberId, url]);
  }

  beats(): Promise<MemberRow[]> {
    return this.#call('beats', []);
  }

  removeMember(memberId: string, beat: number | null): Promise<void> {
    return this.#call('removeMember', [memberId, beat]);
  }

  processId(): string {
    return this.#slots.claim();
  }

  isGone(processId: string): boolean {
    return this.#slots.isGone(processId);
  }

  notify(): void {}

  listen(): void {}

  close(): Promise<void> {
    this.#slots.release();
    return this.#bridge.close();
  }

  #call<Result>(
    method: SqliteMethod,
    args: readonly unknown[],
    transferred?: Buffer<ArrayBuffer>,
  ): Promise<Result> {
    return this.#bridge.call({ method, args }, transferred);
  }
}
