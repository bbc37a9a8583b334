import type { ErrorCode } from '@weir/api';
import type { ClusterPort, QueryRefusal } from '@weir/cluster';
import type { QueryAnswer, QueryRequest } from '@weir/events';
import { OperationFailed } from '../operation-failed.ts';

interface EngineQueryOptions {
  /** A globally unique id. */
  readonly queryId: string;
  /** Aborted when the caller disconnects. */
  readonly stop: AbortSignal;
}

/**
 * Clients wait at most 30 seconds, including the network; a partial result within that time is better than an error.
 */
const limitMs = 25_000;

const codes: Readonly<Record<QueryRefusal, ErrorCode>> = {
  noEngine: 'no_query_engine',
  tooMany: 'too_many_queries',
  tooLarge: 'invalid_request',
  cancelled: 'context_canceled',
  failed: 'unavailable',
  noAnswer: 'unavailable',
};

/** Refusals for which the error table has better messages. */
const withoutMessage: readonly QueryRefusal[] = ['noEngine', 'tooMany', 'cancelled'];

/** Runs a query over the events of a cluster on one of its agents. */
export async function queryEngine(
  port: ClusterPort,
  request: QueryRequest,
  options: EngineQueryOptions,
): Promise<QueryAnswer> {
  return (await askAgent(port, request, options)) as QueryAnswer;
}

/** Has one of the agents of a cluster answer a query of any kind. */
export async function askAgent(
  port: Pick<ClusterPort, 'runQuery' | 'cancelQuery'>,
  request: object,
  { queryId, stop }: EngineQueryOptions,
): Promise<unknown> {
  if (stop.aborted) throw new OperationFailed('context_canceled');
  // If the cancellation fails, the agent ends the query by its own limit.
  const cancel = () => void port.cancelQuery(queryId).catch(() => undefined);
  stop.addEventListener('abort', cancel, { once: true });
  try {
    const outcome = await port.runQuery({ queryId, request: Buffer.from(JSON.stringify(request)), limitMs });
    if (outcome.kind === 'answered') return JSON.parse(Buffer.from(outcome.answer).toString());
    const { refusal, message } = outcome;
    const text = withoutMessage.includes(refusal) ? undefined : `The query failed: ${message}.`;
    throw new OperationFailed(codes[refusal], text);
  } finally {
    stop.removeEventListener('abort', cancel);
  }
}
