import type { CommitMark, OffsetsCommitter } from '@weir/cluster';
import { groupLimits } from './limits.ts';

/** Identifies the commits that must stay in order: those of one member, or of one transactional id. */
export type Committing = OffsetsCommitter & { readonly transactionalId?: string };

interface LastCommit {
  readonly connection: string;
  readonly count: number;
}

/**
 * Keeps a delayed commit from undoing a later one. A client that drops a connection goes to another agent and continues
 * to commit there, with the same member id and epoch. A commit that the first agent still has in flight, because it was
 * paused or could not reach the leader, would set the group back.
 *
 * A connection preserves order, and a client has one connection to its coordinator at a time. So a commit on another
 * connection than the last one of its member is admitted only if its agent received it after that last one was decided.
 * The agent proves that with a mark: answers carry the count of commits admitted so far, and each commit carries the
 * last count that its agent has received. A commit without proof is refused, and a client that still waits retries; by
 * then its agent has the mark from the refusal. No clocks are compared.
 *
 * Soft state of one term. Commits that were received before the term are refused, since this leader cannot know their
 * order.
 */
export class CommitOrder {
  readonly #term: number;
  /** In LRU order, least recently used first. */
  readonly #last = new Map<string, LastCommit>();
  #count = 0;
  /** No commit that was evicted here has a higher count. */
  #forgottenCount = 0;

  constructor(term: number) {
    this.#term = term;
  }

  /** The position after all commits admitted so far. */
  get mark(): CommitMark {
    return { term: this.#term, count: this.#count };
  }

  isLate(committing: Committing): boolean {
    const { origin } = committing;
    if (origin === undefined) return false;
    const { heard: seenMark } = origin;
    if (seenMark?.term !== this.#term) return true;
    const key = keyOf(committing);
    if (key === undefined) return false;
    const last = this.#last.get(key);
    if (last?.connection === origin.connection) return false;
    return seenMark.count < (last?.count ?? this.#forgottenCount);
  }

  admitted(committing: Committing): void {
    const key = keyOf(committing);
    if (committing.origin === undefined || key === undefined) return;
    this.#last.delete(key);
    this.#last.set(key, { connection: committing.origin.connection, count: ++this.#count });
    if (this.#last.size <= groupLimits.rememberedCommittersMax) return;
    const [oldest, { count }] = this.#last.entries().next().value!;
    this.#last.delete(oldest);
    this.#forgottenCount = count;
  }
}

/** Clients that are not members cannot be distinguished. */
function keyOf({ transactionalId, groupId, memberId }: Committing): string | undefined {
  if (transactionalId !== undefined) return `t${transactionalId}`;
  return memberId === '' ? undefined : `m${groupId.length}:${groupId}${memberId}`;
}
