import type { ConsumerGroupDescription, ConsumerHeartbeat, ModernHeartbeatAnswer } from '@weir/cluster';
import { ClassicGroupRuntime } from '../classic/group-runtime.ts';
import type { GroupHost, PendingAnswer } from '../group.ts';
import type { GroupDirectory } from '../group-directory.ts';
import {
  missingGroup,
  noRoom,
  type Problem,
  refused,
  refusedHeartbeat,
  tooManyGroups,
  whenDurable,
} from '../modern/heartbeats.ts';
import { checkHeartbeat } from './check-heartbeat.ts';
import { ConsumerGroup } from './consumer-group.ts';
import { consumerGroupOf } from './convert.ts';
import { ConsumerGroupRuntime } from './group-runtime.ts';
import { step } from './machine.ts';

interface ConsumerGroupsOptions {
  readonly host: GroupHost;
  readonly directory: GroupDirectory;
  /** Returns a unique id. */
  readonly freshId: () => string;
  /** Whether the limit on member metadata allows so many bytes more. */
  readonly hasRoomFor: (bytes: number) => boolean;
}

/** The consumer groups (KIP-848) of a coordinator. */
export class ConsumerGroups {
  readonly #options: ConsumerGroupsOptions;

  constructor(options: ConsumerGroupsOptions) {
    this.#options = options;
  }

  heartbeats(heartbeats: readonly ConsumerHeartbeat[]): Promise<ModernHeartbeatAnswer[]> {
    const pending = heartbeats.map((heartbeat) => this.#heartbeat(heartbeat));
    return whenDurable(pending, this.#options.host, refusedHeartbeat);
  }

  describe(groupId: string): ConsumerGroupDescription {
    const group = this.#options.directory.find(groupId);
    return group instanceof ConsumerGroupRuntime ? group.describeConsumers() : missingGroup(groupId);
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

  #heartbeat(heartbeat: ConsumerHeartbeat): PendingAnswer<ModernHeartbeatAnswer> {
    const { host, directory, freshId, hasRoomFor } = this.#options;
    const { groupId, memberId, memberEpoch } = heartbeat;
    const group = directory.find(groupId);
    const freshMemberId = memberId === '' ? freshId() : memberId;
    // The group checks the heartbeat. Where it would have to be created or migrated first, that happens here.
    if (group instanceof ConsumerGroupRuntime) return group.consumerHeartbeat(heartbeat, freshMemberId);
    const problem = checkHeartbeat(heartbeat, host.consumerRules(groupId));
    if (problem !== undefined) return refused(problem, memberId);
    if (memberEpoch !== 0) {
      const why = group === undefined ? 'does not exist' : 'is not a consumer group';
      return refused(notFound(groupId, why), memberId);
    }
    if (!hasRoomFor(1)) return refused(noRoom, memberId);
    if (group instanceof ClassicGroupRuntime) return this.#upgrade(group, heartbeat, freshMemberId);
    if (group !== undefined) return refused(notFound(groupId, 'has another type'), memberId);
    const created = ConsumerGroupRuntime.of(new ConsumerGroup(groupId), host);
    if (!directory.add(created)) return refused(tooManyGroups, memberId);
    const pending = created.consumerHeartbeat(heartbeat, freshMemberId);
    directory.forgetIfIdle(created);
    return pending;
  }

  /** Migrates a classic group with all of its members, if possible, when a member of the consumer protocol joins. */
  #upgrade(
    classic: ClassicGroupRuntime,
    heartbeat: ConsumerHeartbeat,
    freshMemberId: string,
  ): PendingAnswer<ModernHeartbeatAnswer> {
    const { host } = this.#options;
    const { groupId, memberId } = heartbeat;
    const rules = host.consumerRules(groupId);
    const before = classic.group;
    if (before.members.size > 0 && !host.mayMigrate('consumer')) {
      const why = 'is a classic group, and group.consumer.migration.policy does not allow its upgrade';
      return refused(notFound(groupId, why), memberId);
    }
    if (before.members.size >= rules.groupSizeMax)
      return refused(notFound(groupId, 'has too many members to be upgraded'), memberId);
    const converted = consumerGroupOf(before, host.topics);
    if (converted === undefined)
      return refused(notFound(groupId, 'is not of the protocol type consumer'), memberId);
    // The group migrates only if the member is accepted, so the heartbeat runs against a private copy first.
    const trial = consumerGroupOf(before, host.topics)!;
    const { answer } = step(
      trial,
      { kind: 'heartbeat', heartbeat, freshMemberId },
      host.monotonicMs(),
      rules,
      host.topics,
    );
    if (answer.error !== 'NONE') return { answer, saved: undefined };
    classic.giveUp();
    const group = ConsumerGroupRuntime.of(converted, host);
    host.replace(classic, group);
    return group.consumerHeartbeat(heartbeat, freshMemberId);
  }
}

function notFound(groupId: string, why: string): Problem {
  return { error: 'GROUP_ID_NOT_FOUND', message: `The group ${groupId} ${why}.` };
}
