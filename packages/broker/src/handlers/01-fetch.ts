import { clusterLimits } from '@weir/cluster/limits';
import { type Apis, type ErrorName, errors, type RequestOf, type ResponseOf } from '@weir/wire';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import type { DamageRegistry } from '../damage/damage-registry.ts';
import type { FetchPartition, FetchSessions } from '../fetch/fetch-sessions.ts';
import { PartitionFetch, type PartitionFetchOptions, topicIdsFromVersion } from '../fetch/partition-fetch.ts';
import { brokerLimits } from '../limits.ts';
import { mayFetch } from '../placement/roles.ts';
import type { AnswerMemory, AnswerRoom } from '../pressure/answer-memory.ts';
import { DamagedRange } from '../read-path/damaged-range.ts';
import type { ReadQuery } from '../read-path/query-reader.ts';
import type { ReadPath } from '../read-path/read-path.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import {
  eachInTurns,
  inTurns,
  mappedInTurns,
  TurnCount,
  Turns,
  type WorkInTurns,
} from '../requests/turns.ts';
import type { TopicDistribution } from '../telemetry/topic-distributions.ts';
import { refusalsById, refusalsByName } from '../topics/topic-refusals.ts';

type FetchApi = Apis['Fetch'];
type FetchResponse = ResponseOf<FetchApi>;
type TopicResponse = FetchResponse['responses'][number];
type PartitionResponse = TopicResponse['partitions'][number];

interface FetchOptions {
  readonly roles: readonly string[];
  readonly readPath: ReadPath;
  readonly damage: DamageRegistry;
  readonly sessions: FetchSessions;
  /**
   * Upper bounds on the size of one response and of one partition in it, whatever the client requests. They count bytes
   * as stored, and again as what the batches claim to become when they are decompressed.
   */
  readonly requestBytesMax: number;
  readonly partitionBytesMax: number;
  /** Memory budget for responses. If absent, only the limits above bound a response. */
  readonly answers?: AnswerMemory;
  /** Aborted when the agent stops: long polls then return what is available. */
  readonly stopping?: AbortSignal;
  /** Called for every request. */
  readonly onFetch?: () => void;
  /** Whether a response has one batch of each partition, as in releases before v683. */
  readonly returnsSingleBatch?: boolean;
  /** Whether an offset that is out of range in a topic is KAFKA_STORAGE_ERROR, so that no client starts anew. */
  readonly hidesOutOfRange?: ((topicId: string) => boolean) | undefined;
  /** Counts bytes per topic and request. If absent, they are not counted. */
  readonly distribution?: TopicDistribution | undefined;
}

/** How long a fetch waits for response memory before it returns without records. */
const roomWaitMs = 1_000;
const storageErrorFromVersion = 6;
const readCommitted = 1;
const noRecords = Buffer.alloc(0);

/** What a partition costs that is looked up or read, in entries, and how many of them make a turn. */
const locatedCost = 2;
const partitionsPerTurn = brokerLimits.entriesPerTurnMax / locatedCost;

/**
 * Fetch, v4 to v18: locates the batches, waits until there are enough of them, and returns views of the pages that hold
 * them. Does not call the control plane as long as the offsets are in the tail of the cluster view.
 *
 * Batches that the store lost are an error of their partition once a client fetches them; batches before them are
 * served.
 *
 * Errors are per partition; one error is enough to return at once. The limits are Kafka's: in the order of the request,
 * the first partition with data gets one batch whatever its size, and then the limits apply.
 *
 * A read_committed consumer gets records before the last stable offset, waits until that offset grows, and gets the
 * list of aborted transactions. Control batches are sent to all consumers, which skip them. Limits of clients count
 * bytes as stored, those of the agent also decompressed ones.
 *
 * A client above its quota gets a response without records and a throttle time.
 *
 * Thousands of partitions are fetched in turns.
 *
 * Requires READ on the topic. It is checked in every request, also within a session: partitions of a denied topic are
 * TOPIC_AUTHORIZATION_FAILED as long as access is denied, and the others are read. Access cannot be checked for an
 * unknown id, which is UNKNOWN_TOPIC_ID.
 *
 * An agent without a fetch role returns NOT_LEADER_OR_FOLLOWER, so that clients refresh their metadata.
 */
export function fetchHandler(options: FetchOptions): HandlerOf<FetchApi> {
  return (request, context) => {
    if (!mayFetch(options.roles)) return notLeader(request, context);
    options.onFetch?.();
    const room: { taken?: AnswerRoom | undefined } = {};
    const answer = answerOf(request, context, room);
    // Released one step later, when the receiver of the response has already counted it.
    if (options.answers !== undefined) void answer.then(nothing, nothing).then(() => room.taken?.release());
    return answer;
  };

  async function answerOf(
    request: RequestOf<FetchApi>,
    context: RequestContext,
    room: { taken?: AnswerRoom | undefined },
  ): Promise<FetchResponse> {
    const { quotas, clock } = context;
    const owner = context.session.principal.name;
    const beginning = inTurns(options.sessions.begin(request, context.apiVersion, owner), clock);
    const round = beginning instanceof Promise ? await beginning : beginning;
    if (typeof round === 'string') {
      return { throttleTimeMs: 0, errorCode: errors[round].code, sessionId: 0, responses: [] };
    }
    const bytesMax = Math.min(Math.max(request.maxBytes, 0), options.requestBytesMax, quotas.fetchBytesMax());
    const isCommitted = request.isolationLevel === readCommitted;
    const permitted = permittedFetches(round.partitions, { isCommitted, ...options }, context);
    const fetches = permitted instanceof Promise ? await permitted : permitted;
    await locateEnough(fetches, request, bytesMax, context);
    const checked = failDamaged(fetches, context);
    const wantedBytes = Math.min(bytesMax, checked instanceof Promise ? await checked : checked);
    let throttleTimeMs = 0;
    if (options.answers === undefined || wantedBytes === 0) {
      await read(fetches, bytesMax, context);
    } else {
      room.taken = await options.answers.room(wantedBytes, { waitMs: roomWaitMs, closed: context.closed });
      if (room.taken !== undefined) await read(fetches, Math.min(bytesMax, room.taken.bytes), context);
      else throttleTimeMs = roomWaitMs;
    }

    const quotaWaitMs = quotas.fetched(
      fetches.reduce((bytes, { batches }) => bytes + (batches?.bytes ?? 0), 0),
    );
    for (const fetch of fetches) {
      if (quotaWaitMs > 0) fetch.batches = undefined;
      if (fetch.batches !== undefined) options.readPath.sent(fetch.batches);
    }
    throttleTimeMs = Math.max(throttleTimeMs, quotaWaitMs);
    options.distribution?.note(context.cluster, fetchedParts(fetches));
    const ending = inTurns(round.end(fetches), clock);
    const { sessionId, reported } = ending instanceof Promise ? await ending : ending;
    const answering = responsesOf(reported, context);
    const responses = answering instanceof Promise ? await answering : answering;
    return { throttleTimeMs, errorCode: 0, sessionId, responses };
  }

  /**
   * Waits until the located batches reach `minBytes`, a partition has an error, the deadline passes, the client is gone
   * or the agent stops.
   */
  async function locateEnough(
    fetches: readonly PartitionFetch[],
    { maxWaitMs, minBytes }: RequestOf<FetchApi>,
    bytesMax: number,
    context: RequestContext,
  ): Promise<void> {
    const { clock, closed } = context;
    const deadlineMs = clock.monotonicMs() + Math.min(Math.max(maxWaitMs, 0), clusterLimits.fetchWaitMsMax);
    const enoughBytes = Math.min(minBytes, bytesMax);
    for (;;) {
      const { hasError, bytes } = await locate(fetches, bytesMax, context);
      if (hasError || bytes >= enoughBytes) return;
      if (closed.aborted || options.stopping?.aborted === true || clock.monotonicMs() >= deadlineMs) return;
      await growth(fetches, deadlineMs, context, options.stopping);
    }
  }

  /**
   * Locates batches: from the tail of the cluster view, and with one call to the control plane for the rest, or a few
   * if these are many. Returns what was located.
   */
  async function locate(
    fetches: readonly PartitionFetch[],
    bytesMax: number,
    context: RequestContext,
  ): Promise<{ readonly hasError: boolean; readonly bytes: number }> {
    const turns = new Turns(context.clock);
    let bytes = 0;
    let askedBytes = 0;
    let hasError = false;
    const unknown: PartitionFetch[] = [];
    for (const fetch of fetches) {
      if (!fetch.hasError) fetch.locateInView(context);
      if (fetch.hasError) hasError = true;
      else if (fetch.mustAsk && bytes + askedBytes < bytesMax) {
        unknown.push(fetch);
        askedBytes += fetch.locatedBytes;
      } else bytes += fetch.locatedBytes;
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    await ask(unknown, bytesMax, context);
    for (const fetch of unknown) {
      if (fetch.hasError) hasError = true;
      bytes += fetch.locatedBytes;
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
    return { hasError, bytes };
  }

  async function ask(
    fetches: readonly PartitionFetch[],
    bytesMax: number,
    { cluster, clock }: RequestContext,
  ): Promise<void> {
    if (fetches.length === 0) return;
    const turns = new Turns(clock);
    for (let from = 0; from < fetches.length; from += partitionsPerTurn) {
      const part = fetches.slice(from, from + partitionsPerTurn);
      const queries = part.map((fetch) => ({
        topicId: fetch.topicId,
        partition: fetch.partition.partition,
        offset: fetch.offset,
        bytesMax: Math.max(1, Math.min(fetch.bytesMax, bytesMax)),
      }));
      const answers = await ifAvailable(cluster.port.findBatches(queries));
      for (const [index, fetch] of part.entries()) {
        if (answers === undefined) fetch.fail('KAFKA_STORAGE_ERROR');
        else fetch.take(answers[index]!);
      }
      const turn = turns.next(part.length * locatedCost);
      if (turn !== undefined) await turn;
    }
  }

  async function read(
    fetches: readonly PartitionFetch[],
    bytesMax: number,
    context: RequestContext,
  ): Promise<void> {
    const planning = plan(fetches, bytesMax, context);
    const planned = planning instanceof Promise ? await planning : planning;
    const turns = new Turns(context.clock);
    for (let from = 0; from < planned.length; from += partitionsPerTurn) {
      const part =
        planned.length <= partitionsPerTurn ? planned : planned.slice(from, from + partitionsPerTurn);
      await readPart(part, context);
      const turn = turns.next(part.length * locatedCost);
      if (turn !== undefined) await turn;
    }

    let leftBytes = bytesMax;
    let leftUncompressed = options.requestBytesMax;
    for (const { fetch, query } of planned) {
      if (!query.atLeastOne) fetch.batches?.trimTo(leftBytes, leftUncompressed);
      leftBytes = Math.max(0, leftBytes - (fetch.batches?.bytes ?? 0));
      leftUncompressed = Math.max(0, leftUncompressed - (fetch.batches?.uncompressedBytes ?? 0));
      const turn = turns.next();
      if (turn !== undefined) await turn;
    }
  }

  async function readPart(planned: readonly PlannedFetch[], context: RequestContext): Promise<void> {
    const queries = planned.map(({ query }) => query);
    const reading = options.readPath.readBatches(queries, context.hold);
    const results = reading instanceof Promise ? await reading : reading;
    const again: PlannedFetch[] = [];
    for (const [index, { fetch, query }] of planned.entries()) {
      const result = results[index]!;
      // A compaction may have replaced the file since the tail learned of it; the control plane knows the new one.
      if (result instanceof DamagedRange && result.damage.kind === 'missing') {
        const { topicId, partition } = fetch;
        context.cluster.dropRecentPointers(topicId, partition.partition, result.damage.nextOffset);
        again.push({ fetch, query });
      } else fetch.finish(result, context);
    }
    if (again.length > 0) await readAgain(again, context);
  }

  async function readAgain(again: readonly PlannedFetch[], context: RequestContext): Promise<void> {
    await ask(
      again.map(({ fetch }) => fetch),
      Number.POSITIVE_INFINITY,
      context,
    );
    const left = again.filter(({ fetch }) => !fetch.hasError && fetch.pointers !== undefined);
    const results = await options.readPath.readBatches(
      left.map(({ fetch, query }) => fetch.query(query.bytesMax, query.atLeastOne)),
      context.hold,
    );
    for (const [index, { fetch }] of left.entries()) fetch.finish(results[index]!, context);
  }
}

interface PlannedFetch {
  readonly fetch: PartitionFetch;
  readonly query: ReadQuery;
}

/** Partitions whose topic the client may not read have an error. Later steps skip partitions with an error. */
function permittedFetches(
  partitions: readonly FetchPartition[],
  options: PartitionFetchOptions,
  context: RequestContext,
): PartitionFetch[] | Promise<PartitionFetch[]> {
  const usesTopicIds = context.apiVersion >= topicIdsFromVersion;
  const refusalOf = usesTopicIds ? refusalsById(context, 'READ') : refusalsByName(context, 'READ');
  const fetches: PartitionFetch[] = [];
  const add = (wanted: FetchPartition) => {
    const fetch = new PartitionFetch(wanted, options);
    const refusal = refusalOf(usesTopicIds ? wanted.topicId : wanted.topicName);
    if (refusal !== undefined) fetch.fail(refusal);
    fetches.push(fetch);
  };
  return eachInTurns(partitions, context.clock, add, () => fetches);
}

/** Fails partitions with known damage, and returns the located bytes of the others. */
function failDamaged(
  fetches: readonly PartitionFetch[],
  { clock }: RequestContext,
): number | Promise<number> {
  let bytes = 0;
  const check = (fetch: PartitionFetch) => {
    fetch.failIfDamaged();
    bytes += fetch.locatedBytes;
  };
  return eachInTurns(fetches, clock, check, () => bytes);
}

function notLeader(
  { topics }: RequestOf<FetchApi>,
  { clock }: RequestContext,
): FetchResponse | Promise<FetchResponse> {
  const answering = inTurns(responses(), clock);
  return answering instanceof Promise ? answering.then(answerOf) : answerOf(answering);

  function* responses(): WorkInTurns<TopicResponse[]> {
    const turns = new TurnCount();
    const refused: TopicResponse[] = [];
    for (const { topic, topicId, partitions } of topics) {
      if (turns.ends()) yield;
      refused.push({
        topic,
        topicId,
        partitions: yield* mappedInTurns(partitions, turns, ({ partition }) => ({
          partitionIndex: partition,
          errorCode: errors.NOT_LEADER_OR_FOLLOWER.code,
          highWatermark: -1n,
          abortedTransactions: [],
          records: null,
        })),
      });
    }
    return refused;
  }

  function answerOf(refused: TopicResponse[]): FetchResponse {
    return { throttleTimeMs: 0, responses: refused };
  }
}

/**
 * Selects the ranges to read, in the order of the request. The bytes that a partition takes of the limit are known only
 * after the read, so the plan uses the sizes of ranges and the result is trimmed afterwards.
 */
function plan(
  fetches: readonly PartitionFetch[],
  bytesMax: number,
  { clock }: RequestContext,
): PlannedFetch[] | Promise<PlannedFetch[]> {
  const planned: PlannedFetch[] = [];
  let leftBytes = bytesMax;
  const add = (fetch: PartitionFetch) => {
    if (fetch.pointers === undefined) return;
    const atLeastOne = planned.length === 0;
    const share = Math.min(fetch.bytesMax, leftBytes);
    if (share <= 0 && !atLeastOne) return;
    planned.push({ fetch, query: fetch.query(share, atLeastOne) });
    leftBytes -= Math.min(share, fetch.locatedBytes);
  };
  return eachInTurns(fetches, clock, add, () => planned);
}

function* fetchedParts(fetches: readonly PartitionFetch[]) {
  for (const { topicId, batches } of fetches) {
    if (batches !== undefined) yield { topicId, uncompressedBytes: batches.uncompressedBytes };
  }
}

function nothing(): void {}

/** Resolves when one of the partitions grows, at the deadline, when the client is gone, and when the agent stops. */
function growth(
  fetches: readonly PartitionFetch[],
  deadlineMs: number,
  { cluster, clock, closed }: RequestContext,
  stopping: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const cancels: (() => void)[] = [];
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      closed.removeEventListener('abort', end);
      stopping?.removeEventListener('abort', end);
      void inTurns(
        mappedInTurns(cancels, new TurnCount(), (cancel) => cancel()),
        clock,
      );
      resolve();
    };
    cancels.push(clock.after(deadlineMs - clock.monotonicMs(), end));
    closed.addEventListener('abort', end);
    stopping?.addEventListener('abort', end);
    void inTurns(watch(), clock);

    function* watch(): WorkInTurns<void> {
      const turns = new TurnCount();
      for (const { topicId, partition, awaited } of fetches) {
        if (isOver) return;
        const cancel = cluster.whenBeyond(topicId, partition.partition, awaited.beyond, end, awaited.end);
        if (isOver) cancel();
        else cancels.push(cancel);
        if (turns.ends()) yield;
      }
    }
  });
}

function responsesOf(
  fetches: readonly PartitionFetch[],
  { apiVersion, clock }: RequestContext,
): TopicResponse[] | Promise<TopicResponse[]> {
  const byTopic = new Map<string, { topic: string; topicId: string; partitions: PartitionResponse[] }>();
  const add = (fetch: PartitionFetch) => {
    const { topicName, topicId, partition } = fetch.partition;
    const key = apiVersion >= topicIdsFromVersion ? topicId : topicName;
    let entry = byTopic.get(key);
    if (entry === undefined) {
      entry = { topic: topicName, topicId, partitions: [] };
      byTopic.set(key, entry);
    }
    entry.partitions.push({
      partitionIndex: partition,
      errorCode: errors[errorFor(fetch.error, apiVersion)].code,
      highWatermark: BigInt(fetch.highWatermark),
      lastStableOffset: BigInt(fetch.lastStableOffset),
      logStartOffset: BigInt(fetch.logStartOffset),
      abortedTransactions: fetch.abortedTransactions,
      records: fetch.hasRecords ? fetch.batches!.slices : noRecords,
    });
  };
  return eachInTurns(fetches, clock, add, () => [...byTopic.values()]);
}

/** Maps an error to one that old clients know and handle the same way. */
function errorFor(error: ErrorName, apiVersion: number): ErrorName {
  if (error === 'KAFKA_STORAGE_ERROR' && apiVersion < storageErrorFromVersion)
    return 'NOT_LEADER_OR_FOLLOWER';
  if (error === 'UNKNOWN_TOPIC_ID' && apiVersion < topicIdsFromVersion) return 'INVALID_TOPIC_EXCEPTION';
  return error;
}
