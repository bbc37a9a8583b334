import type { CommitMark, CommitOrigin, RequestOrigin } from '@weir/cluster';
import type { ClusterView } from './cluster-view.ts';

/**
 * Tracks what this agent knows of the order in which the leader decides commits. Only answers to calls of this agent
 * count, and from a new leader the fact that it leads: pushed changes may wait in the socket of a paused agent, and are
 * then read before requests that arrived earlier.
 */
export class CommitMarks {
  readonly #view: Pick<ClusterView, 'leaderTerm'>;
  #latest: CommitMark | undefined;

  constructor(view: Pick<ClusterView, 'leaderTerm'>) {
    this.#view = view;
  }

  hear(mark: CommitMark | undefined): void {
    if (mark === undefined) return;
    const { term = -1, count = -1 } = this.#latest ?? {};
    if (mark.term > term || (mark.term === term && mark.count > count)) this.#latest = mark;
  }

  /** Returns the origin of a commit that has just been received. */
  originOf({ connection }: RequestOrigin): CommitOrigin {
    const term = this.#view.leaderTerm();
    if (term !== undefined) this.hear({ term, count: 0 });
    return { connection, heard: this.#latest };
  }
}
