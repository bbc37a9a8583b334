import type { Clock } from '@weir/core';
import { httpExchange } from '@weir/http/client';
import { storageLimits } from '../limits.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';
import { endpointOf } from './endpoint.ts';
import { escapeQuery } from './escape.ts';
import { type LookupFor, problemOf } from './http-client.ts';
import type { Expiring } from './renewed.ts';

export interface AccessToken extends Expiring {
  readonly token: string;
}

/** Requests a new token. */
export type TokenSource = (signal: AbortSignal) => Promise<AccessToken>;

/** One request to a server that issues tokens or credentials: a GET, unless it has content. */
interface TokenRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Statuses of a server that starts or is updated. */
  readonly startingStatuses?: readonly number[];
}

interface TokenHttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface TokenResponse {
  readonly status: number;
  readonly text: string;
}

export interface TokenDeps {
  readonly clock: Clock;
  /** Names the bucket in errors. */
  readonly subject: string;
  /** Absent for the resolver of the system. */
  readonly lookupFor?: LookupFor | undefined;
  /** Replaces HTTP in tests. */
  readonly exchange?: (request: TokenHttpRequest, signal: AbortSignal) => Promise<TokenResponse>;
}

/** Over a connection of its own: there are few of these requests. */
export async function exchangeOnce(
  request: TokenHttpRequest,
  signal: AbortSignal,
  lookupFor?: LookupFor,
): Promise<TokenResponse> {
  const { host, port } = endpointOf(request.url);
  const lookup = lookupFor?.(host, port);
  return httpExchange({ ...request, signal, lookup }, async ({ status, text }) => ({
    status,
    text: await text(storageLimits.storeErrorBodyBytesMax),
  }));
}

/** Returns the text of a success. */
export async function requestText(
  { url: target, headers = {}, form, json, startingStatuses = [] }: TokenRequest,
  { subject, lookupFor, exchange = (sent, stop) => exchangeOnce(sent, stop, lookupFor) }: TokenDeps,
  signal: AbortSignal,
): Promise<string> {
  const url = new URL(target);
  const fail = (kind: StoreErrorKind, problem: string, cause?: unknown) =>
    new StoreError(kind, subject, `no access token from ${url.host}: ${problem}`, { cause });
  const body = form === undefined ? JSON.stringify(json) : formOf(form);
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const content = body === undefined ? {} : { 'content-type': type };
  const method = body === undefined ? 'GET' : 'POST';
  let response: TokenResponse;
  try {
    response = await exchange({ method, url, headers: { ...content, ...headers }, body }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw fail('unavailable', problemOf(error as Error), error);
  }
  const { status, text } = response;
  if (status >= 200 && status < 300) return text;
  const kind = startingStatuses.includes(status) ? 'unavailable' : kindOf(status);
  throw fail(kind, [String(status), ...explanationIn(text)].filter(Boolean).join(' '));
}

/** Requests a token from a server that answers as RFC 6749 has it. */
export async function requestToken(
  request: TokenRequest,
  deps: TokenDeps,
  signal: AbortSignal,
): Promise<AccessToken> {
  const sentMs = deps.clock.nowMs();
  const json = jsonIn(await requestText(request, deps, signal));
  // Seconds, as numbers or as text; the metadata service of an Azure container only says when.
  const leftMs = Number(json.expires_in) * 1000;
  const expiresMs = Number.isFinite(leftMs) ? sentMs + leftMs : Number(json.expires_on) * 1000;
  return checkedToken(request.url, json.access_token, expiresMs, deps);
}

/** A token becomes part of a header. */
export function checkedToken(
  url: string,
  token: unknown,
  expiresMs: number,
  { subject }: TokenDeps,
): AccessToken {
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || !Number.isFinite(expiresMs)) {
    const { host } = new URL(url);
    throw new StoreError('unavailable', subject, `no access token from ${host}: the response has none`);
  }
  return { token, expiresMs };
}

/** The JSON object of a text; empty if it is none. */
export function jsonIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** As OAuth has it (`error` is a word), or as Google's other services do (`error` is an object). */
function explanationIn(text: string): readonly string[] {
  const { error, error_description: description } = jsonIn(text);
  const nested = error as { readonly message?: unknown } | null | undefined;
  // Azure describes an error in several lines, all but the first of which are ids and times.
  return [error, description, nested?.message].map((words) =>
    typeof words === 'string' ? words.split('\r\n')[0]! : '',
  );
}

/** A status of the class 400 is about the credentials, but for those that ask for patience. */
function kindOf(status: number): StoreErrorKind {
  if (status === 429) return 'throttled';
  if (status === 408) return 'timeout';
  return status >= 400 && status < 500 ? 'denied' : 'unavailable';
}

/** Spaces are `%20`, as signatures need them. */
export function formOf(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${escapeQuery(value)}`)
    .join('&');
}
