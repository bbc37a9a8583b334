import { randomBytes } from 'node:crypto';
import type { Value } from '@weir/bloblang';
import { pauseUnlessStopped } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { type Field, object } from '../component/field.ts';
import { bool, durationMs, interpolated, list, map, resource, string } from '../component/field-types.ts';
import type { HttpListener, PipelineAnswer, PipelineRequest } from '../component/http-listener.ts';
import type { Delivery, Input } from '../component/instances.ts';
import type { Interpolated } from '../component/interpolated.ts';
import { type Batch, Message } from '../component/message.ts';
import { MetadataFilter, metadataFilter } from '../component/metadata-filter.ts';
import { endedError, Wake } from '../engine/pending-read.ts';
import { boundaryOf, printMultipart, readMultipart } from '../http-requests/multipart.ts';
import { pipelineLimits } from '../limits.ts';
import { localListener } from './local-listener.ts';

interface Cors {
  readonly enabled: boolean;
  readonly allowed_origins: readonly string[];
  readonly allowed_headers: readonly string[];
  readonly allowed_methods: readonly string[];
}

interface Options {
  readonly path: string;
  readonly verbs: readonly string[];
  readonly timeoutMs: number;
  readonly rateLimit: string;
  readonly cors: Cors;
  readonly status: Interpolated;
  readonly headers: ReadonlyMap<string, Interpolated>;
  readonly metadataHeaders: MetadataFilter;
}

/** The variables of a path such as `/orders/{id}`; a path that ends with a slash is for all below it. */
export function variablesOf(pattern: string, path: string): Map<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const isPrefix = pattern.endsWith('/');
  if (isPrefix ? given.length < wanted.length : given.length !== wanted.length) return undefined;
  const variables = new Map<string, string>();
  for (const [at, part] of wanted.entries()) {
    if (isPrefix && at === wanted.length - 1) break;
    const name = /^\{([^:}]+)(?::[^}]*)?\}$/.exec(part)?.[1];
    if (name !== undefined) variables.set(name, given[at]!);
    else if (part !== given[at]) return undefined;
  }
  return variables;
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };
const textAnswer = (status: number, text: string): PipelineAnswer => ({
  status,
  headers: plain,
  body: `${text}\n`,
});

/** Makes messages of requests. Each is answered when its messages are written. */
class HttpServerInput implements Input {
  readonly #options: Options;
  readonly #listener: HttpListener;
  readonly #context: ComponentContext;
  readonly #waiting: Delivery[] = [];
  readonly #arrived = new Wake();
  #closeListener: (() => Promise<void>) | undefined;
  #isClosing = false;

  constructor(options: Options, listener: HttpListener, context: ComponentContext) {
    this.#options = options;
    this.#listener = listener;
    this.#context = context;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    this.#closeListener ??= await this.#listener.listen((request) => this.#handle(request));
    const woken = () => this.#arrived.wake();
    stop.addEventListener('abort', woken);
    try {
      for (;;) {
        this.#isClosing ||= stop.aborted;
        const delivery = this.#waiting.shift();
        if (delivery !== undefined || stop.aborted) return delivery;
        await this.#arrived.next();
      }
    } finally {
      stop.removeEventListener('abort', woken);
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    for (const delivery of this.#waiting.splice(0)) await delivery.settle(endedError());
    await this.#closeListener?.();
  }

  #handle(request: PipelineRequest): Promise<PipelineAnswer> | undefined {
    const variables = variablesOf(this.#options.path, request.path);
    return variables && this.#answered(request, variables).then((answer) => this.#withCors(request, answer));
  }

  async #answered(request: PipelineRequest, variables: ReadonlyMap<string, string>): Promise<PipelineAnswer> {
    const { verbs, cors } = this.#options;
    if (this.#isClosing) return textAnswer(503, 'the pipeline ends');
    if (cors.enabled && request.method === 'OPTIONS') return { status: 204, headers: {}, body: '' };
    if (!verbs.includes(request.method))
      return textAnswer(405, `the method has to be one of ${verbs.join(', ')}`);
    const waitMs = await this.#rateLimited();
    if (waitMs > 0)
      return {
        ...textAnswer(429, 'too many requests'),
        headers: { ...plain, 'retry-after': String(Math.floor(waitMs / 1000)) },
      };
    let batch: Batch;
    try {
      batch = messagesOf(request, variables);
    } catch (error) {
      return textAnswer(400, reasonOf(error));
    }
    return this.#delivered(batch, request);
  }

  async #rateLimited(): Promise<number> {
    const { rateLimit } = this.#options;
    return rateLimit === '' ? 0 : this.#context.resources.get('rate_limit', rateLimit).take();
  }

  /** Waits until the messages are written, as long as the configuration allows. */
  async #delivered(messages: Batch, { gone }: PipelineRequest): Promise<PipelineAnswer> {
    const answers: Message[] = [];
    const store = { store: (batch: Batch) => void answers.push(...batch) };
    const settled = Promise.withResolvers<Error | undefined>();
    const delivery: Delivery = {
      batch: messages.map((message, index) => message.withOrigin({ index, answers: store })),
      settle: (error) => settled.resolve(error),
    };
    this.#waiting.push(delivery);
    this.#arrived.wake();
    const late = new AbortController();
    const outcome = await Promise.race([
      settled.promise.then((error) => ({ error })),
      pauseUnlessStopped(this.#context.clock, this.#options.timeoutMs, AbortSignal.any([gone, late.signal])),
    ]);
    late.abort();
    // What was not read is not kept for a client that has its answer.
    const at = this.#waiting.indexOf(delivery);
    if (at >= 0) this.#waiting.splice(at, 1);
    if (outcome === undefined) return textAnswer(408, 'the request timed out');
    return outcome.error === undefined ? this.#response(answers) : textAnswer(502, reasonOf(outcome.error));
  }

  #response(answers: Batch): PipelineAnswer {
    if (answers.length === 0) return { status: 200, headers: {}, body: '' };
    const { status, headers: templates, metadataHeaders } = this.#options;
    const { mappingPorts, log } = this.#context;
    try {
      const headers: Record<string, string> = Object.create(null);
      for (const [name, value] of templates)
        headers[name.toLowerCase()] = value.text(answers, 0, mappingPorts);
      for (const { metadata } of answers)
        for (const [name, text] of metadataHeaders.textsOf(metadata)) headers[name.toLowerCase()] = text;
      const code = Number(status.text(answers, 0, mappingPorts));
      if (!Number.isInteger(code) || code < 200 || code > 599)
        throw new Error('the status is not from 200 to 599');
      if (answers.length === 1)
        return { status: code, headers: checkedHeaders(headers), body: answers[0]!.content };
      const boundary = randomBytes(24).toString('hex');
      const type = headers['content-type'] ?? 'application/octet-stream';
      const parts = answers.map(({ content }) => ({ headers: [['Content-Type', type]] as const, content }));
      return {
        status: code,
        headers: checkedHeaders({ ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` }),
        body: printMultipart(parts, boundary),
      };
    } catch (error) {
      log.warn('failed to answer a request', { error: reasonOf(error) });
      return textAnswer(502, 'the answer of the pipeline cannot be sent');
    }
  }

  #withCors({ headers }: PipelineRequest, answer: PipelineAnswer): PipelineAnswer {
    const { cors } = this.#options;
    const origin = headers.get('Origin');
    if (!cors.enabled || origin === undefined) return answer;
    const isAllowed = cors.allowed_origins.includes('*') || cors.allowed_origins.includes(origin);
    if (!isAllowed) return answer;
    return {
      ...answer,
      headers: {
        ...answer.headers,
        'access-control-allow-origin': origin,
        'access-control-allow-methods': cors.allowed_methods.join(', '),
        ...(cors.allowed_headers.length > 0 && {
          'access-control-allow-headers': cors.allowed_headers.join(', '),
        }),
        vary: 'Origin',
      },
    };
  }
}

/** Throws for what would end a header and begin another. */
function checkedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers))
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new Error(
        `the header ${JSON.stringify(name.slice(0, 100))} has a character that headers cannot have`,
      );
  return headers;
}

function messagesOf(request: PipelineRequest, variables: ReadonlyMap<string, string>): Batch {
  const { headers, query, body } = request;
  const metadata = new Map<string, Value>([
    ['http_server_user_agent', headers.get('User-Agent') ?? ''],
    ['http_server_request_path', request.path],
    ['http_server_verb', request.method],
    ['http_server_remote_ip', request.remoteAddress],
    ...headers,
  ]);
  for (const name of new Set(query.keys())) metadata.set(name, query.get(name)!);
  for (const [name, value] of variables) metadata.set(name, value);
  for (const [name, value] of cookiesOf(headers.get('Cookie') ?? '')) metadata.set(name, value);
  const boundary = boundaryOf(headers.get('Content-Type'));
  const contents =
    boundary === undefined ? [body] : readMultipart(body, boundary, pipelineLimits.httpAnswerPartsMax);
  if (contents.length === 0) throw new Error('the body has no parts');
  return contents.map((content) => Message.of(content, metadata));
}

function cookiesOf(header: string): [name: string, value: string][] {
  return header
    .split(';')
    .map((pair) => pair.trim().split('=', 2) as [string, string | undefined])
    .flatMap(([name, value]) =>
      name === '' || value === undefined ? [] : [[name, value] as [string, string]],
    );
}

/** Websockets are not served, so that only the default, or nothing, is a value of their fields. */
function ofWebsockets(usual: string): Field<string> {
  return string('Of websockets, which are not available in this release.')
    .check((value) =>
      value === '' || value === usual
        ? undefined
        : 'is of websockets, which are not available in this release',
    )
    .or(usual)
    .advanced();
}

export const httpServer = componentOf('input', {
  name: 'http_server',
  // Agents take no requests for pipelines yet.
  availability: 'local',
  about:
    'Makes messages of HTTP requests, and answers them when the messages are written, or with what `sync_response` sends back.',
  fields: {
    address: string('Where it listens, as `host:port`.').or('').localOnly(),
    path: string(
      'The path; `/orders/{id}` has a variable, and one that ends with `/` is for all below it.',
    ).or('/post'),
    ws_path: ofWebsockets('/post/ws'),
    ws_welcome_message: ofWebsockets(''),
    ws_rate_limit_message: ofWebsockets(''),
    allowed_verbs: list('The methods that it takes.', string('A method.')).or(['POST']),
    timeout: durationMs('How long a request waits for its messages to be written.').or('5s'),
    rate_limit: resource('rate_limit', 'A rate limit for requests.').or(''),
    cert_file: string('A certificate, for TLS.').or('').localOnly().advanced(),
    key_file: string('The key of the certificate.').or('').localOnly().advanced(),
    cors: object('Requests of web pages of other sites.', {
      enabled: bool('Whether they are allowed.').or(false),
      allowed_origins: list('The sites, or `*`.', string('A site.')).or([]),
      allowed_headers: list('The headers that they may send.', string('A header.')).or([]),
      allowed_methods: list('The methods that they may use.', string('A method.')).or([
        'GET',
        'HEAD',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
      ]),
    }).advanced(),
    sync_response: object('How answers are sent that the pipeline made.', {
      status: interpolated('The status.').or('200'),
      headers: map('Headers.', interpolated('A value.')).or({ 'Content-Type': 'application/octet-stream' }),
      metadata_headers: metadataFilter('Which metadata is sent as headers.'),
    }).advanced(),
  },
  check({ path, cert_file: certFile, key_file: keyFile }, reading, place) {
    if (path !== undefined && !path.startsWith('/')) reading.problem(place, 'path has to begin with /');
    if ((certFile === '') !== (keyFile === ''))
      reading.problem(place, 'cert_file and key_file have to be set together');
  },
  open(fields, context) {
    const { address, cert_file: certFile, key_file: keyFile, sync_response: response } = fields;
    const { httpListener, standardStreams, log } = context;
    // An agent that takes no requests for pipelines opens no port for one of them.
    if (httpListener === undefined && standardStreams === undefined)
      throw new Error('this process takes no requests for pipelines');
    const listener = httpListener ?? localListener({ address, certFile, keyFile, log });
    return new HttpServerInput(
      {
        path: fields.path,
        verbs: fields.allowed_verbs.map((verb) => verb.toUpperCase()),
        timeoutMs: fields.timeout ?? 0,
        rateLimit: fields.rate_limit,
        cors: fields.cors,
        status: response.status,
        headers: response.headers,
        metadataHeaders: new MetadataFilter(response.metadata_headers),
      },
      listener,
      context,
    );
  },
});
