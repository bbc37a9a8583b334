import { Worker } from 'node:worker_threads';
import { ProcessLocks } from './process-locks.ts';
import type { Chunk, Head, JournalTables, LeaseToRenew, MemberRow, SnapshotRow } from './tables.ts';

export interface SqliteCall {
  readonly id: number;
  readonly method: Exclude<
    keyof JournalTables,
    'tell' | 'listen' | 'check' | 'close' | 'processId' | 'isGone'
  >;
  readonly args: readonly unknown[];
}

export interface SqliteReply {
  readonly id: number;
  readonly result?: unknown;
  readonly problem?: string;
}

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/**
 * Journals in a SQLite file. The calls cross into the thread of sqlite-worker.ts. Memory that a caller made for the call
 * (`Buffer<ArrayBuffer>` of its own) is transferred there; what comes back is small or comes from SQLite and is copied once.
 *
 * Processes on one machine may share the file. They hear of each other by polling.
 */
export class SqliteTables implements JournalTables {
  readonly #worker: Worker;
  readonly #slots: ProcessLocks;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #failure: Error | undefined;

  constructor(path: string) {
    this.#slots = new ProcessLocks(path);
    this.#worker = new Worker(new URL(import.meta.resolve('./sqlite-worker.ts')), { workerData: { path } });
    this.#worker.on('message', (reply: SqliteReply) => this.#onReply(reply));
    this.#worker.on('error', (error) => this.#fail(new Error(`journal: ${path}: ${error.message}`)));
    this.#worker.on('exit', () => this.#fail(new Error(`journal: ${path}: it was closed`)));
    // The process lives as long as somebody waits for an answer, not as long as the thread does.
    this.#worker.unref();
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
    keptSnapshotId: number,
    position: number,
  ): Promise<boolean> {
    return this.#call('prune', [clusterId, snapshotIdMin, keptSnapshotId, position]);
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

  tell(): void {}

  listen(): void {}

  close(): Promise<void> {
    this.#slots.release();
    if (this.#failure !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      this.#worker.ref();
      this.#worker.once('exit', () => resolve());
      this.#worker.postMessage('close');
    });
  }

  #call<Result>(
    method: SqliteCall['method'],
    args: readonly unknown[],
    handedOver?: Buffer<ArrayBuffer>,
  ): Promise<Result> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const call: SqliteCall = { id: ++this.#lastId, method, args };
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(call.id, { resolve: resolve as (result: unknown) => void, reject });
      this.#worker.postMessage(call, handedOver === undefined ? [] : [handedOver.buffer]);
    });
  }

  #onReply({ id, result, problem }: SqliteReply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (problem === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(`journal: SQLite: ${problem}`));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}
