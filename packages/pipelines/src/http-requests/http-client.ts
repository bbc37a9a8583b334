import { randomBytes } from 'node:crypto';
import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Value } from '@weir/bloblang';
import { backOffMs, type LogLevel, pauseUnlessStopped } from '@weir/core';
import { type HttpAnswer, httpExchange, targetOfUrl, withinTime } from '@weir/http/client';
import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import type { Interpolated } from '../component/interpolated.ts';
import { type Batch, Message } from '../component/message.ts';
import { MetadataFilter } from '../component/metadata-filter.ts';
import { tlsOptionsOf } from '../component/tls-fields.ts';
import { pipelineLimits } from '../limits.ts';
import { type BuiltRequest, buildRequest, type PartTemplate, type RequestTemplate } from './build-request.ts';
import { ClientToken } from './client-token.ts';
import { digestOf } from './digest-auth.ts';
import type { HttpValues } from './http-fields.ts';
import { boundaryOf, readMultipart } from './multipart.ts';
import { redirectOf } from './redirects.ts';
import { signerOf } from './sign-request.ts';

/** A server answered, and its status is not a success. */
export class UnexpectedStatus extends Error {
  override readonly name = 'UnexpectedStatus';
  readonly status: number;

  constructor(status: number, body: string) {
    super(`the answer has status ${status}${body === '' ? '' : `: ${body}`}`);
    this.status = status;
  }
}

/** What a component sets beside the fields of all HTTP components. */
export interface BodyOptions {
  readonly payload?: Interpolated | undefined;
  readonly parts?: readonly PartTemplate[] | undefined;
}

/** An answer whose body arrives over time. */
export interface StreamedAnswer {
  readonly body: AsyncIterable<Buffer>;
  readonly metadata: ReadonlyMap<string, Value>;
  /** Ends the connection, whether or not the body has ended. */
  close(): Promise<void>;
}

interface Parts {
  readonly template: RequestTemplate;
  readonly signer: Awaited<ReturnType<typeof signerOf>>;
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
}

const shownCharsMax = 500;

/**
 * Sends messages as HTTP requests, by the settings that all HTTP components have. Requests wait for the rate limit, are
 * repeated, follow redirects, and reach only what the pipeline may connect to.
 */
export class HttpClient {
  readonly #values: HttpValues;
  readonly #context: ComponentContext;
  readonly #parts: Parts;
  readonly #extracted: MetadataFilter;
  readonly #token: ClientToken | undefined;

  private constructor(values: HttpValues, context: ComponentContext, parts: Parts) {
    this.#values = values;
    this.#context = context;
    this.#parts = parts;
    this.#extracted = new MetadataFilter(values.extract_headers);
    if (values.oauth2.enabled)
      this.#token = new ClientToken(
        values.oauth2,
        (url, form, headers, stop) => this.#postForm(url, form, headers, stop),
        context.clock,
      );
  }

  static async open(
    values: HttpValues,
    context: ComponentContext,
    { payload, parts }: BodyOptions = {},
  ): Promise<HttpClient> {
    const { url, verb, headers } = values;
    const tls = await tlsOptionsOf(values.tls);
    const { transport, proxy_url: proxy } = values;
    const options: AgentOptions = {
      keepAlive: true,
      keepAliveMsecs: transport.dial_context.keep_alive ?? 30_000,
      maxFreeSockets: transport.max_idle_connections,
      timeout: transport.idle_connection_timeout ?? 0,
      ...(proxy !== undefined && proxy !== '' && { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }),
    };
    return new HttpClient(values, context, {
      template: { url, verb, headers, metadata: new MetadataFilter(values.metadata), payload, parts },
      signer: await signerOf(values, context),
      agents: { http: new HttpAgent(options), https: new HttpsAgent({ ...options, ...tls }) },
    });
  }

  /** Sends a batch as one request. The answer is a message, or several if it is multipart. */
  async send(batch: Batch, stop: AbortSignal): Promise<Message[]> {
    return this.#repeated(batch, stop, async (request, signal) => {
      const { timeout = 0 } = this.#values;
      const run = (limited: AbortSignal) =>
        this.#exchange(request, limited, async (answer) => {
          const body = await answer.bytes(pipelineLimits.httpAnswerBytesMax);
          this.#dump(request, answer, body);
          return this.#messages(answer, body);
        });
      if (timeout <= 0) return run(signal);
      return withinTime({ clock: this.#context.clock, timeoutMs: timeout, stop: signal }, run);
    });
  }

  /** Sends a batch as one request, whose answer may go on without end. Only its begin has to come in time. */
  async stream(batch: Batch, stop: AbortSignal): Promise<StreamedAnswer> {
    return this.#repeated(batch, stop, (request, signal) => this.#begun(request, signal));
  }

  async close(): Promise<void> {
    this.#parts.agents.http.destroy();
    this.#parts.agents.https.destroy();
  }

  async #begun(request: BuiltRequest, signal: AbortSignal): Promise<StreamedAnswer> {
    const { clock } = this.#context;
    const { timeout = 0 } = this.#values;
    const begun = Promise.withResolvers<HttpAnswer>();
    const ended = Promise.withResolvers<void>();
    const cut = new AbortController();
    const exchanged = this.#exchange(request, AbortSignal.any([signal, cut.signal]), async (answer) => {
      begun.resolve(answer);
      await ended.promise;
    });
    exchanged.catch(begun.reject);
    const answerOf = (limited: AbortSignal) => {
      limited.addEventListener('abort', () => cut.abort(limited.reason), { once: true });
      return begun.promise;
    };
    const answer =
      timeout > 0
        ? await withinTime({ clock, timeoutMs: timeout, stop: signal }, answerOf)
        : await begun.promise;
    return {
      body: answer.stream,
      metadata: this.#metadataOf(answer),
      close: async () => {
        ended.resolve();
        await exchanged.catch(() => {});
      },
    };
  }

  /** Tries until it succeeds or was tried often enough. */
  async #repeated<T>(
    batch: Batch,
    stop: AbortSignal,
    attempt: (request: BuiltRequest, stop: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { retries, retry_period: firstMs = 0, max_retry_backoff: maxMs = 0 } = this.#values;
    let backOffs = 0;
    for (let tried = 0; ; tried++) {
      await this.#access(stop);
      stop.throwIfAborted();
      // Built again each time: a header may have the time in it.
      const request = buildRequest(this.#parts.template, batch, this.#context.mappingPorts);
      try {
        return await attempt(request, stop);
      } catch (error) {
        const status = error instanceof UnexpectedStatus ? error.status : undefined;
        if (
          stop.aborted ||
          tried >= retries ||
          (status !== undefined && this.#values.drop_on.includes(status))
        )
          throw withPlace(error, request);
        const isBackOff = status !== undefined && this.#values.backoff_on.includes(status);
        const pauseMs = isBackOff ? backOffMs(backOffs++, { firstMs, maxMs }) : Math.min(firstMs, maxMs);
        await pauseUnlessStopped(this.#context.clock, pauseMs, stop);
      }
    }
  }

  async #access(stop: AbortSignal): Promise<void> {
    const { rate_limit: label } = this.#values;
    if (label === undefined || label === '') return;
    const rateLimit = this.#context.resources.get('rate_limit', label);
    while (!stop.aborted) {
      const waitMs = await rateLimit.take();
      if (waitMs <= 0) return;
      await pauseUnlessStopped(this.#context.clock, waitMs, stop);
    }
  }

  /** Sends a request with its credentials, follows redirects, and passes a successful answer on. */
  async #exchange<T>(
    request: BuiltRequest,
    signal: AbortSignal,
    use: (answer: HttpAnswer) => Promise<T>,
  ): Promise<T> {
    let next = await this.#signed(request, signal);
    let isChallenged = false;
    for (let redirects = 0; ; ) {
      const current = next;
      const outcome = await this.#once(current, signal, async (answer) => {
        const challenge = isChallenged ? undefined : this.#answerTo(answer, current);
        if (challenge !== undefined) return { challenge };
        const redirected = redirectOf(current, answer);
        if (redirected !== undefined) return { redirected };
        await this.#requireSuccess(answer, current);
        return { value: await use(answer) };
      });
      if ('value' in outcome) return outcome.value;
      if ('challenge' in outcome) {
        isChallenged = true;
        next = { ...current, headers: { ...current.headers, authorization: outcome.challenge } };
      } else {
        if (++redirects > pipelineLimits.httpRedirectsMax)
          throw new Error(`the server redirects more than ${pipelineLimits.httpRedirectsMax} times`);
        next = outcome.redirected;
      }
    }
  }

  async #signed(request: BuiltRequest, signal: AbortSignal): Promise<BuiltRequest> {
    const authorization =
      (await this.#token?.header(signal)) ?? this.#parts.signer(request.method, request.url);
    return authorization === undefined
      ? request
      : { ...request, headers: { ...request.headers, authorization } };
  }

  /** The header that answers a server which asks for a digest. */
  #answerTo({ status, headers }: HttpAnswer, { method, url }: BuiltRequest): string | undefined {
    const { digest_auth: digest } = this.#values;
    const challenge = headers['www-authenticate'];
    if (!digest.enabled || status !== 401 || challenge === undefined) return undefined;
    const path = `${url.pathname}${url.search}`;
    return digestOf(challenge, digest, { method, path, nonce: randomBytes(16).toString('hex') });
  }

  async #requireSuccess(answer: HttpAnswer, request: BuiltRequest): Promise<void> {
    const { status } = answer;
    const { drop_on, backoff_on, successful_on } = this.#values;
    const isFailure = drop_on.includes(status) || backoff_on.includes(status);
    const isUsual = status >= 200 && status <= 299;
    if (!isFailure && (isUsual || successful_on.includes(status))) return;
    if (status === 401) this.#token?.forget();
    const body = await beginOf(answer);
    this.#dump(request, answer, Buffer.from(body));
    throw new UnexpectedStatus(status, body);
  }

  async #once<T>(
    { url, method, headers, body }: BuiltRequest,
    signal: AbortSignal,
    use: (answer: HttpAnswer) => Promise<T>,
  ): Promise<T> {
    const { clock, outbound } = this.#context;
    const { host, port, isSecure } = targetOfUrl(url);
    const { http, https } = this.#parts.agents;
    const dialMs = this.#values.transport.dial_context.timeout ?? 0;
    const late = new AbortController();
    const cancel = dialMs > 0 ? clock.after(dialMs, () => late.abort()) : () => {};
    try {
      return await httpExchange(
        {
          url,
          method,
          headers,
          ...(body !== undefined && { body }),
          signal: AbortSignal.any([signal, late.signal]),
          // An address is connected to without a lookup, and refused here.
          lookup: outbound.lookupFor(host, port),
          agent: isSecure ? https : http,
          onConnected: cancel,
        },
        use,
      );
    } catch (error) {
      throw late.signal.aborted ? new Error(`no connection within ${dialMs} ms`, { cause: error }) : error;
    } finally {
      cancel();
    }
  }

  async #postForm(
    url: string,
    form: URLSearchParams,
    headers: Readonly<Record<string, string>>,
    stop: AbortSignal,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const target = URL.parse(url);
    if (target === null || !/^https?:$/.test(target.protocol))
      throw new Error('token_url has to begin with http:// or https://');
    const request: BuiltRequest = {
      url: target,
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: Buffer.from(form.toString()),
    };
    return this.#once(request, stop, async ({ status, text }) => ({
      status,
      text: await text(pipelineLimits.httpTokenBytesMax),
    }));
  }

  #messages(answer: HttpAnswer, body: Buffer): Message[] {
    const metadata = this.#metadataOf(answer);
    const boundary = boundaryOf(answer.headers['content-type']);
    if (boundary === undefined) return [Message.of(body, metadata)];
    return readMultipart(body, boundary, pipelineLimits.httpAnswerPartsMax).map((part) =>
      Message.of(part, metadata),
    );
  }

  #metadataOf({ status, headers }: HttpAnswer): ReadonlyMap<string, Value> {
    const metadata = new Map<string, Value>([['http_status_code', status]]);
    if (this.#extracted.isEmpty) return metadata;
    for (const [name, value] of Object.entries(headers)) {
      const first = Array.isArray(value) ? value[0] : value;
      if (first !== undefined && this.#extracted.includes(name)) metadata.set(name, first);
    }
    return metadata;
  }

  #dump({ url, method, body }: BuiltRequest, { status }: HttpAnswer, answer: Buffer): void {
    const level = logLevels[this.#values.dump_request_log_level];
    if (level === undefined) return;
    this.#context.log[level]('called a server', {
      method,
      url: placeOf(url),
      status,
      request: body?.toString('utf8', 0, shownCharsMax),
      answer: answer.toString('utf8', 0, shownCharsMax),
    });
  }
}

const logLevels: Readonly<Record<HttpValues['dump_request_log_level'], LogLevel | undefined>> = {
  '': undefined,
  TRACE: 'debug',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
  FATAL: 'error',
};

/** Where a URL leads, without what may be secret in it. */
function placeOf({ origin, pathname }: URL): string {
  return `${origin}${pathname}`;
}

function withPlace(error: unknown, { method, url }: BuiltRequest): unknown {
  if (!(error instanceof Error)) return error;
  // Node joins the errors of several addresses into one without a message.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'the connection failed';
  error.message = `${method} ${placeOf(url)}: ${error.message === '' ? code : reasonOf(error)}`;
  return error;
}

/** The begin of a body in one line, for a message. */
async function beginOf({ stream }: HttpAnswer): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += chunk.toString('utf8');
    if (text.length >= shownCharsMax) break;
  }
  return text.slice(0, shownCharsMax).replaceAll(/\s+/g, ' ').trim();
}
