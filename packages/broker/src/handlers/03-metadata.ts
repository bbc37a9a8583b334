import type { TopicDescription, TopicResult } from '@weir/cluster';
import { clusterResourceName, isInternalTopic } from '@weir/core';
import { type Access, mayOnCluster, operationsNotRequested } from '@weir/security';
import { type Apis, type ErrorName, errors, type RequestOf, type ResponseOf, zeroUuid } from '@weir/wire';
import type { ClusterView } from '../cluster/cluster-view.ts';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { SettledAgents } from '../cluster-calls/settled-agents.ts';
import { waitForView } from '../cluster-calls/wait-for-view.ts';
import { brokerLimits } from '../limits.ts';
import { parseClientFeatures } from '../placement/client-features.ts';
import { describedPartitions, leaderEpoch, type PlacementOf, rack } from '../placement/described-agents.ts';
import type { Placement } from '../placement/placement.ts';
import { FairQueue } from '../pressure/fair-queue.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { mapInTurns, Turns } from '../requests/turns.ts';
import { isTopicName } from '../topics/topic-name.ts';

const idsFromVersion = 12;

interface MetadataOptions {
  /** Bounds concurrent requests. If absent, there is no bound. */
  readonly turns?: FairQueue | undefined;
  /**
   * Whether a request first asks the leader, so that its answer has every topic that was created before it anywhere,
   * and none that was deleted. Otherwise the cluster view answers, which is a round trip behind.
   */
  readonly asksLeader?: boolean | undefined;
  /** Makes clients that are not new wait until the agents are known as they are now. If absent, none waits. */
  readonly settledAgents?: SettledAgents | undefined;
}

/**
 * Metadata v0 to v13: the agents and the leader of each partition, as seen by this client.
 *
 * - Each client has its own view: agents of this agent's group, in the client's zone if there are any, and leaders by
 *   the strategy that its client id or the flag names. Any agent can serve any partition.
 * - Rack is a constant, leader epoch is always 0 (or -1 for a client that opts out). Replicas and in-sync replicas are
 *   the leader and other agents, up to the replication factor of the topic or the number of agents. The controller is
 *   the agent that serves the request.
 * - A client whose connection is not new may ask because an agent died, which this agent then learns first.
 * - Null requests all topics, as does the empty list in v0; ids are supported from v12 on. A request is refused as a
 *   whole, without agents, if it has a topic without name and id, or before v12 an id (INVALID_REQUEST). A topic named
 *   twice is answered once.
 * - A missing topic is created if the request and `auto.create.topics.enable` allow it, and the response contains it.
 *   If the control plane is unavailable, or another agent created the topic first, it is LEADER_NOT_AVAILABLE, and
 *   clients retry. One request creates at most `brokerLimits.autoCreatedTopicsMax` topics; the rest are created when
 *   the client retries.
 * - Internal topics are listed only if named, and flagged as internal. They are never auto-created.
 * - The number of concurrent requests is limited (`-maxConcurrentMetadataRequestsPerCPU`); others wait in a queue. If
 *   the queue is full, topics are LEADER_NOT_AVAILABLE. A request for all topics has no place for that error, so its
 *   connection is closed. Requests that create topics leave their turn for that, and have a queue of their own.
 * - Requires DESCRIBE on the topic. Without it, a name is TOPIC_AUTHORIZATION_FAILED with a zero id, whether the topic
 *   exists or not; an id is TOPIC_AUTHORIZATION_FAILED without a name; and a request for all topics omits it. Creating
 *   a missing topic requires CREATE on the cluster or on the topic; otherwise it is TOPIC_AUTHORIZATION_FAILED, too.
 */
export function metadataHandler(
  placementOf: PlacementOf,
  { turns, asksLeader = false, settledAgents }: MetadataOptions = {},
): HandlerOf<Apis['Metadata']> {
  const creations = new FairQueue({
    runningMax: brokerLimits.autoCreationsMax,
    waitingMax: brokerLimits.autoCreationsWaitingMax,
  });

  return async (request, context) => {
    if (hasUnservedTopic(request, context)) return refused(request, context);
    const hasLeader = (await settledAgents?.settle(context)) ?? true;
    let missing: readonly MissingTopic[] = [];
    const first = await inTurn(request, context, async () => {
      // The leader publishes changes before it answers a call that came after them, over the same connection.
      if (asksLeader && hasLeader) await ifAvailable(context.cluster.port.describeJournal());
      if (asksForAll(request, context)) return answerOf(request, context, allTopics(context));
      const entries = await requestedTopics(request, context);
      missing = toCreate(entries, request, context);
      return missing.length > 0 ? entries : answerOf(request, context, [...entries.values()]);
    });
    if (!(first instanceof Map)) return first;
    await create(missing, first, context, hasLeader);
    return inTurn(request, context, () => answerOf(request, context, [...first.values()]));
  };

  /** The result of the work, or the answer to a client for which there is no turn. */
  async function inTurn<Result>(
    request: Request,
    context: RequestContext,
    work: () => Promise<Result>,
  ): Promise<Result | Response | 'close'> {
    if (turns === undefined) return work();
    const result = await turns.run(context.closed, work);
    if (result === 'gone') return 'close';
    if (result !== 'full') return result;
    return asksForAll(request, context)
      ? 'close'
      : answerOf(request, context, notAvailable(request, context));
  }

  /** Outside of the turns of other requests, because without a leader it takes seconds. */
  async function create(
    missing: readonly MissingTopic[],
    entries: Map<string, TopicEntry>,
    context: RequestContext,
    hasLeader: boolean,
  ): Promise<void> {
    const { clock, closed } = context;
    const endMs = clock.monotonicMs() + brokerLimits.autoCreationWaitMsMax;
    for (const { key, name } of missing) entries.set(key, failed('LEADER_NOT_AVAILABLE', name));
    if (!hasLeader) return;
    await creations.run(closed, async () => {
      if (clock.monotonicMs() <= endMs) await createTopics(missing, entries, context);
    });
  }

  async function answerOf(
    request: Request,
    context: RequestContext,
    topics: readonly TopicEntry[],
  ): Promise<Response> {
    const placement = placementOf(context);
    const answer = entryOf(placement, request, context);
    return {
      brokers: placement.agents.map((agent) => ({
        nodeId: agent.nodeId,
        host: placement.hostOf(agent),
        port: agent.kafkaPort,
        rack,
      })),
      clusterId: context.cluster.clusterId,
      controllerId: placement.controller.nodeId,
      topics: await mapInTurns(topics, context.clock, answer, ({ partitions }) => 1 + partitions.length),
      clusterAuthorizedOperations: request.includeClusterAuthorizedOperations
        ? clusterOperations(context.access)
        : operationsNotRequested,
    };
  }
}

/** A client without DESCRIBE on the cluster gets no operations. */
function clusterOperations(access: Access): number {
  return mayOnCluster(access, 'DESCRIBE') ? access.operationsOn('CLUSTER', clusterResourceName) : 0;
}

type Request = RequestOf<Apis['Metadata']>;
type Response = ResponseOf<Apis['Metadata']>;

/** The result for one requested topic. */
interface TopicEntry {
  readonly error: ErrorName;
  readonly name: string | null;
  readonly topicId: string;
  readonly topic: TopicDescription | undefined;
}

function asksForAll(request: Request, { apiVersion }: RequestContext): boolean {
  return request.topics === null || (apiVersion === 0 && request.topics.length === 0);
}

function allTopics({ access, cluster }: RequestContext): readonly TopicEntry[] {
  return Array.from(cluster.topics(), found).filter(
    ({ name }) => !isInternalTopic(name!) && access.mayQuietly('DESCRIBE', 'TOPIC', name!),
  );
}

/** Whether a topic is named in no way that the version serves: such a request is refused as a whole. */
function hasUnservedTopic({ topics }: Request, { apiVersion }: RequestContext): boolean {
  const hasIds = apiVersion >= idsFromVersion;
  return topics?.some(({ name, topicId }) => (topicId === zeroUuid ? name === null : !hasIds)) ?? false;
}

function refused({ topics }: Request, { apiVersion }: RequestContext): Response {
  return {
    brokers: [],
    clusterId: null,
    controllerId: -1,
    topics: (topics ?? []).map(({ name, topicId }) => ({
      errorCode: errors.INVALID_REQUEST.code,
      name: apiVersion >= idsFromVersion ? name : (name ?? ''),
      topicId,
      isInternal: false,
      partitions: [],
      topicAuthorizedOperations: operationsNotRequested,
    })),
    clusterAuthorizedOperations: operationsNotRequested,
    errorCode: errors.INVALID_REQUEST.code,
  };
}

function notAvailable({ topics }: Request, { apiVersion }: RequestContext): readonly TopicEntry[] {
  return (topics ?? []).map(({ name, topicId }) =>
    failed('LEADER_NOT_AVAILABLE', apiVersion >= idsFromVersion ? name : (name ?? ''), topicId),
  );
}

async function requestedTopics(request: Request, context: RequestContext): Promise<Map<string, TopicEntry>> {
  const entries = new Map<string, TopicEntry>();
  const turns = new Turns(context.clock);
  for (const { name, topicId } of request.topics ?? []) {
    // A topic without an id has a name, as was checked before.
    if (topicId === zeroUuid) entries.set(`name ${name}`, lookUpName(name!, context));
    else entries.set(`id ${topicId}`, lookUpId(topicId, context));
    const turn = turns.next();
    if (turn !== undefined) await turn;
  }
  return entries;
}

function lookUpId(topicId: string, { access, cluster }: RequestContext): TopicEntry {
  const topic = cluster.topicById(topicId);
  if (topic === undefined) return failed('UNKNOWN_TOPIC_ID', null, topicId);
  if (!access.may('DESCRIBE', 'TOPIC', topic.name)) {
    return failed('TOPIC_AUTHORIZATION_FAILED', null, topicId);
  }
  return found(topic);
}

function lookUpName(name: string, { access, cluster }: RequestContext): TopicEntry {
  if (!access.may('DESCRIBE', 'TOPIC', name)) return failed('TOPIC_AUTHORIZATION_FAILED', name);
  if (!isTopicName(name)) return failed('INVALID_TOPIC_EXCEPTION', name);
  const topic = cluster.topicByName(name);
  return topic === undefined ? failed('UNKNOWN_TOPIC_OR_PARTITION', name) : found(topic);
}

/** A topic to create, and its entry. */
interface MissingTopic {
  readonly key: string;
  readonly name: string;
}

function toCreate(
  entries: Map<string, TopicEntry>,
  { allowAutoTopicCreation }: Request,
  { cluster, access }: RequestContext,
): readonly MissingTopic[] {
  if (!allowAutoTopicCreation || cluster.clusterConfigs()['auto.create.topics.enable'] === 'false') return [];
  return refuseCreations(entries, access).slice(0, brokerLimits.autoCreatedTopicsMax);
}

async function createTopics(
  missing: readonly MissingTopic[],
  entries: Map<string, TopicEntry>,
  context: RequestContext,
): Promise<void> {
  const { cluster } = context;
  const topics = missing.map(({ name }) => ({ name, partitionCount: -1, configs: {} }));
  const results = await ifAvailable(cluster.port.createTopics(topics, { validateOnly: false }));
  if (results === undefined) return;
  await waitForView(context, () => isVisible(results, cluster));
  for (const [index, { key, name }] of missing.entries()) {
    const { error, topic } = results[index]!;
    if (topic !== undefined) entries.set(key, found(topic));
    // Another agent created it, and the cluster view does not have it yet.
    else entries.set(key, failed(error === 'TOPIC_ALREADY_EXISTS' ? 'LEADER_NOT_AVAILABLE' : error, name));
  }
}

/** Returns the topics to create. Topics that the client may not create are refused, however many there are. */
function refuseCreations(entries: Map<string, TopicEntry>, access: Access): MissingTopic[] {
  const missing = [...entries]
    .filter(([, { error, name }]) => error === 'UNKNOWN_TOPIC_OR_PARTITION' && !isInternalTopic(name!))
    .map(([key, { name }]) => ({ key, name: name! }));
  if (missing.length === 0 || access.mayQuietly('CREATE', 'CLUSTER', clusterResourceName)) return missing;
  return missing.filter(({ key, name }) => {
    if (access.may('CREATE', 'TOPIC', name)) return true;
    entries.set(key, failed('TOPIC_AUTHORIZATION_FAILED', name));
    return false;
  });
}

function isVisible(results: readonly TopicResult[], cluster: ClusterView): boolean {
  return results.every(({ topic }) => topic === undefined || cluster.topicById(topic.topicId) !== undefined);
}

function found(topic: TopicDescription): TopicEntry {
  return { error: 'NONE', name: topic.name, topicId: topic.topicId, topic };
}

function failed(error: ErrorName, name: string | null, topicId = zeroUuid): TopicEntry {
  return { error, name, topicId, topic: undefined };
}

function entryOf(placement: Placement, request: Request, { access, clientId }: RequestContext) {
  const { skipLeaderEpoch } = parseClientFeatures(clientId);
  const epoch = skipLeaderEpoch === true ? -1 : leaderEpoch;
  const operationsOn = ({ name }: TopicDescription) =>
    request.includeTopicAuthorizedOperations ? access.operationsOn('TOPIC', name) : operationsNotRequested;
  return ({ error, name, topicId, topic }: TopicEntry) => ({
    errorCode: errors[error].code,
    name,
    topicId,
    isInternal: topic !== undefined && isInternalTopic(topic.name),
    partitions: topic === undefined ? [] : describedPartitions(topic, placement, { epoch }),
    topicAuthorizedOperations: topic === undefined ? operationsNotRequested : operationsOn(topic),
  });
}
