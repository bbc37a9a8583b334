import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { AddressRefused, type AllowedAddress, addressIn, guardedLookup } from '@weir/cluster/outbound';
import type { Clock } from '@weir/core';
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
    const late = new AbortController();
    const cancel = clock.after(timeoutMs, () => late.abort());
    try {
      const signal = AbortSignal.any([late.signal, stop]);
      const response = await answerOf(url, request, signal, options);
      return JSON.parse(await bodyOf(response, request)) as unknown;
    } catch (error) {
      const problem = late.signal.aborted ? `no answer within ${timeoutMs} ms` : (error as Error).message;
      throw new Error(`${placeOf(url)}: ${problem}`, { cause: error });
    } finally {
      cancel();
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

function answerOf(
  url: string,
  { headers, form }: JsonRequest,
  signal: AbortSignal,
  { allowedAddress }: FetchJsonOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const address = addressIn(url);
    // A literal IP address is connected to without a lookup.
    if (address !== undefined && allowedAddress?.(address) === false) throw new AddressRefused(address);
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const options = {
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      signal,
      // No keep-alive agent: requests are rare (once an hour), and no connection stays open.
      agent: false,
      ...(allowedAddress === undefined ? {} : { lookup: guardedLookup(allowedAddress) }),
    } as const;
    send(url, options, resolve).on('error', reject).end(form?.toString());
  });
}

async function bodyOf(response: IncomingMessage, { form }: JsonRequest): Promise<string> {
  if (response.statusCode === 200) return await textOf(response);
  // OAuth describes in the body what was wrong with a posted form.
  const word = form === undefined ? undefined : errorWordIn(await textOf(response).catch(() => ''));
  response.destroy();
  throw new RefusingAnswer(response.statusCode ?? 0, word);
}

function errorWordIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' && /^[a-z_]{1,64}$/.test(error) ? error : undefined;
  } catch {
    return undefined;
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > oidcLimits.issuerAnswerBytesMax) {
      throw new Error(`the answer is longer than ${oidcLimits.issuerAnswerBytesMax} bytes`);
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}
