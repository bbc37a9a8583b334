import type {
  GroupError,
  ModernGroupDescription,
  ModernHeartbeatAnswer,
  ShareHeartbeat,
} from '@weir/cluster';
import type { GroupHost, PendingAnswer } from '../group.ts';
import type { GroupDirectory } from '../group-directory.ts';
import { isTooLong } from '../group-id.ts';
import type { GroupsMachine } from '../groups-machine.ts';
import {
  missingGroup,
  noRoom,
  refused,
  refusedHeartbeat,
  tooManyGroups,
  whenDurable,
} from '../modern/heartbeats.ts';
import { ShareGroupRuntime } from './group-runtime.ts';
import { checkHeartbeat } from './heartbeat.ts';

interface ShareGroupsOptions {
  readonly host: GroupHost;
  readonly directory: GroupDirectory;
  readonly machine: Pick<GroupsMachine, 'offsets'>;
  /** Whether the limit on member metadata allows so many bytes more. */
  readonly hasRoomFor: (bytes: number) => boolean;
}

/** The share groups of a coordinator. */
export class ShareGroups {
  readonly #options: ShareGroupsOptions;

  constructor(options: ShareGroupsOptions) {
    this.#options = options;
  }

  find(groupId: string): ShareGroupRuntime | undefined {
    const group = this.#options.directory.find(groupId);
    return group instanceof ShareGroupRuntime ? group : undefined;
  }

  heartbeats(heartbeats: readonly ShareHeartbeat[]): Promise<ModernHeartbeatAnswer[]> {
    const pending = heartbeats.map((heartbeat) => this.#heartbeat(heartbeat));
    return whenDurable(pending, this.#options.host, refusedHeartbeat);
  }

  /** Creates a group without members. Resolves when it is durable. */
  async create(groupId: string): Promise<GroupError> {
    const { host, directory } = this.#options;
    if (isTooLong(groupId)) return 'INVALID_GROUP_ID';
    if (directory.find(groupId) !== undefined || this.#hasOffsets(groupId)) return 'GROUP_ID_NOT_FOUND';
    const created = ShareGroupRuntime.empty(groupId, host);
    if (!directory.add(created)) return 'POLICY_VIOLATION';
    return created.save().then(
      () => 'NONE',
      () => 'COORDINATOR_LOAD_IN_PROGRESS',
    );
  }

  describe(groupId: string): ModernGroupDescription {
    return this.find(groupId)?.describeMembers() ?? missingGroup(groupId);
  }

  #heartbeat(heartbeat: ShareHeartbeat): PendingAnswer<ModernHeartbeatAnswer> {
    const { host, directory, hasRoomFor } = this.#options;
    const { groupId, memberId, memberEpoch } = heartbeat;
    const group = directory.find(groupId);
    // The group checks the heartbeat. Where it would have to be created first, that happens here.
    if (group instanceof ShareGroupRuntime) return group.shareHeartbeat(heartbeat);
    const problem = checkHeartbeat(heartbeat, host.shareRules(groupId));
    if (problem !== undefined) return refused(problem, memberId);
    if (group !== undefined || this.#hasOffsets(groupId)) {
      const message = `The group ${groupId} is not a share group.`;
      return refused({ error: 'GROUP_ID_NOT_FOUND', message }, memberId);
    }
    if (memberEpoch !== 0) {
      const message = `Group ${groupId} not found.`;
      return refused({ error: 'GROUP_ID_NOT_FOUND', message }, memberId);
    }
    if (!hasRoomFor(1)) return refused(noRoom, memberId);
    const created = ShareGroupRuntime.empty(groupId, host);
    if (!directory.add(created)) return refused(tooManyGroups, memberId);
    const pending = created.shareHeartbeat(heartbeat);
    directory.forgetIfIdle(created);
    return pending;
  }

  /** A group that only has offsets is a classic one. */
  #hasOffsets(groupId: string): boolean {
    return this.#options.machine.offsets.hasGroup(groupId);
  }
}
