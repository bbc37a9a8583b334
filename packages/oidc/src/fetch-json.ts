import { AddressRefused, type AllowedAddress, addressIn, guardedLookup } from '@weir/cluster/outbound';
import type { Clock } from '@weir/core';
import { type HttpAnswer, httpExchange, withinTime } from '@weir/http/client';
import { isSafeAddress, placeOf } from './address.ts';
import { oidcLimits } from './limits.ts';

/** Headers and body of a request. */
export interface JsonRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of a POST. Without it the request is a GET. */
  readonly form?: URLSearchParams;
}

/** Fetches a JSON document. */
export type FetchJson = (url: string, stop: AbortSignal, request?: JsonRequest) => Promise<unknown>;

interface FetchJsonOptions {
  /**
   * Which addresses may be connected to, for URLs from users who must not reach this machine's network. All if absent.
   */
  readonly allowedAddress?: AllowedAddress | undefined;
}

/** An error response. It is the cause of the error that `fetchJsonOver` throws. */
export class RefusingAnswer extends Error {
  override readonly name = 'RefusingAnswer';
  readonly status: number;

  /** `word` is an OAuth error code. */
  constructor(status: number, word: string | undefined) {
    super(`the answer has status ${status}${word === undefined ? '' : ` (${word})`}`);
    this.status = status;
  }
}

const timeoutMs = 10_000;

/**
 * Fetches with a timeout and a limit on the size of the response. Redirects are not followed, because they may lead
 * anywhere.
 *
 * No proxy is used either: the agents' -httpProxy is for requests to the control plane, and all others go directly.
 */
export function fetchJsonOver(clock: Clock, options: FetchJsonOptions = {}): FetchJson {
  return async (url, stop, request = {}) => {
    try {
      return await withinTime({ clock, timeoutMs, stop }, (signal) => fetched(url, request, signal, options));
    } catch (error) {
      throw new Error(`${placeOf(url)}: ${(error as Error).message}`, { cause: error });
    }
  };
}

/** Rejects addresses where another party could answer, whatever their source. */
export function onlyAtSafeAddresses(
  fetchJson: FetchJson,
  rule: { readonly allowsLoopbackHttp: boolean },
): FetchJson {
  return async (url, stop, request) => {
    if (!isSafeAddress(url, rule)) {
      throw new Error(`${placeOf(url)} is not plain https; use an https:// address without a password`);
    }
    return await fetchJson(url, stop, request);
  };
}

async function fetched(
  url: string,
  { headers, form }: JsonRequest,
  signal: AbortSignal,
  { allowedAddress }: FetchJsonOptions,
): Promise<unknown> {
  const address = addressIn(url);
  // A literal IP address is connected to without a lookup.
  if (address !== undefined && allowedAddress?.(address) === false) throw new AddressRefused(address);
  return await httpExchange(
    {
      url: new URL(url),
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      body: form?.toString(),
      signal,
      lookup: allowedAddress === undefined ? undefined : guardedLookup(allowedAddress),
    },
    (answer) => jsonOf(answer, form !== undefined),
  );
}

async function jsonOf({ status, text }: HttpAnswer, isForm: boolean): Promise<unknown> {
  if (status === 200) return JSON.parse(await text(oidcLimits.issuerAnswerBytesMax)) as unknown;
  // OAuth describes in the body what was wrong with a posted form.
  const problem = isForm ? await text(oidcLimits.issuerAnswerBytesMax).catch(() => '') : '';
  throw new RefusingAnswer(status, errorWordIn(problem));
}

function errorWordIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : undefined;
  } catch {
    return undefined;
  }
}
