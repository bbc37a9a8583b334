import type { Clock } from '@weir/core';
import { storageLimits } from '../limits.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';
import { endpointOf } from '../store-http/endpoint.ts';
import { HttpClient, hostHeader } from '../store-http/http-client.ts';
import { type HttpResponse, isSuccess } from '../store-http/response-reader.ts';
import { storeRequest } from '../store-http/store-request.ts';
import type { AccessToken } from './access-tokens.ts';
import { wordsOf } from './gs-errors.ts';

interface TokenRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
}

/** Sends one request to a server that issues tokens, over a connection of its own: there are few of them. */
export async function requestText(
  { url, headers = {}, form, json }: TokenRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const target = new URL(url);
  const endpoint = endpointOf(target);
  const http = new HttpClient({ endpoint, clock, connectionsMax: 1 });
  const body = form === undefined ? JSON.stringify(json) : String(new URLSearchParams(form));
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const isPost = body !== undefined;
  try {
    const response = await storeRequest(
      http,
      target.origin,
      {
        method: isPost ? 'POST' : 'GET',
        path: target.pathname + target.search,
        headers: { host: hostHeader(endpoint), ...(isPost && { 'content-type': type }), ...headers },
        content: isPost ? [Buffer.from(body)] : [],
        bodyBytesMax: storageLimits.storeErrorBodyBytesMax,
      },
      signal,
    );
    if (!isSuccess(response)) throw tokenError(target.origin, response);
    return response;
  } finally {
    http.close();
  }
}

/** Requests a token from a server that answers as RFC 6749 has it. */
export async function requestToken(
  request: TokenRequest,
  clock: Clock,
  signal: AbortSignal,
): Promise<AccessToken> {
  const sentMs = clock.nowMs();
  const { body } = await requestText(request, clock, signal);
  const { access_token: token, expires_in: seconds } = jsonIn(body);
  return checkedToken(new URL(request.url).origin, token, sentMs + Number(seconds) * 1000);
}

/** A token becomes part of a header. */
export function checkedToken(server: string, token: unknown, expiresMs: number): AccessToken {
  if (typeof token !== 'string' || !/^[!-~]+$/.test(token) || !Number.isFinite(expiresMs)) {
    throw new StoreError('unavailable', server, 'the answer has no access token');
  }
  return { token, expiresMs };
}

/** The JSON object of a body; empty if it is none. */
export function jsonIn(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Answers may be those of OAuth (`error` is a word) or of Google's other services (`error` is an object). */
function tokenError(server: string, { status, body }: HttpResponse): StoreError {
  const { error, error_description: description } = jsonIn(body);
  const nested =
    typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : undefined;
  const words = [String(status), wordsOf(error), wordsOf(description), wordsOf(nested)];
  const text = words.filter((word) => word !== '').join(' ');
  return new StoreError(kindOf(status), server, `no access token: it answered ${text}`);
}

/** An answer of the class 400 is about the credentials, but for those that ask for patience. */
function kindOf(status: number): StoreErrorKind {
  if (status === 429) return 'throttled';
  if (status === 408) return 'timeout';
  return status >= 400 && status < 500 ? 'denied' : 'unavailable';
}
