/** Requests to a catalog server: where it is, with whose credentials, and what an answer means. */
import { Failure, type JitteredBackOff, jitteredBackOffMs, type Random } from '@weir/core';
import { type Json, parseJson, printJson } from '../../json/exact-json.ts';
import { ObjectReader } from '../../json/json-reader.ts';
import { CatalogDenied } from '../../table-errors.ts';
import {
  AnswerLost,
  type OutgoingRequest,
  type ServerAnswer,
  type ServerOptions,
  sendRequest,
  shownMessage,
  urlBelow,
} from '../server-request.ts';
import { type Authenticator, authenticator, type RestAuth } from './rest-auth.ts';

export interface RestOptions extends ServerOptions {
  /** The address of the catalog, such as `https://catalog.example/api/catalog`; `v1/…` is below it. */
  readonly uri: string;
  readonly warehouse?: string | undefined;
  readonly auth?: RestAuth | undefined;
  readonly random: Random;
}

export interface RestAnswer {
  readonly status: number;
  /** The body of a success; absent if it has none. */
  readonly json: Json | undefined;
  /** Type and message of an error, by the protocol. */
  readonly problem: string;
  readonly problemType: string | undefined;
}

export interface RestCall {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'HEAD';
  /** Segments after the prefix, not escaped; a namespace is a list of its levels. */
  readonly path: readonly (string | readonly string[])[];
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: Json | undefined;
}

const attemptsMax = 5;
const backOff: JitteredBackOff = { firstMs: 200, maxMs: 5_000, jitter: 'half' };
/** The server asks for a later attempt, and has done nothing. */
const laterStatuses = [429, 503];
/** The server cannot say whether the request took effect. */
const unknownStatuses = [500, 502, 504];
const refusedStatuses = [401, 419];

interface ServerConfig {
  /** Segments of all paths. */
  readonly prefix: readonly string[];
  /** What levels of a namespace are joined by in paths. */
  readonly separator: string;
}

/** Of servers that name none. */
const defaultSeparator = '\u001f';

export class RestConnection {
  readonly #options: RestOptions;
  readonly #uri: URL;
  readonly #auth: Authenticator;
  #config: Promise<ServerConfig> | undefined;

  constructor(options: RestOptions) {
    this.#options = options;
    const uri = URL.parse(options.uri);
    if (uri === null || !/^https?:$/.test(uri.protocol) || uri.username !== '' || uri.search !== '')
      throw new Failure(
        `${options.uri.slice(0, 200)}: the address of a catalog is an http:// or https:// URL without user and query`,
      );
    this.#uri = uri;
    this.#auth = authenticator(options.auth ?? { type: 'none' }, {
      clock: options.clock,
      uri: this.#uri,
      send: (request) => sendRequest(request, options),
    });
  }

  /** Throws `AnswerLost` if the request may have taken effect, and a `Failure` if it has not. */
  async call(call: RestCall): Promise<RestAnswer> {
    this.#config ??= this.#configured();
    // A failure is not kept.
    this.#config.catch(() => {
      this.#config = undefined;
    });
    const { prefix, separator } = await this.#config;
    const path = call.path.map((one) => (typeof one === 'string' ? one : one.join(separator)));
    return this.#request({ ...call, path: [...prefix, ...path] });
  }

  async #configured(): Promise<ServerConfig> {
    const { warehouse } = this.#options;
    const query = warehouse === undefined ? undefined : { warehouse };
    const { status, json, problem } = await this.#request({ method: 'GET', path: ['config'], query });
    if (status !== 200)
      throw failureOn(status, `${this.#uri.origin}: the catalog refused its configuration: ${problem}`);
    const config = new ObjectReader(json, 'config');
    const values: Record<string, string> = { ...config.texts('defaults'), ...config.texts('overrides') };
    return {
      prefix: (values.prefix ?? '')
        .split('/')
        .filter((segment) => segment !== '')
        .map(safeDecode),
      separator: safeDecode(values['namespace-separator'] ?? defaultSeparator),
    };
  }

  async #request({
    method,
    path,
    query = {},
    body,
  }: RestCall & { readonly path: readonly string[] }): Promise<RestAnswer> {
    const url = urlBelow(this.#uri, ['v1', ...path]);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const text = body === undefined ? undefined : printJson(body);
    const headers = {
      accept: 'application/json',
      ...(text !== undefined && { 'content-type': 'application/json' }),
    };
    const request: OutgoingRequest = { method, url, headers, ...(text !== undefined && { body: text }) };
    const { clock, random } = this.#options;
    let hasRenewed = false;
    for (let attempt = 1; ; attempt++) {
      const answer = await sendRequest(
        { ...request, headers: { ...headers, ...(await this.#auth.headers(request)) } },
        this.#options,
      );
      if (refusedStatuses.includes(answer.status) && !hasRenewed && this.#auth.refused()) {
        hasRenewed = true;
        continue;
      }
      if (laterStatuses.includes(answer.status) && attempt < attemptsMax) {
        await new Promise<void>((resolve) =>
          clock.after(jitteredBackOffMs(attempt - 1, backOff, random), resolve),
        );
        continue;
      }
      return this.#read(answer);
    }
  }

  #read({ status, text }: ServerAnswer): RestAnswer {
    const isSuccess = status >= 200 && status < 300;
    if (isSuccess)
      return {
        status,
        json: text === '' ? undefined : parseJson(text, this.#uri.origin),
        problem: '',
        problemType: undefined,
      };
    const { problem, problemType } = problemIn(text, status);
    if (unknownStatuses.includes(status)) throw new AnswerLost(`${this.#uri.origin}: ${problem}`);
    return { status, json: undefined, problem, problemType };
  }
}

function safeDecode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** What a status means for a request that had no effect. */
export function failureOn(status: number, problem: string): Failure {
  return [401, 403, 419].includes(status)
    ? new CatalogDenied(`${problem}; check the credentials and rights of the catalog`)
    : new Failure(problem);
}

/** `{"error": {"message", "type", "code"}}`, or whatever a proxy answers. */
function problemIn(text: string, status: number): { problem: string; problemType: string | undefined } {
  try {
    const { error } = Object(JSON.parse(text)) as { error?: { message?: unknown; type?: unknown } };
    const message = shownMessage(error?.message);
    const problemType = typeof error?.type === 'string' ? error.type : undefined;
    return { problem: message === '' ? `status ${status}` : `status ${status}: ${message}`, problemType };
  } catch {
    return { problem: `status ${status}`, problemType: undefined };
  }
}
