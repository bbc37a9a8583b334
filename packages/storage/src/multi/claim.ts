import { createHash } from 'node:crypto';
import { type Clock, jitteredBackOffMs, type Random } from '@weir/core';
import { infoOf, unlessMissing } from '../composite/missing-objects.ts';
import { linkedAbort, pause } from '../store/abort.ts';
import type { ObjectInfo } from '../store/object-store.ts';
import { StoreError } from '../store/store-error.ts';
import type { AnyReads } from './any-read.ts';
import { readQuorum, writeQuorum } from './quorum.ts';
import { quorumError } from './quorum-put.ts';
import type { Replica } from './replica.ts';
import { wholeRange } from './whole-range.ts';

/** Votes are below this prefix in every bucket. The store shows nothing of it. */
export const votesPrefix = 'service_multi/votes/';

/** A call that takes longer fails; its effect may still happen. */
const claimMsMax = 30_000;

/** Votes of calls that began before this are void: the call has ended, or its process. */
const votesMsMax = 2 * claimMsMax;

const roundsMax = 1_000;

/** How long the last buckets may take when enough have answered. */
const patienceMs = 250;

interface ClaimOptions {
  readonly replicas: readonly Replica[];
  readonly reads: AnyReads;
  readonly clock: Clock;
  readonly random: Random;
  /** Called for each bucket that does not have an object which was acknowledged. */
  readonly onMissed: (replica: Replica, key: string) => void;
}

/** A vote: the process that gave it, and the writer whose content it is for. */
interface Vote {
  readonly voter: string;
  readonly writer: string;
  /** Of second votes: the voter saw no first vote for another writer. */
  readonly isSure: boolean;
}

/**
 * `putIfAbsent` over several buckets. Each bucket alone gives a key to one writer, but of several writers each could
 * get it in a minority of the buckets. So writers agree on one of them before any content is stored under the key.
 *
 * They agree in rounds. A vote is an object of a majority of the buckets, and votes are counted by listing a majority,
 * so that a count has every vote that was complete before it began. In a round a writer
 *
 * 1. votes for a candidate, and counts the first votes;
 * 2. votes again: *surely* if all first votes were for this candidate; and counts the second votes.
 *
 * If all second votes are sure, the candidate is decided. Otherwise the candidate of the next round is that of a sure
 * vote if there is one, and else the smallest of those with first votes.
 *
 * No two sure votes of a round differ: of two writers the one whose first vote was complete later has counted that of
 * the other. If one writer decides, every other one has counted its sure vote, or its own second vote was counted and
 * was sure; either way it goes on with the same candidate. A writer that is alone in a round decides, so that a crashed
 * one blocks no other.
 *
 * A writer that learns the decision stores the content, with the `putIfAbsent` of each bucket, in a majority. This last
 * step holds alone what matters most, even if votes are removed too early by a clock that is wrong: two contents cannot
 * both be in a majority of the buckets. Votes are removed when the object is stored.
 */
export class Claim {
  readonly #options: ClaimOptions;
  readonly #key: string;
  readonly #folder: string;
  readonly #content: readonly Uint8Array[];
  readonly #signal: AbortSignal;
  readonly #writer: string;
  readonly #voidBeforeMs: number;

  constructor(options: ClaimOptions, key: string, content: readonly Uint8Array[], signal: AbortSignal) {
    this.#options = options;
    this.#key = key;
    this.#content = content;
    this.#signal = signal;
    this.#folder = `${votesPrefix}${createHash('sha256').update(key).digest('hex')}/`;
    const { clock, random } = options;
    const nowMs = Math.floor(clock.nowMs());
    this.#voidBeforeMs = nowMs - votesMsMax;
    const digits = Array.from({ length: 4 }, () => random.below(2 ** 32).toString(36)).join('');
    this.#writer = `${nowMs.toString(36)}-${digits}`;
  }

  async run(): Promise<boolean> {
    if (await this.#exists()) return false;
    // Stored before the first vote for it, so that others can store it under the key.
    await this.#putAll(`${this.#folder}contents/${this.#writer}`, this.#content);
    const winner = await this.#agree();
    const isStored = winner !== undefined && (await this.#store(winner));
    await this.#removeVotes();
    // Another writer may have stored the content of this one.
    return isStored ? winner === this.#writer : await this.#isOwn();
  }

  /** Returns the writer whose content is stored; `undefined` if there is an object by now. */
  async #agree(): Promise<string | undefined> {
    const { clock, random } = this.#options;
    const endMs = clock.monotonicMs() + claimMsMax;
    let candidate = this.#writer;
    for (let round = 0; round < roundsMax && clock.monotonicMs() < endMs; round++) {
      const first = await this.#vote(round, 1, candidate, false);
      const isSure = first.every(({ writer }) => writer === candidate);
      const second = await this.#vote(round, 2, candidate, isSure);
      const sure = second.find((vote) => vote.isSure);
      if (sure !== undefined && second.every((vote) => vote.isSure)) return sure.writer;
      // Its votes may have been removed meanwhile.
      if (await this.#exists()) return undefined;
      candidate = sure?.writer ?? first.map(({ writer }) => writer).sort()[0]!;
      const delayMs = jitteredBackOffMs(round, { firstMs: 5, maxMs: 500, jitter: 'half' }, random);
      if (round > 1) await pause(clock, delayMs, this.#signal);
    }
    throw new StoreError('unavailable', this.#key, 'other writers of this key were in the way for too long');
  }

  /** Votes, and returns all votes of this kind in this round. */
  async #vote(round: number, kind: 1 | 2, writer: string, isSure: boolean): Promise<readonly Vote[]> {
    const folder = `${this.#folder}${String(round).padStart(4, '0')}/${kind}/`;
    await this.#putAll(`${folder}${this.#writer}.${writer}.${isSure ? 'sure' : 'open'}`, []);
    const votes = new Map<string, Vote>();
    for (const { key } of await this.#listEnough(folder)) {
      const [voter = '', writer = '', sureness] = key.slice(folder.length).split('.');
      if (timeOf(voter) >= this.#voidBeforeMs) votes.set(key, { voter, writer, isSure: sureness === 'sure' });
    }
    return [...votes.values()];
  }

  /** Whether the object has the content of this writer. */
  async #isOwn(): Promise<boolean> {
    const found = await this.#readWhole(this.#options.reads, this.#key);
    return found?.equals(Buffer.concat(this.#content)) === true;
  }

  /** Stores the content of the writer under the key. Returns whether it did. */
  async #store(writer: string): Promise<boolean> {
    const { replicas, reads, onMissed } = this.#options;
    if (await this.#exists()) return false;
    const content =
      writer === this.#writer
        ? this.#content
        : await this.#readWhole(reads, `${this.#folder}contents/${writer}`).then((found) => found && [found]);
    // The writer removed it, so its object is stored, or was and is deleted.
    if (content === undefined) return false;
    const whole = Buffer.concat(content);
    const results = await this.#everywhere(async ({ store }, signal) => {
      if (await store.putIfAbsent(this.#key, content, { signal })) return 'new' as const;
      const found = await store.getRange(this.#key, 0, whole.length + 1, { signal });
      return found.equals(whole) ? ('same' as const) : ('other' as const);
    }, writeQuorum(replicas.length));
    const isStored =
      results.filter(({ value }) => value === 'new' || value === 'same').length >=
      writeQuorum(replicas.length);
    for (const { replica, value } of results) {
      if (isStored && value === undefined) onMissed(replica, this.#key);
      // The copies of a content that lost would be in the way of the other.
      if (!isStored && value === 'new') await replica.store.delete(this.#key).catch(() => {});
    }
    return isStored;
  }

  async #readWhole(reads: AnyReads, key: string): Promise<Buffer | undefined> {
    const readOne = async ({ store }: Replica, signal: AbortSignal) => {
      const { bytes } = await infoOf(store, key, signal);
      return await wholeRange(store, key, 0, bytes, signal);
    };
    return await unlessMissing(reads.read(key, readOne, { signal: this.#signal }));
  }

  async #exists(): Promise<boolean> {
    const { replicas } = this.#options;
    const found = await this.#everywhere(
      ({ store }, signal) => store.head(this.#key, { signal }),
      readQuorum(replicas.length),
    );
    return found.some(({ value }) => value !== undefined);
  }

  async #putAll(key: string, content: readonly Uint8Array[]): Promise<void> {
    const { replicas } = this.#options;
    const put = ({ store }: Replica, signal: AbortSignal) => store.put(key, content, { signal });
    await this.#everywhere(put, writeQuorum(replicas.length));
  }

  async #listEnough(prefix: string): Promise<readonly ObjectInfo[]> {
    const { replicas } = this.#options;
    const list = async ({ store }: Replica, signal: AbortSignal) =>
      (await Array.fromAsync(store.list(prefix, { signal }))).flat();
    const listed = await this.#everywhere(list, readQuorum(replicas.length));
    return listed.flatMap(({ value }) => value ?? []);
  }

  /**
   * Calls all buckets, and fails unless `answersMin` of them answer. The rest gets a little more time. No call goes on
   * when this returns.
   */
  async #everywhere<Value>(
    call: (replica: Replica, signal: AbortSignal) => Promise<Value>,
    answersMin: number,
  ): Promise<readonly { readonly replica: Replica; readonly value: Value | undefined }[]> {
    const { replicas, clock } = this.#options;
    const errors: unknown[] = [];
    const abort = linkedAbort(this.#signal);
    let answers = 0;
    let cancel = () => {};
    const results = await Promise.all(
      replicas.map(async (replica) => {
        try {
          const value = await call(replica, abort.signal);
          if (++answers === answersMin)
            cancel = clock.after(patienceMs, () => abort.abort(new Error('enough buckets answered')));
          return { replica, value };
        } catch (error) {
          errors.push(error);
          return { replica, value: undefined };
        }
      }),
    );
    cancel();
    abort.release();
    this.#signal.throwIfAborted();
    if (answers < answersMin)
      throw quorumError({ key: this.#key, errors, bucketCount: replicas.length, quorum: answersMin });
    return results;
  }

  /** They are small, and void after a while. What is left lies below a prefix of this key. */
  async #removeVotes(): Promise<void> {
    const remove = async ({ store }: Replica, signal: AbortSignal) => {
      for await (const page of store.list(this.#folder, { signal })) {
        await store.deleteMany(
          page.map(({ key }) => key),
          { signal },
        );
      }
    };
    await this.#everywhere(remove, writeQuorum(this.#options.replicas.length)).catch(() => {});
  }
}

function timeOf(writer: string): number {
  return Number.parseInt(writer.split('-', 1)[0]!, 36);
}
