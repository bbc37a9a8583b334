import { keptCopy } from '@weir/core';
/** An answer that was given, by the id of what was asked. */
export interface RecentReply {
  readonly id: string;
  /** The time of the entry that it came with. */
  readonly atMs: number;
  readonly reply: Buffer;
}

/**
 * Answers of late by the id of the question. Whoever did not hear an answer asks again under the same id, whichever process
 * leads by then, and must get the first answer and not a second deed. Entries are never changed, so that a snapshot can
 * take the list as it is and write it down later.
 */
export class RecentReplies {
  readonly #byId = new Map<string, RecentReply>();
  /** From the oldest on. A map alone would have to walk over what was deleted at its front. */
  readonly #order: RecentReply[] = [];
  #oldest = 0;
  #replyBytes = 0;

  get count(): number {
    return this.#byId.size;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  get(id: string): Buffer | undefined {
    return this.#byId.get(id)?.reply;
  }

  add(id: string, atMs: number, reply: Buffer): void {
    const recent = { id, atMs, reply: keptCopy(reply) };
    this.#byId.set(id, recent);
    this.#order.push(recent);
    this.#replyBytes += reply.length;
  }

  /** How many of the oldest have to go to make room for another answer. */
  countBeyond(countMax: number, replyBytesMax: number, replyBytes: number): number {
    let count = 0;
    let bytes = this.#replyBytes + replyBytes;
    while (count < this.count && (this.count - count >= countMax || bytes > replyBytesMax)) {
      bytes -= this.#order[this.#oldest + count]!.reply.length;
      count++;
    }
    return count;
  }

  /** How many were given at that time or before. They are the oldest ones. */
  countOlder(atMs: number): number {
    let count = 0;
    while (count < this.count && this.#order[this.#oldest + count]!.atMs <= atMs) count++;
    return count;
  }

  forgetOldest(count: number): void {
    for (let left = Math.min(count, this.count); left > 0; left--) {
      const recent = this.#order[this.#oldest++]!;
      this.#byId.delete(recent.id);
      this.#replyBytes -= recent.reply.length;
    }
    // Moving the rest costs no more than what was forgotten since the last time.
    if (this.#oldest > this.#order.length / 2) {
      this.#order.splice(0, this.#oldest);
      this.#oldest = 0;
    }
  }

  /** A list of its own. */
  oldestFirst(): RecentReply[] {
    return this.#order.slice(this.#oldest);
  }
}
