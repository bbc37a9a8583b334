import type { ConsumerGroupDescription, ConsumerHeartbeat, ConsumerHeartbeatAnswer } from '@weir/cluster';
import { ClassicGroupRuntime } from '../classic/group-runtime.ts';
import type { GroupHost, PendingAnswer } from '../group.ts';
import type { GroupDirectory } from '../group-directory.ts';
import { checkHeartbeat } from './check-heartbeat.ts';
import { ConsumerGroup } from './consumer-group.ts';
import { consumerGroupOf } from './convert.ts';
import { ConsumerGroupRuntime } from './group-runtime.ts';
import { refusedHeartbeat } from './heartbeat.ts';
import { step } from './machine.ts';

interface ConsumerGroupsOptions {
  readonly host: GroupHost;
  readonly directory: GroupDirectory;
  /** Returns a unique id. */
  readonly freshId: () => string;
  /** Whether the limit on member metadata allows one more group. */
  readonly hasRoom: () => boolean;
}

/** The consumer groups (KIP-848) of a coordinator. */
export class ConsumerGroups {
  readonly #options: ConsumerGroupsOptions;

  constructor(options: ConsumerGroupsOptions) {
    this.#options = options;
  }

  /**
   * Answers when all changes are durable. A failed save becomes the answer of its group only, so that other groups are
   * not affected.
   */
  async heartbeats(heartbeats: readonly ConsumerHeartbeat[]): Promise<ConsumerHeartbeatAnswer[]> {
    const pending = heartbeats.map((heartbeat) => this.#heartbeat(heartbeat));
    // Heartbeats without changes depend on earlier changes.
    const settled = this.#options.host.settled();
    const problems = await Promise.all(pending.map(({ saved }) => saved?.then(() => undefined, String)));
    await settled;
    return pending.map(({ answer }, index) => {
      const problem = problems[index];
      return problem === undefined
        ? answer
        : refusedHeartbeat({ error: 'COORDINATOR_LOAD_IN_PROGRESS', message: problem }, answer.memberId);
    });
  }

  describe(groupId: string): ConsumerGroupDescription {
    const group = this.#options.directory.find(groupId);
    if (group instanceof ConsumerGroupRuntime) return group.describeConsumers();
    return {
      error: 'GROUP_ID_NOT_FOUND',
      groupId,
      state: 'Dead',
      epoch: 0,
      assignmentEpoch: 0,
      assignor: '',
      members: [],
    };
  }

  /** Handles topics that were created, grown or deleted. */
  onTopics(names: readonly string[]): void {
    for (const group of this.#options.directory.known()) {
      if (group instanceof ConsumerGroupRuntime) group.onTopics(names);
    }
  }

  /** Delivers the result of a pattern scan. */
  onMatched(groupId: string, expression: string, names: Set<string>): void {
    const group = this.#options.directory.find(groupId);
    if (group instanceof ConsumerGroupRuntime) group.onMatched(expression, names);
  }

  /** Handles a change of topic visibility. */
  onRules(): void {
    for (const group of this.#options.directory.known()) {
      if (group instanceof ConsumerGroupRuntime) group.onRules();
    }
  }

  #heartbeat(heartbeat: ConsumerHeartbeat): PendingAnswer<ConsumerHeartbeatAnswer> {
    const { host, directory, freshId, hasRoom } = this.#options;
    const { groupId, memberId, memberEpoch } = heartbeat;
    const problem = checkHeartbeat(heartbeat, host.consumerRules(groupId));
    if (problem !== undefined) return refused(refusedHeartbeat(problem, memberId));
    const group = directory.find(groupId);
    const freshMemberId = memberId === '' ? freshId() : memberId;
    if (group instanceof ConsumerGroupRuntime) return group.consumerHeartbeat(heartbeat, freshMemberId);
    if (memberEpoch !== 0) {
      const message = `The group ${groupId} has no member ${memberId}.`;
      return refused(refusedHeartbeat({ error: 'UNKNOWN_MEMBER_ID', message }, memberId));
    }
    if (!hasRoom()) {
      const message = 'The groups of the cluster are too large to take another member.';
      return refused(refusedHeartbeat({ error: 'GROUP_MAX_SIZE_REACHED', message }, memberId));
    }
    if (group instanceof ClassicGroupRuntime) return this.#upgrade(group, heartbeat, freshMemberId);
    if (group !== undefined) return refused(notFound(heartbeat, 'has another type'));
    const created = ConsumerGroupRuntime.of(new ConsumerGroup(groupId), host);
    if (!directory.add(created)) {
      const message = 'The cluster has too many groups.';
      return refused(refusedHeartbeat({ error: 'POLICY_VIOLATION', message }, memberId));
    }
    const pending = created.consumerHeartbeat(heartbeat, freshMemberId);
    if (created.isForgettable) directory.remove(created);
    return pending;
  }

  /** Migrates a classic group with all of its members, if possible, when a member of the consumer protocol joins. */
  #upgrade(
    classic: ClassicGroupRuntime,
    heartbeat: ConsumerHeartbeat,
    freshMemberId: string,
  ): PendingAnswer<ConsumerHeartbeatAnswer> {
    const { host } = this.#options;
    const { groupId } = heartbeat;
    const rules = host.consumerRules(groupId);
    const before = classic.group;
    if (before.members.size > 0 && !host.mayMigrate('consumer')) {
      return refused(notFound(heartbeat, 'is classic, and moving it to the new protocol is not allowed'));
    }
    if (before.members.size >= rules.groupSizeMax)
      return refused(notFound(heartbeat, 'is too large to be moved'));
    const converted = consumerGroupOf(before, host.topics);
    if (converted === undefined) return refused(notFound(heartbeat, 'is not one of consumers'));
    // The group migrates only if the member is accepted, so the heartbeat runs against a private copy first.
    const trial = consumerGroupOf(before, host.topics)!;
    const { answer } = step(
      trial,
      { kind: 'heartbeat', heartbeat, freshMemberId },
      host.monotonicMs(),
      rules,
      host.topics,
    );
    if (answer.error !== 'NONE') return refused(answer);
    classic.giveUp();
    const group = ConsumerGroupRuntime.of(converted, host);
    host.replace(classic, group);
    return group.consumerHeartbeat(heartbeat, freshMemberId);
  }
}

function refused(answer: ConsumerHeartbeatAnswer): PendingAnswer<ConsumerHeartbeatAnswer> {
  return { answer, saved: undefined };
}

function notFound({ groupId, memberId }: ConsumerHeartbeat, why: string): ConsumerHeartbeatAnswer {
  return refusedHeartbeat({ error: 'GROUP_ID_NOT_FOUND', message: `The group ${groupId} ${why}.` }, memberId);
}
