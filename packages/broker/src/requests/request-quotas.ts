import type { Clock } from '@weir/core';
import { type Api, apis, type Fields } from '@weir/wire';
import type { QuotaClient } from '../quotas/binding-quotas.ts';
import type { ClientQuotas } from '../quotas/client-quotas.ts';
import { MutationQuota } from '../quotas/mutation-quota.ts';
import type { Answer, HandlerResult } from './handler-result.ts';
import { throttled } from './slow-down.ts';

interface MeasuredRequest {
  readonly api: Api;
  /** Size of the whole frame. */
  readonly requestBytes: number;
  readonly clock: Clock;
}

/** The quotas of the client of a request. Handlers report what only they know; the rest is measured around them. */
export class RequestQuotas {
  readonly #quotas: ClientQuotas | undefined;
  readonly #client: QuotaClient;

  /** Without quotas everything is allowed. */
  constructor(quotas: ClientQuotas | undefined, client: QuotaClient) {
    this.#quotas = quotas?.areNone === true ? undefined : quotas;
    this.#client = client;
  }

  /** How long a Fetch has to wait for an answer of this size; if so, it is answered without records. */
  fetched(bytes: number): number {
    return this.#quotas?.fetched(this.#client, bytes) ?? 0;
  }

  /** Upper bound of one Fetch answer. */
  fetchBytesMax(): number {
    return this.#quotas?.fetchBytesMax(this.#client) ?? Number.POSITIVE_INFINITY;
  }

  mutations(isStrict: boolean): MutationQuota {
    return this.#quotas?.mutations(this.#client, isStrict) ?? new MutationQuota();
  }

  /**
   * Runs a handler and adds a throttle time to its answer if necessary. Only the time until the handler first awaits
   * something can be attributed to the request: later work is interleaved with that of other requests.
   *
   * ApiVersions is exempt, as with CPU pressure.
   */
  measure(
    { api, requestBytes, clock }: MeasuredRequest,
    run: () => HandlerResult<Fields>,
  ): HandlerResult<Fields> {
    const quotas = this.#quotas;
    if (quotas === undefined || api === apis.ApiVersions) return run();
    const startMs = clock.monotonicMs();
    const answer = run();
    const workedMs = clock.monotonicMs() - startMs;

    const settle = (one: Answer): HandlerResult<Fields> => {
      const producedMs = api === apis.Produce ? quotas.produced(this.#client, requestBytes) : 0;
      return throttled(one, Math.max(producedMs, quotas.worked(this.#client, workedMs)), clock);
    };
    return answer instanceof Promise ? answer.then(settle) : settle(answer);
  }
}
