import { compilePattern, matchInSlices, transactionStates } from '@weir/cluster';
import { type Apis, errors } from '@weir/wire';
import { coordinatorAnswer } from '../cluster-calls/coordinator-answer.ts';
import type { HandlerOf } from '../requests/handler.ts';

/** Kafka has more states than this service: a filter for one of those below is valid and matches nothing. */
const knownStates: ReadonlySet<string> = new Set([
  ...transactionStates,
  'PrepareCommit',
  'PrepareAbort',
  'Dead',
  'PrepareEpochFence',
]);

/**
 * ListTransactions v0 to v2. Every agent lists all transactions of the cluster.
 *
 * - Unknown states are returned in `unknownStateFilters`; if all states of the filter are unknown, nothing matches.
 * - A pattern that is not a regular expression (RE2), or too expensive, is INVALID_REGULAR_EXPRESSION. Matching yields
 *   to other requests.
 * - If the control plane is unavailable or fails, the error is COORDINATOR_LOAD_IN_PROGRESS.
 * - Transactional ids that the client may not DESCRIBE are omitted.
 */
export const listTransactionsHandler: HandlerOf<Apis['ListTransactions']> = async (request, context) => {
  const { access, clock, cluster } = context;
  const unknownStateFilters = [...new Set(request.stateFilters)].filter((state) => !knownStates.has(state));
  const states = request.stateFilters.filter((state) => knownStates.has(state));
  const answer = (error: keyof typeof errors, found: readonly Found[] = []) => ({
    throttleTimeMs: 0,
    errorCode: errors[error].code,
    unknownStateFilters,
    transactionStates: found,
  });
  const pattern = request.transactionalIdPattern ? compilePattern(request.transactionalIdPattern) : undefined;
  if (pattern?.problem !== undefined) return answer('INVALID_REGULAR_EXPRESSION');
  if (states.length === 0 && unknownStateFilters.length > 0) return answer('NONE');
  const listed = await coordinatorAnswer(
    cluster.port.listTransactions({
      states,
      producerIds: request.producerIdFilters.map(Number),
      openForMs: Number(request.durationFilter),
    }),
    context,
  );
  if (listed === undefined) return answer('COORDINATOR_LOAD_IN_PROGRESS');
  const visible = listed.filter(({ transactionalId }) =>
    access.mayQuietly('DESCRIBE', 'TRANSACTIONAL_ID', transactionalId),
  );
  const matching =
    pattern === undefined
      ? visible
      : await matchInSlices(pattern, visible, ({ transactionalId }) => transactionalId, clock);
  if (matching === undefined) return answer('INVALID_REGULAR_EXPRESSION');
  return answer(
    'NONE',
    matching.map(({ transactionalId, producerId, state }) => ({
      transactionalId,
      producerId: BigInt(producerId),
      transactionState: state,
    })),
  );
};

interface Found {
  readonly transactionalId: string;
  readonly producerId: bigint;
  readonly transactionState: string;
}
