import { retainedCopy } from '@weir/core';
/** A stored answer. */
export interface RecentReply {
  readonly id: string;
  /** Time of its entry. */
  readonly atMs: number;
  readonly reply: Buffer;
}

/**
 * Recent answers by request id. A caller that lost an answer retries with the same id, possibly with a new leader, and
 * must get the first answer without a second execution. Items are immutable, so a snapshot can take the list and write
 * it later.
 */
export class RecentReplies {
  readonly #byId = new Map<string, RecentReply>();
  /** Oldest first. A map alone would have to skip the deleted items at its front. */
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
    const recent = { id, atMs, reply: retainedCopy(reply) };
    this.#byId.set(id, recent);
    this.#order.push(recent);
    this.#replyBytes += reply.length;
  }

  /** Returns how many of the oldest must be dropped to make room for another answer. */
  countBeyond(countMax: number, replyBytesMax: number, replyBytes: number): number {
    let count = 0;
    let bytes = this.#replyBytes + replyBytes;
    while (count < this.count && (this.count - count >= countMax || bytes > replyBytesMax)) {
      bytes -= this.#order[this.#oldest + count]!.reply.length;
      count++;
    }
    return count;
  }

  /** Returns how many have that time or an earlier one. They are the oldest. */
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
    // Amortised: moving the rest costs no more than what was dropped since the last time.
    if (this.#oldest > this.#order.length / 2) {
      this.#order.splice(0, this.#oldest);
      this.#oldest = 0;
    }
  }

  /** Returns a new list. */
  oldestFirst(): RecentReply[] {
    return this.#order.slice(this.#oldest);
  }
}
