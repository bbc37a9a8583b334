import type { CommitMark, CommitOrigin, RequestOrigin } from '@weir/cluster';
import type { ClusterView } from './cluster-view.ts';

/**
 * What this agent has heard of the order in which the leader decides commits. Only answers to calls of this agent count, and of a new leader that it
 * leads: what is pushed may lie in the socket of an agent that was paused, and is then read before requests that came earlier.
 */
export class CommitMarks {
  readonly #view: Pick<ClusterView, 'leaderTerm'>;
  #heard: CommitMark | undefined;

  constructor(view: Pick<ClusterView, 'leaderTerm'>) {
    this.#view = view;
  }

  hear(mark: CommitMark | undefined): void {
    if (mark === undefined) return;
    const { term = -1, count = -1 } = this.#heard ?? {};
    if (mark.term > term || (mark.term === term && mark.count > count)) this.#heard = mark;
  }

  /** The origin of a commit that has just been received. */
  originOf({ connection }: RequestOrigin): CommitOrigin {
    const term = this.#view.leaderTerm();
    if (term !== undefined) this.hear({ term, count: 0 });
    return { connection, heard: this.#heard };
  }
}
