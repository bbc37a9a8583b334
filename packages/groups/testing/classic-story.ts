import type { GroupError, JoinGroupAnswer, SyncGroupAnswer } from '@weir/cluster';
import { ClassicGroup } from '../src/classic/classic-group.ts';
import type { ClassicEvent, ClassicReply, ClassicRules, Effects } from '../src/classic/event.ts';
import { step } from '../src/classic/machine.ts';
import { nextDeadlineMs } from '../src/classic/tick.ts';

export const storyRules: ClassicRules = {
  sessionTimeoutMsMin: 6_000,
  sessionTimeoutMsMax: 1_800_000,
  initialRebalanceDelayMs: 0,
  groupSizeMax: 1_000,
  pendingMembersMax: 1_000,
  newMemberJoinMs: 300_000,
  memberProtocolsMax: 8,
  metadataBytesMax: 10_000,
  assignmentBytesMax: 1_000,
};

export interface JoinRequest {
  readonly memberId?: string;
  readonly instance?: string | null;
  /** The metadata of each protocol: `range:a,sticky:b`. */
  readonly protocols?: string;
  readonly protocolType?: string;
  readonly sessionTimeoutMs?: number;
  readonly rebalanceTimeoutMs?: number;
  readonly requiresKnownMemberId?: boolean;
  readonly supportsSkipAssignment?: boolean;
  readonly agentId?: string;
}

/**
 * A classic group with a clock and a short notation for requests and answers, for tests. Each client has a name; a new
 * member gets the id `<name>-id`.
 */
export class ClassicStory {
  readonly group = new ClassicGroup('g');
  readonly rules: ClassicRules;
  nowMs = 1_000;
  saves = 0;
  readonly #names: string[] = [];
  readonly #waiting = new Set<string>();

  constructor(rules: Partial<ClassicRules> = {}) {
    this.rules = { ...storyRules, ...rules };
  }

  /** Names of clients whose requests have no answer yet. */
  get waiting(): string[] {
    return [...this.#waiting];
  }

  join(name: string, options: JoinRequest = {}): string[] {
    const protocols = (options.protocols ?? 'range:').split(',').map((text) => {
      const [protocol = '', metadata = ''] = text.split(':');
      return { name: protocol, metadata: Buffer.from(metadata) };
    });
    return this.#run({
      kind: 'join',
      token: this.#token(name),
      freshMemberId: `${name}-id`,
      request: {
        groupId: 'g',
        memberId: options.memberId ?? '',
        groupInstanceId: options.instance ?? null,
        clientId: 'client',
        clientHost: '/127.0.0.1',
        sessionTimeoutMs: options.sessionTimeoutMs ?? 10_000,
        rebalanceTimeoutMs: options.rebalanceTimeoutMs ?? 60_000,
        protocolType: options.protocolType ?? 'consumer',
        protocols: options.protocols === '' ? [] : protocols,
        requiresKnownMemberId: options.requiresKnownMemberId ?? false,
        supportsSkipAssignment: options.supportsSkipAssignment ?? false,
        reason: null,
        agentId: options.agentId,
      },
    });
  }

  /** A known member rejoins with its id. */
  rejoin(name: string, options: JoinRequest = {}): string[] {
    return this.join(name, { memberId: `${name}-id`, ...options });
  }

  /** `assignments` is what the leader assigns: `a-id:1,b-id:2`. */
  sync(
    name: string,
    assignments = '',
    options: {
      generationId?: number;
      instance?: string;
      memberId?: string;
      type?: string;
      protocol?: string;
    } = {},
  ): string[] {
    return this.#run({
      kind: 'sync',
      token: this.#token(name),
      request: {
        groupId: 'g',
        generationId: options.generationId ?? this.group.generationId,
        memberId: options.memberId ?? `${name}-id`,
        groupInstanceId: options.instance ?? null,
        protocolType: options.type ?? null,
        protocolName: options.protocol ?? null,
        assignments: assignments
          .split(',')
          .filter((text) => text !== '')
          .map((text) => {
            const [memberId = '', assignment = ''] = text.split(':');
            return { memberId, assignment: Buffer.from(assignment) };
          }),
      },
    });
  }

  heartbeat(name: string, generationId = this.group.generationId, instance: string | null = null): string {
    const heartbeat = { groupId: 'g', generationId, memberId: `${name}-id`, groupInstanceId: instance };
    return this.#run({ kind: 'heartbeat', token: this.#token(name), heartbeat })[0]!
      .split(' ')
      .at(-1)!;
  }

  commit(
    memberId: string,
    generationIdOrMemberEpoch: number,
    {
      instance = null,
      isTransactional = false,
    }: { instance?: string | null; isTransactional?: boolean } = {},
  ): string {
    const committer = { groupId: 'g', memberId, generationIdOrMemberEpoch, groupInstanceId: instance };
    const event: ClassicEvent = { kind: 'commit', token: this.#token('commit'), committer, isTransactional };
    return this.#run(event)[0]!.split(' ').at(-1)!;
  }

  /** Members as `id`, `id/instance` or `/instance`. */
  leave(...members: string[]): string[] {
    return this.#run({
      kind: 'leave',
      token: this.#token('leave'),
      members: members.map((text) => {
        const [memberId = '', instance = null] = text.split('/');
        return { memberId, groupInstanceId: instance };
      }),
    });
  }

  agentsGone(...agentIds: string[]): string[] {
    return this.#run({ kind: 'agentsGone', agentIds: new Set(agentIds) });
  }

  delete(): string {
    return this.#run({ kind: 'delete', token: this.#token('delete') })[0]!
      .split(' ')
      .at(-1)!;
  }

  /** Advances time, and wakes the group at its deadlines. */
  pass(ms: number): string[] {
    const endMs = this.nowMs + ms;
    const answers: string[] = [];
    for (let next = nextDeadlineMs(this.group); next <= endMs; next = nextDeadlineMs(this.group)) {
      this.nowMs = Math.max(this.nowMs, next);
      answers.push(...this.#run({ kind: 'tick' }));
    }
    this.nowMs = endMs;
    return answers;
  }

  #token(name: string): number {
    this.#waiting.add(name);
    return this.#names.push(name) - 1;
  }

  #run(event: ClassicEvent): string[] {
    const effects = step(this.group, event, this.nowMs, this.rules);
    if (effects.isChanged) this.saves++;
    return this.#describe(effects);
  }

  #describe({ answers }: Effects): string[] {
    return answers.map(({ token, reply }) => {
      const name = this.#names[token]!;
      this.#waiting.delete(name);
      return `${name} ${sendReply(reply)}`;
    });
  }
}

function sendReply(reply: ClassicReply): string {
  if (typeof reply === 'string') return reply;
  if (isErrors(reply)) return reply.join(',');
  if (reply.error !== 'NONE')
    return 'memberId' in reply ? `${reply.error} ${reply.memberId}`.trim() : reply.error;
  return 'memberId' in reply ? sendJoined(reply) : sendSynced(reply);
}

function isErrors(reply: ClassicReply): reply is readonly GroupError[] {
  return Array.isArray(reply);
}

function sendJoined({
  generationId,
  protocolName,
  leader,
  memberId,
  members,
  skipAssignment,
}: JoinGroupAnswer) {
  const list = members.map((member) => `${member.memberId}=${Buffer.from(member.metadata)}`).join(' ');
  const role = leader === memberId ? `leads [${list}]` : `follows ${leader}`;
  const skips = skipAssignment ? ' without assigning' : '';
  return `joined ${generationId} ${protocolName} as ${memberId}, ${role}${skips}`;
}

function sendSynced({ assignment }: SyncGroupAnswer): string {
  return `synced "${Buffer.from(assignment)}"`;
}
