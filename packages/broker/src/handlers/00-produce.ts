import { type Metrics, nextTurn } from '@weir/core';
import { type Apis, errors } from '@weir/wire';
import { ClientInflation, type ConnectionInflation } from '../inflation/client-inflation.ts';
import { brokerLimits } from '../limits.ts';
import { mayProduce } from '../placement/roles.ts';
import { failedResponses, type ProduceRequest } from '../produce/partition-response.ts';
import {
  type DeferredBatch,
  type Draft,
  type DraftOptions,
  produceDrafts,
  settle,
  settlerOf,
} from '../produce/produce-draft.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import type { Answer, HandlerResult } from '../requests/handler-result.ts';
import { RequestOrder } from '../requests/request-order.ts';
import { eachInTurns, inTurns, TurnCount } from '../requests/turns.ts';
import type { TopicDistribution } from '../telemetry/topic-distributions.ts';
import { type CheckedBatch, checkBatchOffThread, schemasNeeded } from '../write-path/check-batch.ts';
import type { AppendOutcome, AppendResult, ProducedBatch } from '../write-path/produced-batch.ts';
import { produceOutcomes } from '../write-path/write-metrics.ts';
import type { AppendOptions, WritePath } from '../write-path/write-path.ts';

type ProduceApi = Apis['Produce'];
type ProduceResponse = ProduceApi['response']['fields'];

export interface ProduceOptions extends DraftOptions {
  readonly roles: readonly string[];
  readonly writePath: WritePath;
  /** Called with the timeout of each request, except those with acks 0. */
  readonly onRequest?: (clientId: string | null, timeoutMs: number) => void;
  /** Called with the time from the receipt of a request until its batches were written or refused. */
  readonly onWritten?: (latencyMs: number) => void;
  /** Shared by all APIs that decompress for clients. */
  readonly inflation?: ClientInflation;
  /** Yields to other work. Injected by tests that count the yields. */
  readonly pause?: () => Promise<void>;
  readonly metrics: Metrics;
  /** Counts bytes per topic and request. If absent, they are not counted. */
  readonly distribution?: TopicDistribution | undefined;
}

/** With acks 1, `timeoutMs` of the request has no meaning, because it is the time to wait for replicas. */
const usualTimeoutMs = 30_000;
/**
 * No object store completes a write in less time. Apache Kafka with one replica succeeds with any timeout, because it
 * writes synchronously.
 */
const timeoutMsMin = 1_000;

/**
 * Produce, v3 to v13. Each partition is validated separately. The valid ones are written together: all of them or, if
 * the store fails, none; more than `appendBatchesMax` in parts for which that holds. `append` is called before the
 * first await, which preserves the order of requests of a connection. Only batches with a large decompressed size are
 * awaited first, and requests for thousands of partitions, which are checked and answered in turns; then later requests
 * of the connection wait, too.
 *
 * Where the topic demands it, keys and values must fit the schemas that they name; a record that does not is
 * INVALID_RECORD with its index. If a schema is not known and the registry does not answer, the batch is
 * REQUEST_TIMED_OUT, which clients retry. While a schema is fetched, later requests of the connection wait.
 *
 * If records must be validated, the decompressed size of all batches of a request is limited; batches above the limit
 * fail with MESSAGE_TOO_LARGE. A connection that decompresses much more than it sends is slowed down. A partition that
 * appears twice fails with INVALID_REQUEST each time, so that a request decompresses each partition at most once.
 *
 * acks 1 waits as long as acks -1, because there is no state between received and durable. acks 0 waits too, to know
 * whether the connection must be closed.
 *
 * Transactional batches need a transactional id in the request; otherwise nothing of the request is written. From v12
 * on, their partitions are added to the transaction implicitly. A partition that is not part of an open transaction is
 * TRANSACTION_ABORTABLE from v11 on and INVALID_TXN_STATE before. A fenced producer gets INVALID_PRODUCER_EPOCH in
 * every version.
 *
 * Requires WRITE on each topic: partitions of a denied topic are TOPIC_AUTHORIZATION_FAILED, and the others are
 * written. Transactional batches require WRITE on the transactional id; without it nothing of the request is written.
 * If the client impersonates other principals, these need WRITE on the topic, and one record without it fails its
 * partition. Internal topics are INVALID_TOPIC_EXCEPTION, as in Apache Kafka.
 *
 * An agent without a produce role returns NOT_LEADER_OR_FOLLOWER, so that clients refresh their metadata and find
 * agents that have the role. acks 0 has no response, so the connection is closed instead.
 */
export function produceHandler(options: ProduceOptions): HandlerOf<ProduceApi> {
  const inflation = options.inflation ?? new ClientInflation();
  const draftOf = produceDrafts(options, inflation);
  /** Requests are in order when their writes have begun. */
  const order = new RequestOrder();

  const succeeded = options.metrics.series(produceOutcomes, { outcome: 'success' });
  const failed = options.metrics.series(produceOutcomes, { outcome: 'error' });

  return (request, context) => {
    if (!mayProduce(options.roles)) return request.acks === 0 ? 'close' : notLeader(request, context);
    return produce(request, context);
  };

  function counted(answer: Answer<ProduceResponse>): Answer<ProduceResponse> {
    (isSuccess(answer) ? succeeded : failed).add(1);
    return answer;
  }

  function produce(request: ProduceRequest, context: RequestContext): HandlerResult<ProduceResponse> {
    const { acks } = request;
    if (acks !== 0) options.onRequest?.(context.clientId, request.timeoutMs);
    const before = order.before(context.closed);
    const pause = options.pause ?? (() => nextTurn(context.clock));
    const drafted = inTurns(draftOf(request, context), context.clock);
    if (!(drafted instanceof Promise)) {
      if (isEmpty(drafted)) return counted(answerOf(drafted, acks, 0));
      if (drafted.deferredBatches.length === 0 && before === undefined) return write(drafted);
    }
    return writeInOrder(drafted, order.hold(context.closed));

    /** Later requests of the connection wait until the write has begun, or it is known that there is none. */
    async function writeInOrder(
      drafting: Draft | Promise<Draft>,
      release: () => void,
    ): Promise<Answer<ProduceResponse>> {
      let written: Promise<Answer<ProduceResponse>>;
      try {
        const draft = await drafting;
        await inflateInTurn(draft);
        // Nothing of the request was written yet, and the client is gone.
        if (hasLeft()) return counted('close');
        if (draft.batches.length === 0) return counted(answerOf(draft, acks, 0));
        const { appended } = await appendInParts(draft.batches);
        written = appended.then(answering(draft));
      } finally {
        release();
      }
      return written;
    }

    /** With acks 0, a client may close its connection as soon as everything is sent. */
    function hasLeft(): boolean {
      return request.acks !== 0 && context.left.aborted;
    }

    /**
     * Decompresses the batches one at a time, after those of earlier requests. Never throws: invalid bytes become an
     * error response.
     */
    async function inflateInTurn(draft: Draft): Promise<void> {
      await before;
      const connection = inflation.of(context);
      for (const deferred of draft.deferredBatches) {
        const checked = await checkInTurn(deferred, connection);
        if (checked === undefined) return;
        settle(draft, checked, deferred.place.partition, deferred.into, deferred.at);
      }
    }

    async function checkInTurn(
      { records, place, options: rules, schemas }: DeferredBatch,
      connection: ConnectionInflation,
    ): Promise<CheckedBatch | undefined> {
      for (;;) {
        // Not in the turn of the connection, which other connections wait for.
        await schemas?.load();
        const checked = await connection.run(async () =>
          hasLeft() ? undefined : checkBatchOffThread(records, place, rules, pause, schemas),
        );
        if (checked !== schemasNeeded) return checked;
      }
    }

    /** What most requests are: one promise, from its file to the socket. */
    function write(draft: Draft): Promise<Answer<ProduceResponse>> {
      return new Promise((resolve, reject) => {
        const answer = answering(draft);
        options.writePath.begin(draft.batches, appendOptions(), (outcome) => {
          try {
            resolve(answer(outcome));
          } catch (error) {
            reject(error);
          }
        });
      });
    }

    function appendOptions(): AppendOptions {
      return {
        deadlineMs: context.clock.monotonicMs() + timeoutMs(request),
        // With acks 0, a client may close its connection as soon as everything is sent.
        left: acks === 0 ? undefined : context.left,
        receivedMs: context.receivedMs,
        connection: context.closed,
      };
    }

    function append(batches: readonly ProducedBatch[]): Promise<AppendOutcome> {
      return options.writePath.append(batches, appendOptions());
    }

    /** Begins to write: many batches in several turns, so that the outcome is known later than that. */
    async function appendInParts(
      batches: readonly ProducedBatch[],
    ): Promise<{ readonly appended: Promise<AppendOutcome> }> {
      const partMax = brokerLimits.appendBatchesMax;
      if (batches.length <= partMax) return { appended: append(batches) };
      const parts: Promise<AppendOutcome>[] = [];
      for (let from = 0; from < batches.length; from += partMax) {
        parts.push(append(batches.slice(from, from + partMax)));
        await pause();
      }
      return { appended: Promise.all(parts).then(joinedOutcome) };
    }

    /** Returns how the outcome of a write that begins now becomes an answer. */
    function answering(draft: Draft): (outcome: AppendOutcome) => HandlerResult<ProduceResponse> {
      options.distribution?.note(context.cluster, draft.batches);
      const startedMs = context.receivedMs ?? context.clock.monotonicMs();
      return ({ results, throttleTimeMs }) => {
        const settleBatch = settlerOf(draft, results, context.apiVersion);
        return eachInTurns(draft.batches, context.clock, settleBatch, () => {
          options.onWritten?.(context.clock.monotonicMs() - startedMs);
          return counted(answerOf(draft, acks, throttleTimeMs));
        });
      };
    }
  }
}

/** A request with acks 0 has failed if it closes the connection. */
function isSuccess(answer: Answer<ProduceResponse>): boolean {
  if (typeof answer === 'string') return answer === 'noReply';
  return answer.responses.every(({ partitionResponses }) =>
    partitionResponses.every(({ errorCode }) => errorCode === errors.NONE.code),
  );
}

function notLeader(request: ProduceRequest, { clock }: RequestContext): HandlerResult<ProduceResponse> {
  const refused = inTurns(
    failedResponses(request, new TurnCount(), (index) => ({
      index,
      errorCode: errors.NOT_LEADER_OR_FOLLOWER.code,
      baseOffset: -1n,
    })),
    clock,
  );
  return refused instanceof Promise ? refused.then((responses) => ({ responses })) : { responses: refused };
}

function isEmpty({ batches, deferredBatches }: Draft): boolean {
  return batches.length === 0 && deferredBatches.length === 0;
}

function answerOf({ responses }: Draft, acks: number, throttleTimeMs: number): Answer<ProduceResponse> {
  if (acks !== 0) return { responses, throttleTimeMs };
  const hasFailed = responses.some(({ partitionResponses }) =>
    partitionResponses.some(({ errorCode }) => errorCode !== errors.NONE.code),
  );
  return hasFailed ? 'close' : 'noReply';
}

function joinedOutcome(parts: readonly AppendOutcome[]): AppendOutcome {
  const results: AppendResult[] = [];
  let throttleTimeMs = 0;
  for (const part of parts) {
    for (const result of part.results) results.push(result);
    throttleTimeMs = Math.max(throttleTimeMs, part.throttleTimeMs);
  }
  return { results, throttleTimeMs };
}

function timeoutMs({ acks, timeoutMs }: ProduceRequest): number {
  return acks === -1 ? Math.max(timeoutMs, timeoutMsMin) : usualTimeoutMs;
}
