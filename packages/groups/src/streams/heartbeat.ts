import type { StreamsHeartbeat, StreamsHeartbeatAnswer, StreamsStatus, StreamsTopology } from '@weir/cluster';
import { isPartOf, partitionsAsList, partitionsFrom } from '../assignors/partitions.ts';
import { noRoom, type Problem, problemOfCount, unknownMember } from '../modern/heartbeats.ts';
import { assignIfDue } from './assign.ts';
import { checkHeartbeat } from './check-heartbeat.ts';
import { type ConfiguredTopology, configureTopology } from './configure-topology.ts';
import { endpointsOf } from './endpoints.ts';
import type { StreamsStep } from './event.ts';
import { isSameTasks, newStreamsHolding, reconcileTasks } from './reconcile.ts';
import type { Tasks, TasksByKind } from './sticky-assignor.ts';
import { awayEpoch, charsOfMember, type StreamsGroup, type StreamsMember } from './streams-group.ts';
import { normalised } from './topology.ts';

/** The sender of a heartbeat: a known member, a new one, or a static one that returns with another id. */
type Sender =
  | { readonly member: StreamsMember; readonly replaced: undefined }
  | { readonly member: undefined; readonly replaced: StreamsMember | undefined };

/** A member joins, stays, reports its tasks, or leaves. */
export function onHeartbeat(step: StreamsStep, heartbeat: StreamsHeartbeat): StreamsHeartbeatAnswer {
  const { group } = step;
  const { memberId, memberEpoch } = heartbeat;
  const problem = checkHeartbeat(heartbeat, step.rules);
  if (problem !== undefined) return refusedStreams(problem, memberId);
  if (memberEpoch < 0) return onLeave(step, heartbeat);
  const owned = heartbeat.owned === null ? null : tasksFrom(heartbeat.owned);
  const sender = findSender(step, heartbeat, owned);
  if ('error' in sender) return refusedStreams(sender, memberId);
  const topology = acceptedTopology(step, heartbeat);
  if ('error' in topology) return refusedStreams(topology, memberId);
  const configured = configuredNow(step, topology.topology);
  const unfit = problemOfConfigured(configured, owned) ?? problemOfSize(step, heartbeat, sender);
  if (unfit !== undefined) return refusedStreams(unfit, memberId);
  const wasEmpty = group.members.size === 0;
  if (group.topology === undefined) {
    group.setTopology(topology.topology);
    step.isGroupChanged = true;
  }
  group.configured = configured;
  const member = sender.member ?? join(step, heartbeat, sender.replaced);
  if (sender.member !== undefined) update(step, member, heartbeat);
  if (group.standbyCount !== step.rules.standbyCount) step.bump();
  if (wasEmpty && step.rules.initialDelayMs > 0)
    group.delayedUntilMs = step.deadline(step.rules.initialDelayMs);
  if (heartbeat.shutdownApplication) group.shutdownBy ??= memberId;
  return advance(step, member, heartbeat, owned);
}

function findSender(
  { group, rules }: StreamsStep,
  { memberId, instanceId, memberEpoch }: StreamsHeartbeat,
  owned: TasksByKind | null,
): Sender | Problem {
  const known = group.member(memberId);
  const named = instanceId === null ? known : group.staticMember(instanceId);
  if (known !== undefined && named === known) {
    return checkEpoch(known, memberEpoch, owned) ?? { member: known, replaced: undefined };
  }
  if (memberEpoch !== 0) return named === undefined ? unknownMember(memberId) : fencedInstance(instanceId);
  if (known !== undefined)
    return { error: 'INVALID_REQUEST', message: `The member ${memberId} has another instance id.` };
  if (named !== undefined) {
    if (named.holding.epoch === awayEpoch) return { member: undefined, replaced: named };
    const message = `The instance id ${instanceId} belongs to member ${named.memberId}, which has not left.`;
    return { error: 'UNRELEASED_INSTANCE_ID', message };
  }
  return problemOfCount(group, rules) ?? { member: undefined, replaced: undefined };
}

/** A member that did not receive the last answer sends the previous epoch, and owns only what it was assigned. */
function checkEpoch(
  { holding }: StreamsMember,
  memberEpoch: number,
  owned: TasksByKind | null,
): Problem | undefined {
  if (memberEpoch === 0 || memberEpoch === holding.epoch) return undefined;
  const isBehind =
    memberEpoch === holding.previousEpoch &&
    owned !== null &&
    isPartOf(owned.active, holding.assigned.active) &&
    isPartOf(owned.standby, holding.assigned.standby);
  if (isBehind) return undefined;
  return {
    error: 'FENCED_MEMBER_EPOCH',
    message: `The member epoch is ${holding.epoch}, not ${memberEpoch}; the member must give up its tasks and rejoin.`,
  };
}

function fencedInstance(instanceId: string | null): Problem {
  return { error: 'FENCED_INSTANCE_ID', message: `Another member has the instance id ${instanceId} now.` };
}

/** The topology of the group; the first member brings it, and later ones bring the same or an earlier one. */
function acceptedTopology(
  { group }: StreamsStep,
  heartbeat: StreamsHeartbeat,
): { readonly topology: StreamsTopology } | Problem {
  const known = group.topology;
  if (heartbeat.topology === null)
    return known === undefined ? unknownMember(heartbeat.memberId) : { topology: known };
  const topology = normalised(heartbeat.topology);
  if (known === undefined) return { topology };
  if (topology.epoch < known.epoch || JSON.stringify(topology) === JSON.stringify(known))
    return { topology: known };
  return {
    error: 'INVALID_REQUEST',
    message:
      'Topology updates are not supported yet; delete the group once it is empty, or use another application id.',
  };
}

function configuredNow({ group, topics }: StreamsStep, topology: StreamsTopology): ConfiguredTopology {
  return group.configured ?? configureTopology(topology, topics);
}

function problemOfConfigured(
  { invalid, problem, taskCounts }: ConfiguredTopology,
  owned: TasksByKind | null,
): Problem | undefined {
  if (invalid !== undefined) return { error: 'STREAMS_INVALID_TOPOLOGY', message: invalid };
  if (problem !== undefined || owned === null) return undefined;
  for (const [subtopologyId, partitions] of [...owned.active, ...owned.standby]) {
    const count = taskCounts.get(subtopologyId);
    if (count === undefined)
      return unknownTask(`Subtopology ${subtopologyId} does not exist in the topology.`);
    const outside = partitions.find((partition) => partition < 0 || partition >= count);
    if (outside !== undefined) {
      return unknownTask(
        `Task ${outside} for subtopology ${subtopologyId} is invalid. Number of tasks for this subtopology: ${count}`,
      );
    }
  }
  return undefined;
}

function unknownTask(message: string): Problem {
  return { error: 'INVALID_REQUEST', message };
}

function problemOfSize(
  { group, rules }: StreamsStep,
  heartbeat: StreamsHeartbeat,
  { member }: Sender,
): Problem | undefined {
  const before = member === undefined ? 0 : charsOfMember(member);
  const chars = charsOfMember({
    memberId: heartbeat.memberId,
    processId: heartbeat.processId ?? member?.processId ?? '',
    endpoint: heartbeat.endpoint ?? member?.endpoint ?? null,
    clientTags: heartbeat.clientTags ?? member?.clientTags ?? {},
  });
  return chars <= before || group.textChars + chars - before <= rules.textCharsMax ? undefined : noRoom;
}

function join(
  step: StreamsStep,
  heartbeat: StreamsHeartbeat,
  replaced: StreamsMember | undefined,
): StreamsMember {
  const { group } = step;
  const { memberId, instanceId, rackId, clientId, clientHost, rebalanceTimeoutMs } = heartbeat;
  // The replacement of a static member inherits its targets and tasks.
  const targets = replaced === undefined ? undefined : group.tasksOf(replaced.memberId);
  const holding = replaced === undefined ? newStreamsHolding : comeBack(replaced);
  if (replaced !== undefined) step.remove(replaced);
  const member: StreamsMember = {
    ...{ memberId, instanceId, rackId, clientId, clientHost, rebalanceTimeoutMs, holding },
    topologyEpoch: heartbeat.topology!.epoch,
    processId: heartbeat.processId ?? '',
    endpoint: heartbeat.endpoint,
    clientTags: heartbeat.clientTags ?? {},
    sessionDeadlineMs: 0,
    rebalanceDeadlineMs: undefined,
  };
  group.add(member);
  step.change(member);
  step.isGroupChanged = true;
  if (targets === undefined) step.bump();
  else {
    group.targets.set(memberId, targets.active);
    group.standbyTargets.set(memberId, targets.standby);
    if (replaced!.processId !== member.processId) step.bump();
  }
  return member;
}

/** A returning member has no epoch until it gets its tasks. */
function comeBack({ holding: { assigned, since } }: StreamsMember) {
  return { ...newStreamsHolding, assigned, since };
}

function update(step: StreamsStep, member: StreamsMember, heartbeat: StreamsHeartbeat): void {
  const { group } = step;
  if (heartbeat.memberEpoch === 0 && member.holding.epoch === awayEpoch) {
    group.setHolding(member, comeBack(member));
    step.change(member);
  }
  const wanted = {
    rackId: heartbeat.rackId ?? member.rackId,
    clientId: heartbeat.clientId,
    clientHost: heartbeat.clientHost,
    rebalanceTimeoutMs:
      heartbeat.rebalanceTimeoutMs === -1 ? member.rebalanceTimeoutMs : heartbeat.rebalanceTimeoutMs,
    topologyEpoch: heartbeat.topology?.epoch ?? member.topologyEpoch,
    processId: heartbeat.processId ?? member.processId,
    endpoint: heartbeat.endpoint ?? member.endpoint,
    clientTags: heartbeat.clientTags ?? member.clientTags,
  };
  if (isUnchanged(member, wanted)) return;
  if (member.endpoint !== wanted.endpoint) group.endpointEpoch++;
  group.change(member, (changing) => Object.assign(changing, wanted));
  step.change(member);
  step.bump();
}

function isUnchanged(member: StreamsMember, wanted: Partial<StreamsMember>): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => JSON.stringify(member[name as keyof StreamsMember]) === JSON.stringify(value),
  );
}

/** Reconciles the member as far as possible and returns what is new to it. */
function advance(
  step: StreamsStep,
  member: StreamsMember,
  heartbeat: StreamsHeartbeat,
  owned: TasksByKind | null,
): StreamsHeartbeatAnswer {
  const { group, rules } = step;
  const { memberEpoch, endpointEpoch } = heartbeat;
  const before = member.holding;
  const delay = assignIfDue(step);
  reconcileMember(step, member, owned);
  step.keepAlive(member);
  const { holding } = member;
  const isChanged = !isSameTasks(before.assigned, holding.assigned);
  if (isChanged && member.endpoint !== null) group.endpointEpoch++;
  const isNews =
    isChanged ||
    memberEpoch === 0 ||
    memberEpoch !== before.epoch ||
    (owned !== null && !isSameTasks(owned, holding.assigned));
  const configured = group.configured!;
  return {
    error: 'NONE',
    message: null,
    memberId: member.memberId,
    memberEpoch: holding.epoch,
    heartbeatIntervalMs: rules.heartbeatIntervalMs,
    status: statusOf(group, member, delay),
    tasks: isNews ? tasksAsLists(holding.assigned) : null,
    endpointEpoch: group.endpointEpoch,
    endpoints: group.endpointEpoch === endpointEpoch ? null : endpointsOf(group, step.topics),
    topicsToCreate: configured.topicsToCreate,
  };
}

function statusOf(
  { topology, configured, shutdownBy }: StreamsGroup,
  { topologyEpoch }: StreamsMember,
  delay: StreamsStatus | undefined,
): StreamsStatus[] {
  const status: StreamsStatus[] = [];
  if (topologyEpoch < topology!.epoch) {
    status.push({
      status: 'STALE_TOPOLOGY',
      detail: `The member's topology epoch ${topologyEpoch} is behind the group's topology epoch ${topology!.epoch}.`,
    });
  }
  if (delay !== undefined) status.push(delay);
  if (configured?.problem !== undefined) status.push(configured.problem);
  if (shutdownBy !== undefined) {
    status.push({
      status: 'SHUTDOWN_APPLICATION',
      detail: `Streams group member ${shutdownBy} encountered a fatal error and requested a shutdown for the entire application.`,
    });
  }
  return status;
}

function reconcileMember(step: StreamsStep, member: StreamsMember, owned: TasksByKind | null): void {
  const { group } = step;
  const { memberId, holding } = member;
  const target = { epoch: group.assignmentEpoch, ...group.tasksOf(memberId) };
  const next = reconcileTasks(holding, target, owned, (kind, subtopologyId, partition) =>
    group.isFree(member, kind, subtopologyId, partition),
  );
  if (next === holding) return;
  group.setHolding(member, next);
  step.change(member);
  if (next.state !== 'revoking') member.rebalanceDeadlineMs = undefined;
  else member.rebalanceDeadlineMs = step.deadline(member.rebalanceTimeoutMs);
}

function onLeave(step: StreamsStep, heartbeat: StreamsHeartbeat): StreamsHeartbeatAnswer {
  const { group } = step;
  const { memberId, instanceId, memberEpoch } = heartbeat;
  const member = instanceId === null ? group.member(memberId) : group.staticMember(instanceId);
  if (member === undefined) return refusedStreams(unknownMember(memberId), memberId);
  if (member.memberId !== memberId) return refusedStreams(fencedInstance(instanceId), memberId);
  if (heartbeat.shutdownApplication) group.shutdownBy ??= memberId;
  if (memberEpoch === awayEpoch) {
    const { assigned, since } = member.holding;
    group.setHolding(member, { ...newStreamsHolding, epoch: awayEpoch, assigned, since });
    member.rebalanceDeadlineMs = undefined;
    step.keepAlive(member);
    step.change(member);
  } else {
    step.remove(member);
    step.bump();
    assignIfDue(step);
  }
  return { ...refusedStreams({ error: 'NONE', message: '' }, memberId), message: null, memberEpoch };
}

export function refusedStreams({ error, message }: Problem, memberId: string): StreamsHeartbeatAnswer {
  return {
    ...{ error, message, memberId, memberEpoch: 0, heartbeatIntervalMs: 0 },
    ...{ status: [], tasks: null, endpointEpoch: 0, endpoints: null, topicsToCreate: [] },
  };
}

export function tasksAsLists({ active, standby }: TasksByKind) {
  return { active: asList(active), standby: asList(standby) };
}

function asList(tasks: Tasks) {
  return partitionsAsList(tasks).map(({ topicId, partitions }) => ({ subtopologyId: topicId, partitions }));
}

function tasksFrom({ active, standby }: NonNullable<StreamsHeartbeat['owned']>): TasksByKind {
  const from = (tasks: typeof active) =>
    partitionsFrom(tasks.map(({ subtopologyId, partitions }) => ({ topicId: subtopologyId, partitions })));
  return { active: from(active), standby: from(standby) };
}
