import type { ConsumerGroupDescription, ConsumerHeartbeat, ConsumerHeartbeatAnswer } from '@weir/cluster';
import { ClassicGroupRuntime } from '../classic/group-runtime.ts';
import type { GroupHost } from '../group.ts';
import type { GroupDirectory } from '../group-directory.ts';
import { checkHeartbeat } from './check-heartbeat.ts';
import { ConsumerGroup } from './consumer-group.ts';
import { consumerGroupOf } from './convert.ts';
import { ConsumerGroupRuntime, type Kept } from './group-runtime.ts';
import { refusedHeartbeat } from './heartbeat.ts';
import { step } from './machine.ts';

interface ConsumerGroupsOptions {
  readonly host: GroupHost;
  readonly directory: GroupDirectory;
  /** A text that nobody ever had. */
  readonly freshId: () => string;
  /** Whether members of one more group may say something of themselves. */
  readonly hasRoom: () => boolean;
}

/** The groups of the new protocol among all groups of a coordinator. */
export class ConsumerGroups {
  readonly #options: ConsumerGroupsOptions;

  constructor(options: ConsumerGroupsOptions) {
    this.#options = options;
  }

  /** Answers when all of it is durable. What cannot be kept is an answer too, so that one group does not spoil it for the others. */
  async heartbeats(heartbeats: readonly ConsumerHeartbeat[]): Promise<ConsumerHeartbeatAnswer[]> {
    const kept = heartbeats.map((heartbeat) => this.#heartbeat(heartbeat));
    // Those that changed nothing rest on what others changed before them.
    const settled = this.#options.host.settled();
    const problems = await Promise.all(kept.map(({ saved }) => saved?.then(() => undefined, String)));
    await settled;
    return kept.map(({ answer }, index) => {
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

  /** Topics of these names came, grew or went. */
  onTopics(names: readonly string[]): void {
    for (const group of this.#options.directory.known()) {
      if (group instanceof ConsumerGroupRuntime) group.onTopics(names);
    }
  }

  /** The topics that a pattern of a group matches. */
  onMatched(groupId: string, expression: string, names: Set<string>): void {
    const group = this.#options.directory.find(groupId);
    if (group instanceof ConsumerGroupRuntime) group.onMatched(expression, names);
  }

  /** Somebody may see other topics than before. */
  onRules(): void {
    for (const group of this.#options.directory.known()) {
      if (group instanceof ConsumerGroupRuntime) group.onRules();
    }
  }

  #heartbeat(heartbeat: ConsumerHeartbeat): Kept<ConsumerHeartbeatAnswer> {
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
    const kept = created.consumerHeartbeat(heartbeat, freshMemberId);
    if (created.isForgettable) directory.remove(created);
    return kept;
  }

  /** A member of the new protocol joins a classic group, which moves to the new protocol with all of its members, if it can. */
  #upgrade(
    classic: ClassicGroupRuntime,
    heartbeat: ConsumerHeartbeat,
    freshMemberId: string,
  ): Kept<ConsumerHeartbeatAnswer> {
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
    // The group moves only if the member is taken, so that this is tried on a group that nobody sees.
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

function refused(answer: ConsumerHeartbeatAnswer): Kept<ConsumerHeartbeatAnswer> {
  return { answer, saved: undefined };
}

function notFound({ groupId, memberId }: ConsumerHeartbeat, why: string): ConsumerHeartbeatAnswer {
  return refusedHeartbeat({ error: 'GROUP_ID_NOT_FOUND', message: `The group ${groupId} ${why}.` }, memberId);
}
