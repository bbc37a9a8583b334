import type { Clock } from '@weir/core';
import { linkedAbort } from '../store/abort.ts';
import type { CallOptions, ObjectUpload } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import { writeQuorum } from './quorum.ts';
import { quorumError } from './quorum-put.ts';
import type { Replica } from './replica.ts';

interface QuorumUploadOptions {
  readonly key: string;
  readonly bucketCount: number;
  readonly clock: Clock;
  /** Called for each bucket that does not have the object when it is finished. */
  readonly onMissed: (replica: Replica, key: string) => void;
}

/** How long the last buckets may take when a quorum has answered. No client waits for an upload in parts. */
const patienceMs = 10_000;

/**
 * An upload in parts to several buckets. A bucket that fails a part, or is much slower than the others, is left out
 * from there on and misses the object; the upload fails when fewer than a quorum are left. Each call ends when no
 * bucket uses its slices any more.
 */
export class QuorumUpload implements ObjectUpload {
  readonly #options: QuorumUploadOptions;
  readonly #members = new Map<Replica, ObjectUpload>();
  readonly #quorum: number;
  /** Buckets without the upload, which miss the object. */
  readonly #leftOut: readonly Replica[];

  private constructor(options: QuorumUploadOptions, leftOut: readonly Replica[]) {
    this.#options = options;
    this.#quorum = writeQuorum(options.bucketCount);
    this.#leftOut = leftOut;
  }

  static async begin(
    replicas: readonly Replica[],
    options: QuorumUploadOptions,
    call: CallOptions = {},
  ): Promise<QuorumUpload> {
    const candidates = new Map(replicas.map((replica) => [replica, undefined]));
    const upload = new QuorumUpload(options, replicas);
    const begun = await upload.#all(candidates, call, async ({ store }, _, signal) =>
      store.beginUpload(options.key, { signal }),
    );
    for (const [replica, member] of begun) upload.#members.set(replica, member);
    return upload;
  }

  async putPart(index: number, content: readonly Uint8Array[], call: CallOptions = {}): Promise<void> {
    await this.#all(this.#members, call, (_, member, signal) => member.putPart(index, content, { signal }));
  }

  async finish(partCount: number, call: CallOptions = {}): Promise<void> {
    const { key, onMissed } = this.#options;
    const finished = await this.#all(this.#members, call, (_, member, signal) =>
      member.finish(partCount, { signal }),
    );
    for (const replica of this.#leftOut) if (!finished.has(replica)) onMissed(replica, key);
  }

  async abort(call: CallOptions = {}): Promise<void> {
    const results = await Promise.allSettled([...this.#members.values()].map((member) => member.abort(call)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Calls all buckets that are left. One that fails while a quorum does not is left out. */
  async #all<Member, Result>(
    members: ReadonlyMap<Replica, Member>,
    { signal }: CallOptions,
    call: (replica: Replica, member: Member, signal: AbortSignal) => Promise<Result>,
  ): Promise<ReadonlyMap<Replica, Result>> {
    signal?.throwIfAborted();
    const { clock, key, bucketCount } = this.#options;
    const abort = linkedAbort(signal);
    const done = new Map<Replica, Result>();
    const failed = new Map<Replica, unknown>();
    let cancel = () => {};
    await Promise.all(
      [...members].map(async ([replica, member]) => {
        try {
          done.set(replica, await call(replica, member, abort.signal));
          if (done.size !== this.#quorum) return;
          cancel = clock.after(patienceMs, () =>
            abort.abort(new StoreError('timeout', key, 'the other buckets answered long before')),
          );
        } catch (error) {
          failed.set(replica, error);
        }
      }),
    );
    cancel();
    abort.release();
    signal?.throwIfAborted();
    const errors = [...failed.values()];
    // The request is wrong, and the upload as it was.
    const invalid = errors.find((error) => error instanceof StoreError && error.kind === 'invalid');
    if (invalid !== undefined) throw invalid;
    if (done.size < this.#quorum) throw quorumError({ key, errors, bucketCount, quorum: this.#quorum });
    for (const replica of failed.keys()) {
      void this.#members
        .get(replica)
        ?.abort()
        .catch(() => {});
      this.#members.delete(replica);
    }
    return done;
  }
}
