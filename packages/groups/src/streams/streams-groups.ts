import type { StreamsGroupDescription, StreamsHeartbeat, StreamsHeartbeatAnswer } from '@weir/cluster';
import { ClassicGroupRuntime } from '../classic/group-runtime.ts';
import type { GroupHost, PendingAnswer } from '../group.ts';
import type { GroupDirectory } from '../group-directory.ts';
import { notFound as missing } from '../group-id.ts';
import { noRoom, type Problem, tooManyGroups, whenDurable } from '../modern/heartbeats.ts';
import { checkHeartbeat } from './check-heartbeat.ts';
import { StreamsGroupRuntime } from './group-runtime.ts';
import { refusedStreams } from './heartbeat.ts';
import { step } from './machine.ts';
import { StreamsGroup } from './streams-group.ts';

interface StreamsGroupsOptions {
  readonly host: GroupHost;
  readonly directory: GroupDirectory;
  /** Whether the limit on member metadata allows so many bytes more. */
  readonly hasRoomFor: (bytes: number) => boolean;
}

/** The streams groups (KIP-1071) of a coordinator. */
export class StreamsGroups {
  readonly #options: StreamsGroupsOptions;

  constructor(options: StreamsGroupsOptions) {
    this.#options = options;
  }

  heartbeats(heartbeats: readonly StreamsHeartbeat[]): Promise<StreamsHeartbeatAnswer[]> {
    const pending = heartbeats.map((heartbeat) => this.#heartbeat(heartbeat));
    return whenDurable(pending, this.#options.host, refusedStreams);
  }

  describe(groupId: string): StreamsGroupDescription {
    const group = this.#options.directory.find(groupId);
    if (group instanceof StreamsGroupRuntime) return group.describeStreams();
    return { error: missing(groupId), groupId, state: 'Dead', epoch: 0, assignmentEpoch: 0, members: [] };
  }

  #heartbeat(heartbeat: StreamsHeartbeat): PendingAnswer<StreamsHeartbeatAnswer> {
    const { host, directory, hasRoomFor } = this.#options;
    const { groupId, memberId, memberEpoch } = heartbeat;
    const group = directory.find(groupId);
    // The group checks the heartbeat. Where it would have to be created first, that happens here.
    if (group instanceof StreamsGroupRuntime) return group.streamsHeartbeat(heartbeat);
    const problem = checkHeartbeat(heartbeat, host.streamsRules(groupId));
    if (problem !== undefined) return refused(problem, memberId);
    const classic =
      group instanceof ClassicGroupRuntime && group.group.members.size === 0 ? group : undefined;
    if (group !== undefined && classic === undefined)
      return refused(notFound(`Group ${groupId} is not a streams group.`), memberId);
    if (memberEpoch !== 0) return refused(notFound(`Streams group ${groupId} not found.`), memberId);
    if (!hasRoomFor(1)) return refused(noRoom, memberId);
    if (classic !== undefined) return this.#replace(classic, heartbeat);
    const created = StreamsGroupRuntime.of(new StreamsGroup(groupId), host);
    if (!directory.add(created)) return refused(tooManyGroups, memberId);
    const pending = created.streamsHeartbeat(heartbeat);
    directory.forgetIfIdle(created);
    return pending;
  }

  /** An application migrates offline: its classic group, without members, becomes a streams group with its offsets. */
  #replace(classic: ClassicGroupRuntime, heartbeat: StreamsHeartbeat): PendingAnswer<StreamsHeartbeatAnswer> {
    const { host } = this.#options;
    const { groupId } = heartbeat;
    // The group is replaced only if the member is accepted, so the heartbeat runs against a private group first.
    const trial = step(
      new StreamsGroup(groupId),
      { kind: 'heartbeat', heartbeat },
      host.monotonicMs(),
      host.streamsRules(groupId),
      host.topics,
    );
    if (trial.answer.error !== 'NONE') return { answer: trial.answer, saved: undefined };
    const group = new StreamsGroup(groupId);
    group.epoch = Math.max(group.epoch, classic.group.generationId);
    group.assignmentEpoch = group.epoch;
    classic.giveUp();
    const runtime = StreamsGroupRuntime.of(group, host);
    host.replace(classic, runtime);
    return runtime.streamsHeartbeat(heartbeat);
  }
}

function notFound(message: string): Problem {
  return { error: 'GROUP_ID_NOT_FOUND', message };
}

function refused(problem: Problem, memberId: string): PendingAnswer<StreamsHeartbeatAnswer> {
  return { answer: refusedStreams(problem, memberId), saved: undefined };
}
