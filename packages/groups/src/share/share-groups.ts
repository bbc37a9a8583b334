import type { GroupError, ShareGroupDescription, ShareHeartbeat, ShareHeartbeatAnswer } from '@weir/cluster';
import { coreLimits } from '@weir/core';
import type { GroupHost, PendingAnswer } from '../group.ts';
import type { GroupDirectory } from '../group-directory.ts';
import { ShareGroupRuntime } from './group-runtime.ts';
import { checkHeartbeat, type Problem, refusedHeartbeat } from './heartbeat.ts';

interface ShareGroupsOptions {
  readonly host: GroupHost;
  readonly directory: GroupDirectory;
  /** Whether the limit on member metadata allows one more group. */
  readonly hasRoom: () => boolean;
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

  /**
   * Answers when all changes are durable. A failed save becomes the answer of its group only, so that other groups are
   * not affected.
   */
  async heartbeats(heartbeats: readonly ShareHeartbeat[]): Promise<ShareHeartbeatAnswer[]> {
    const pending = heartbeats.map((heartbeat) => this.#heartbeat(heartbeat));
    // Heartbeats without changes depend on earlier changes.
    const settled = this.#options.host.settled();
    const problems = await Promise.all(pending.map(({ saved }) => saved?.then(() => undefined, String)));
    await settled;
    return pending.map(({ answer }, index) => {
      const message = problems[index];
      if (message === undefined) return answer;
      return refusedHeartbeat({ error: 'COORDINATOR_LOAD_IN_PROGRESS', message }, answer.memberId);
    });
  }

  /** Creates a group without members. Resolves when it is durable. */
  async create(groupId: string): Promise<GroupError> {
    const { host, directory } = this.#options;
    if (groupId.length > coreLimits.groupNameCharsMax) return 'INVALID_GROUP_ID';
    if (directory.find(groupId) !== undefined) return 'GROUP_ID_NOT_FOUND';
    const created = ShareGroupRuntime.empty(groupId, host);
    if (!directory.add(created)) return 'POLICY_VIOLATION';
    return created.keep().then(
      () => 'NONE',
      () => 'COORDINATOR_LOAD_IN_PROGRESS',
    );
  }

  describe(groupId: string): ShareGroupDescription {
    return (
      this.find(groupId)?.describeMembers() ?? {
        error: 'GROUP_ID_NOT_FOUND',
        groupId,
        state: 'Dead',
        epoch: 0,
        assignmentEpoch: 0,
        assignor: '',
        members: [],
      }
    );
  }

  /** Handles topics that were created, grown or deleted. */
  onTopics(names: readonly string[]): void {
    for (const group of this.#options.directory.known()) {
      if (group instanceof ShareGroupRuntime) group.onTopics(names);
    }
  }

  #heartbeat(heartbeat: ShareHeartbeat): PendingAnswer<ShareHeartbeatAnswer> {
    const { host, directory, hasRoom } = this.#options;
    const { groupId, memberId, memberEpoch } = heartbeat;
    const refused = (problem: Problem) => ({ answer: refusedHeartbeat(problem, memberId), saved: undefined });
    const problem = checkHeartbeat(heartbeat, host.shareRules(groupId));
    if (problem !== undefined) return refused(problem);
    const group = directory.find(groupId);
    if (group instanceof ShareGroupRuntime) return group.shareHeartbeat(heartbeat);
    if (group !== undefined) {
      return refused({ error: 'GROUP_ID_NOT_FOUND', message: `The group ${groupId} is not a share group.` });
    }
    if (memberEpoch !== 0) {
      return refused({ error: 'GROUP_ID_NOT_FOUND', message: `There is no group ${groupId}.` });
    }
    if (!hasRoom()) {
      const message = 'The groups of the cluster are too large to take another member.';
      return refused({ error: 'GROUP_MAX_SIZE_REACHED', message });
    }
    const created = ShareGroupRuntime.empty(groupId, host);
    if (!directory.add(created)) {
      return refused({ error: 'POLICY_VIOLATION', message: 'The cluster has too many groups.' });
    }
    const pending = created.shareHeartbeat(heartbeat);
    if (created.isForgettable) directory.remove(created);
    return pending;
  }
}
