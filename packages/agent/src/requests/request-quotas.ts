import type { Clock } from '@weir/core';
import { type Api, apis, type Fields } from '@weir/wire';
import type { QuotaClient } from '../quotas/binding-quotas.ts';
import type { ClientQuotas } from '../quotas/client-quotas.ts';
import { MutationQuota } from '../quotas/mutation-quota.ts';
import type { Answer, HandlerResult } from './handler-result.ts';
import { askedToWait } from './slow-down.ts';

interface MeasuredRequest {
  readonly api: Api;
  /** The whole frame. */
  readonly requestBytes: number;
  readonly clock: Clock;
}

/** The quotas of the client that sent a request. Handlers ask it for what only they know; the rest is measured around them. */
export class RequestQuotas {
  readonly #quotas: ClientQuotas | undefined;
  readonly #client: QuotaClient;

  /** Without quotas everything is allowed. */
  constructor(quotas: ClientQuotas | undefined, client: QuotaClient) {
    this.#quotas = quotas?.areNone === true ? undefined : quotas;
    this.#client = client;
  }

  /** How long a Fetch has to wait for an answer of this size; it is answered without records then. */
  fetched(bytes: number): number {
    return this.#quotas?.fetched(this.#client, bytes) ?? 0;
  }

  /** The most that one Fetch answer may hold. */
  fetchBytesMax(): number {
    return this.#quotas?.fetchBytesMax(this.#client) ?? Number.POSITIVE_INFINITY;
  }

  mutations(isStrict: boolean): MutationQuota {
    return this.#quotas?.mutations(this.#client, isStrict) ?? new MutationQuota();
  }

  /**
   * Runs a handler and lets its answer ask the client to wait, when it has to. Of a request's time only that until its handler first
   * waits for something is known to be its own: what goes on afterwards is mixed with that of all others.
   *
   * ApiVersions is left alone, as under pressure.
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
      return askedToWait(one, Math.max(producedMs, quotas.worked(this.#client, workedMs)), clock);
    };
    return answer instanceof Promise ? answer.then(settle) : settle(answer);
  }
}
