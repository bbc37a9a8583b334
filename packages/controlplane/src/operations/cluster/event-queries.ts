import type { ErrorCode } from '@weir/api';
import type { ClusterPort, QueryRefusal } from '@weir/cluster';
import type { QueryAnswer, QueryRequest } from '@weir/events';
import { OperationFailed } from '../operation-failed.ts';

interface AskOptions {
  /** An id that no other query ever has. */
  readonly queryId: string;
  /** Aborted when the caller goes away. */
  readonly stop: AbortSignal;
}

/**
 * What clients wait for at most is 30 seconds, the way there and back included; what was found by then is worth more
 * than an error.
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

/** Those that the table of errors has better words for. */
const wordless: readonly QueryRefusal[] = ['noEngine', 'tooMany', 'cancelled'];

/** Has an agent of the cluster answer a question about its events. */
export async function askEngine(
  port: ClusterPort,
  request: QueryRequest,
  { queryId, stop }: AskOptions,
): Promise<QueryAnswer> {
  if (stop.aborted) throw new OperationFailed('context_canceled');
  // If the cancellation fails, the agent that runs the query ends it by its own limit.
  const cancel = () => void port.cancelQuery(queryId).catch(() => undefined);
  stop.addEventListener('abort', cancel, { once: true });
  try {
    const outcome = await port.runQuery({ queryId, request: Buffer.from(JSON.stringify(request)), limitMs });
    if (outcome.kind === 'answered') return JSON.parse(Buffer.from(outcome.answer).toString()) as QueryAnswer;
    const { refusal, message } = outcome;
    const words = wordless.includes(refusal) ? undefined : `The query was not answered: ${message}.`;
    throw new OperationFailed(codes[refusal], words);
  } finally {
    stop.removeEventListener('abort', cancel);
  }
}
