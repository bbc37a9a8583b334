import type {
  CommitMark,
  CopiedGroupOffsets,
  CopiedGroupResult,
  GroupError,
  OffsetsAnswer,
  OffsetsCommit,
  OffsetsCommitAnswer,
  OffsetsCommitter,
  OffsetsQuery,
  OffsetsToDelete,
  TopicPartition,
  TransactionOffsetsToCommit,
} from '@weir/cluster';
import type { GroupOffsets, PartitionOfTopic } from '@weir/machine';
import { CommitOrder, type Committing } from './commit-order.ts';
import type { GroupDirectory } from './group-directory.ts';
import { isGroupId, isTooLong, notFound } from './group-id.ts';
import type { Submit } from './group-saver.ts';
import type { GroupsMachine } from './groups-machine.ts';

interface CommittedOffsetsOptions {
  readonly machine: GroupsMachine;
  readonly submit: Submit;
  /** Evaluates the question; resolves when all state that the answer depends on is durable. */
  readonly ask: <Answer>(question: () => Answer) => Promise<Answer>;
  readonly directory: GroupDirectory;
  /** The term of the leader, higher than all earlier terms. */
  readonly term: number;
}

interface WithOffsets {
  readonly offsets: readonly TopicPartition[];
}

export interface Admission {
  readonly error: GroupError;
  /** For agents that report the order of their commits. */
  readonly mark?: CommitMark;
}

/** Commits, returns and deletes offsets of groups, as far as the groups allow it. */
export class CommittedOffsets {
  readonly #options: CommittedOffsetsOptions;
  readonly #order: CommitOrder;

  constructor(options: CommittedOffsetsOptions) {
    this.#options = options;
    this.#order = new CommitOrder(options.term);
  }

  /**
   * Checks whether offsets of a group may be committed in a transaction, which is a separate command. The caller must
   * submit it in the same turn of the event loop, or a rebalance may come between.
   */
  admitInTransaction(request: TransactionOffsetsToCommit): Admission {
    const error = this.#admit(request, true);
    return request.origin === undefined ? { error } : { error, mark: this.#order.mark };
  }

  async commit(commits: readonly OffsetsCommit[]): Promise<OffsetsCommitAnswer[]> {
    const groups: GroupOffsets[] = [];
    const errors = commits.map((commit): GroupError => {
      const error = this.#admit(commit, false);
      if (error === 'NONE') groups.push(commit);
      return error;
    });
    const { mark } = this.#order;
    const { submit, ask } = this.#options;
    const results =
      groups.length === 0 ? await ask(() => []) : await submit({ kind: 'commitOffsets', groups });
    let next = 0;
    return errors.map((error, index) => ({
      error,
      offsets: error === 'NONE' ? results[next++]! : [],
      ...(index === 0 && commits[0]!.origin !== undefined ? { mark } : {}),
    }));
  }

  /** Commits offsets of groups of another cluster, as far as they have no members here. */
  async commitCopied(
    groups: readonly CopiedGroupOffsets[],
    pipelineId: string,
  ): Promise<CopiedGroupResult[]> {
    const errors = groups.map(({ groupId, offsets }): GroupError => {
      const error = this.#check(copier(groupId), false, offsets);
      return error === 'NONE' || error === 'INVALID_GROUP_ID' ? error : 'NON_EMPTY_GROUP';
    });
    const empty = groups.filter((_, index) => errors[index] === 'NONE');
    const { submit, ask } = this.#options;
    const results =
      empty.length === 0
        ? await ask(() => [])
        : await submit({ kind: 'commitCopiedOffsets', pipelineId, groups: empty });
    let next = 0;
    return errors.map((error) => ({ error, offsets: error === 'NONE' ? results[next++]! : [] }));
  }

  fetch(query: OffsetsQuery): OffsetsAnswer {
    const { machine, directory } = this.#options;
    const { groupId, memberId, memberEpoch } = query;
    if (isTooLong(groupId)) return { error: 'INVALID_GROUP_ID', offsets: [] };
    const error = directory.find(groupId)?.checkFetch(memberId, memberEpoch) ?? 'NONE';
    return { error, offsets: error === 'NONE' ? machine.fetchOffsets(query) : [] };
  }

  async delete({ groupId, partitions }: OffsetsToDelete): Promise<OffsetsCommitAnswer> {
    const { machine, submit, ask, directory } = this.#options;
    const group = directory.find(groupId);
    const isThere = group !== undefined || machine.offsets.hasGroup(groupId);
    const error = isThere ? (group?.checkDeleteOffsets() ?? 'NONE') : notFound(groupId);
    if (error !== 'NONE') return ask(() => ({ error, offsets: [] }));
    const found: PartitionOfTopic[] = [];
    const offsets = partitions.map(({ topicId, partition }): GroupError => {
      const topicNumber = machine.topicNumber(topicId);
      if (topicNumber === undefined) return 'UNKNOWN_TOPIC_ID';
      if (group?.isSubscribedTo(machine.topicById(topicId)!.name) === true)
        return 'GROUP_SUBSCRIBED_TO_TOPIC';
      found.push({ topicNumber, partition });
      return 'NONE';
    });
    await submit({ kind: 'forgetOffsets', groups: [{ groupId, partitions: found }] });
    return { error, offsets };
  }

  #admit(committing: Committing & WithOffsets, isTransactional: boolean): GroupError {
    if (this.#order.isLate(committing)) return 'COORDINATOR_LOAD_IN_PROGRESS';
    const error = this.#check(committing, isTransactional, committing.offsets);
    if (error === 'NONE') this.#order.admitted(committing);
    return error;
  }

  #check(
    committer: OffsetsCommitter,
    isTransactional: boolean,
    offsets: readonly TopicPartition[],
  ): GroupError {
    const { groupId, generationIdOrMemberEpoch } = committer;
    if (!isGroupId(groupId)) return 'INVALID_GROUP_ID';
    const { directory, machine } = this.#options;
    const group = directory.find(groupId);
    if (group !== undefined) return group.checkCommit(committer, isTransactional, offsets);
    // A client with manual assignment creates its group by the first commit, also of a transaction.
    if (generationIdOrMemberEpoch < 0) return 'NONE';
    const isThere = machine.offsets.hasGroup(groupId) || machine.offsets.hasPendingGroup(groupId);
    return isThere ? 'UNKNOWN_MEMBER_ID' : 'GROUP_ID_NOT_FOUND';
  }
}

/** As a client that is no member, whose commits only a group without members accepts. */
function copier(groupId: string): OffsetsCommitter {
  return { groupId, generationIdOrMemberEpoch: -1, memberId: '', groupInstanceId: null };
}
