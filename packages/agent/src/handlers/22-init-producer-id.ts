import { type Apis, type ErrorName, errors } from '@weir/wire';
import { ifAvailable } from './cluster-calls.ts';
import type { HandlerOf } from './handler.ts';
import type { ProducerIds } from './producer-ids.ts';

/**
 * InitProducerId v0 to v5, for idempotent producers: each call gives a producer id that nobody else has or had, with epoch 0.
 *
 * - The agent takes ids from the control plane in blocks and hands them out from there.
 * - A producer id without an epoch or the other way round is INVALID_REQUEST, as is an empty transactional id.
 * - When the control plane cannot be reached the answer is COORDINATOR_LOAD_IN_PROGRESS, upon which producers wait and retry. The
 *   other codes of that kind make the Java client look for a coordinator, which an idempotent producer has none of.
 *
 * Missing: transactions. A request with a transactional id is answered with UNSUPPORTED_VERSION, which no client retries and
 * which says what is the case; ACLs.
 */
export function initProducerIdHandler(producerIds: ProducerIds): HandlerOf<Apis['InitProducerId']> {
  return async ({ transactionalId, producerId, producerEpoch }) => {
    if (transactionalId === '' || (producerId === -1n) !== (producerEpoch === -1)) {
      return failed('INVALID_REQUEST');
    }
    if (transactionalId !== null) return failed('UNSUPPORTED_VERSION');
    const fresh = await ifAvailable(producerIds.next());
    if (fresh === undefined) return failed('COORDINATOR_LOAD_IN_PROGRESS');
    return { throttleTimeMs: 0, errorCode: errors.NONE.code, producerId: BigInt(fresh), producerEpoch: 0 };
  };
}

function failed(error: ErrorName) {
  return { throttleTimeMs: 0, errorCode: errors[error].code, producerId: -1n, producerEpoch: -1 };
}
