import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AllowedHosts } from '@weir/cluster/outbound';
import {
  type Clock,
  type JitteredBackOff,
  jitteredBackOffMs,
  pauseUnlessStopped,
  type Random,
  systemClock,
  systemRandom,
} from '@weir/core';
import { NoAnswerInTime, withinTime } from '@weir/http/client';
import { registryLimits } from '../limits.ts';
import { oneLine, RegistryRefusal, RegistryUnavailable } from './client-error.ts';
import { type ExchangeAnswer, type ExchangeRequest, exchange } from './exchange.ts';
import { parseAnswer } from './json-answer.ts';
import { parseRegistryAddresses, type RegistryAddress } from './registry-address.ts';

/** How a client proves to a registry who it is. */
export type RegistryCredentials =
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string | (() => Promise<string>) };

/** How a client checks the certificate of a registry. Texts are PEM. */
interface RegistryTls {
  /** Certificates that are trusted instead of those of the system. */
  readonly ca?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  /** Accepts any certificate. */
  readonly isInsecure?: boolean | undefined;
}

export interface RegistryClientOptions {
  /** Base URL with an optional path; several, separated by commas, of the same registry. */
  readonly urls: string;
  readonly credentials?: RegistryCredentials | undefined;
  readonly tls?: RegistryTls | undefined;
  /** Of one attempt. */
  readonly timeoutMs?: number;
  readonly attemptsMax?: number;
  readonly answerBytesMax?: number;
  readonly connectionsMax?: number;
  /**
   * The hosts that it may connect to, where a tenant has named the registry; any if absent. Errors then repeat nothing
   * that the registry sent: it may be any service that answers the agent and not the tenant.
   */
  readonly allowedHosts?: Pick<AllowedHosts, 'lookupFor'> | undefined;
  readonly clock?: Clock;
  readonly random?: Random;
}

interface RegistryRequest {
  readonly method: ExchangeRequest['method'];
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Reads are repeated after any temporary failure; changes only if the request was not sent. */
  readonly isRead: boolean;
  readonly stop?: AbortSignal | undefined;
}

const usualTimeoutMs = 10_000;
const contentType = 'application/vnd.schemaregistry.v1+json';
const backOff: JitteredBackOff = { firstMs: 100, maxMs: 2_000, jitter: 'half' };
/** Servers close connections that are idle for longer, and a request at that moment would fail needlessly. */
const idleMsMax = 4_000;

/**
 * Requests to one registry over connections that stay open. If an address fails, the next one is used until it fails.
 * Redirects are not followed, because credentials would go with them.
 */
export class RegistryConnection {
  readonly #addresses: readonly RegistryAddress[];
  readonly #agents: ReadonlyMap<string, HttpAgent>;
  readonly #options: RegistryClientOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #closed = new AbortController();
  #current = 0;

  /** Throws `InvalidRegistryAddress`. */
  constructor(options: RegistryClientOptions) {
    this.#options = options;
    this.#addresses = parseRegistryAddresses(options.urls);
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    const { ca, clientCertificate, clientKey, isInsecure } = options.tls ?? {};
    const connections: AgentOptions = {
      keepAlive: true,
      maxSockets: options.connectionsMax ?? registryLimits.clientConnectionsMax,
      timeout: idleMsMax,
    };
    const tls = {
      ...(ca === undefined ? {} : { ca }),
      ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
      ...(clientKey === undefined ? {} : { key: clientKey }),
      ...(isInsecure === true ? { rejectUnauthorized: false } : {}),
    };
    this.#agents = new Map<string, HttpAgent>([
      ['http:', new HttpAgent(connections)],
      ['https:', new HttpsAgent({ ...connections, ...tls })],
    ]);
  }

  /** The address that was used last, for messages. */
  get place(): string {
    return this.#addresses[this.#current]!.text;
  }

  /** Ends requests that run, and connections. */
  close(): void {
    this.#closed.abort(new RegistryUnavailable('the client of the registry was closed', { isUnsent: true }));
    for (const agent of this.#agents.values()) agent.destroy();
  }

  /**
   * Returns the JSON of a success. Throws `RegistryRefusal`, `RegistryUnavailable`, `HostRefused` or the reason of
   * `stop`.
   */
  async request(request: RegistryRequest): Promise<unknown> {
    const { stop } = request;
    const ends = stop === undefined ? this.#closed.signal : AbortSignal.any([stop, this.#closed.signal]);
    const attemptsMax = this.#options.attemptsMax ?? registryLimits.clientAttemptsMax;
    for (let attempt = 1; ; attempt++) {
      ends.throwIfAborted();
      const at = this.#current;
      try {
        return await this.#attempt(this.#addresses[at]!, request, ends);
      } catch (error) {
        if (ends.aborted || !mayRepeat(error, request)) throw error;
        // Another request may have switched already.
        if (this.#current === at) this.#current = (at + 1) % this.#addresses.length;
        if (attempt >= attemptsMax) throw error;
        // The other addresses are tried at once.
        const rounds = Math.floor(attempt / this.#addresses.length);
        if (attempt % this.#addresses.length !== 0) continue;
        await pauseUnlessStopped(this.#clock, jitteredBackOffMs(rounds - 1, backOff, this.#random), ends);
      }
    }
  }

  async #attempt(address: RegistryAddress, request: RegistryRequest, ends: AbortSignal): Promise<unknown> {
    const timeoutMs = this.#options.timeoutMs ?? usualTimeoutMs;
    const allowedHosts = this.#options.allowedHosts;
    try {
      const answer = await withinTime({ clock: this.#clock, timeoutMs, stop: ends }, async (signal) =>
        exchange(
          address,
          this.#agents.get(address.url.protocol)!,
          {
            method: request.method,
            path: request.path + queryOf(request.query),
            headers: await this.#headers(request),
            body: request.body === undefined ? undefined : JSON.stringify(request.body),
            answerBytesMax: this.#options.answerBytesMax ?? registryLimits.clientAnswerBytesMax,
            allowedHosts,
          },
          signal,
        ),
      );
      return answeredValue(address, answer, allowedHosts !== undefined);
    } catch (error) {
      throw error instanceof NoAnswerInTime
        ? new RegistryUnavailable(`${address.text}: ${error.message}`)
        : error;
    }
  }

  async #headers({ body }: RegistryRequest): Promise<Record<string, string>> {
    const headers: Record<string, string> = { accept: `${contentType}, application/json;q=0.9` };
    if (body !== undefined) headers['content-type'] = contentType;
    const { credentials } = this.#options;
    if (credentials?.kind === 'basic') {
      const pair = Buffer.from(`${credentials.username}:${credentials.password}`);
      headers.authorization = `Basic ${pair.toString('base64')}`;
    } else if (credentials?.kind === 'bearer') {
      const { token } = credentials;
      headers.authorization = `Bearer ${typeof token === 'string' ? token : await token()}`;
    }
    return headers;
  }
}

function mayRepeat(error: unknown, { isRead }: RegistryRequest): boolean {
  if (error instanceof RegistryUnavailable) return isRead || error.isUnsent;
  return isRead && error instanceof RegistryRefusal && error.isTemporary;
}

/** `isUntrusted`: a tenant has named the registry, and is shown nothing of its answer. */
function answeredValue(
  address: RegistryAddress,
  { status, text, location }: ExchangeAnswer,
  isUntrusted: boolean,
): unknown {
  const refusal = (reason: string, errorCode?: number) =>
    new RegistryRefusal(address.text, status, reason, { errorCode, isUntrusted });
  if (status >= 300 && status < 400) {
    const target = location === undefined || isUntrusted ? 'another address' : oneLine(location, 200);
    throw refusal(`redirects to ${target}; use that URL instead`);
  }
  if (status >= 200 && status < 300) {
    if (status === 204 || text === '') return undefined;
    try {
      return parseAnswer(text, registryLimits.clientAnswerDepthMax);
    } catch (error) {
      throw refusal(`the response ${(error as Error).message}`);
    }
  }
  const { errorCode, message } = errorIn(text);
  throw refusal(isUntrusted ? usualReason(status) : (message ?? usualReason(status)), errorCode);
}

function errorIn(text: string): { readonly errorCode?: number; readonly message?: string } {
  try {
    const { error_code: errorCode, message } = parseAnswer(text, registryLimits.clientAnswerDepthMax) as {
      error_code?: unknown;
      message?: unknown;
    };
    return {
      ...(Number.isSafeInteger(errorCode) ? { errorCode: errorCode as number } : {}),
      ...(typeof message === 'string' && message !== '' ? { message: oneLine(message, 10_000) } : {}),
    };
  } catch {
    return {};
  }
}

function usualReason(status: number): string {
  switch (status) {
    case 401:
      return 'the credentials were refused';
    case 403:
      return 'the credentials have no right for this';
    case 404:
      return 'not found; check that the URL is the base URL of a registry';
    case 409:
      return 'the registry holds something else there, or the schema is not compatible';
    case 422:
      return 'the registry does not accept the request';
    case 429:
      return 'too many requests';
    default:
      return 'the request failed';
  }
}

function queryOf(query: RegistryRequest['query'] = {}): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parts.set(name, String(value));
  }
  const text = parts.toString();
  return text === '' ? '' : `?${text}`;
}
