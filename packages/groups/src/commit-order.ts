import type { CommitMark, OffsetsCommitter } from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';

/** What a commit must not arrive behind: a later commit of the same member, or of the same transactional id. */
export type Committing = OffsetsCommitter & { readonly transactionalId?: string };

interface LastCommit {
  readonly connection: string;
  readonly count: number;
}

/**
 * Keeps a commit that was under way for too long from undoing a later one. A client that gives a connection up goes to another agent and commits
 * further there, with the same member id and epoch. What the first agent still has of it, because it was paused or could not reach the leader, would
 * set the group back.
 *
 * A connection keeps its order, and a client has one to its coordinator at a time. So a commit on another connection than the last one of its member is
 * admitted only when it was received after that last one was decided. Its agent proves that with a mark: answers carry the count of commits
 * that were admitted until then, and each commit the last count that its agent had heard of. What cannot be proved is refused, and a client that
 * still waits asks again; by then its agent has heard of the mark in the refusal. No clocks are compared.
 *
 * Soft state of one term. Commits that were received before the term are refused, since this leader does not know what they may be behind.
 */
export class CommitOrder {
  readonly #term: number;
  /** The longest unused first. */
  readonly #last = new Map<string, LastCommit>();
  #count = 0;
  /** No commit that was forgotten here has a higher count. */
  #forgottenCount = 0;

  constructor(term: number) {
    this.#term = term;
  }

  /** Behind everything that was admitted until now. */
  get mark(): CommitMark {
    return { term: this.#term, count: this.#count };
  }

  isLate(committing: Committing): boolean {
    const { origin } = committing;
    if (origin === undefined) return false;
    const { heard } = origin;
    if (heard?.term !== this.#term) return true;
    const key = keyOf(committing);
    if (key === undefined) return false;
    const last = this.#last.get(key);
    if (last?.connection === origin.connection) return false;
    return heard.count < (last?.count ?? this.#forgottenCount);
  }

  admitted(committing: Committing): void {
    const key = keyOf(committing);
    if (committing.origin === undefined || key === undefined) return;
    this.#last.delete(key);
    this.#last.set(key, { connection: committing.origin.connection, count: ++this.#count });
    if (this.#last.size <= clusterLimits.rememberedCommittersMax) return;
    const [oldest, { count }] = this.#last.entries().next().value!;
    this.#last.delete(oldest);
    this.#forgottenCount = count;
  }
}

/** Clients that are no members have nothing that tells one of them from another. */
function keyOf({ transactionalId, groupId, memberId }: Committing): string | undefined {
  if (transactionalId !== undefined) return `t${transactionalId}`;
  return memberId === '' ? undefined : `m${groupId.length}:${groupId}${memberId}`;
}
