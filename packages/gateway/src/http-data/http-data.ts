import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AnswerMemory, ClientQuotas, RequestServer } from '@weir/broker';
import { AnswerHold } from '@weir/broker';
import { type Clock, type Log, type Metrics, nextTurn } from '@weir/core';
import type { OwnNames } from '@weir/http';
import {
  HttpProblem,
  type MatchedRoute,
  preferredType,
  problemOf,
  RouteTable,
  refusePages,
  targetOf,
} from '@weir/http';
import type { RecordSchemas } from '@weir/registry/decoding';
import type { Access, GuardedRequest, LoginChecks, PasswordLogin, PrincipalOf } from '@weir/security';
import { bareAddress, type ClientSession, HttpLogins, openSession, userOf } from '@weir/security';
import { gatewayLimits } from '../limits.ts';
import { AnswerSender } from './answer-sender.ts';
import { countAnswer, httpDataRows } from './data-metrics.ts';
import type { DataDeps, DataRoute } from './data-route.ts';
import { HandlerClient } from './handler-client.ts';
import type { InflatedMemory } from './inflated-memory.ts';
import { DataBodies, overloaded } from './request-body.ts';
import { ConsumerInstances } from './rest-proxy/consumers/consumer-instances.ts';
import { sendProblem } from './send-problem.ts';
import { ThrottledRequests } from './throttled-requests.ts';
import type { WritingClient } from './write-access.ts';

interface HttpDataOptions {
  readonly routes: readonly DataRoute[];
  /** The handlers of Kafka requests. */
  readonly server: RequestServer;
  readonly answers: AnswerMemory;
  readonly inflated: InflatedMemory;
  readonly quotas: ClientQuotas;
  readonly checks: LoginChecks;
  readonly principalOf: PrincipalOf;
  readonly accessOf: (request: GuardedRequest) => Access;
  /** Whether a client may write to a topic, for itself or for others. */
  readonly mayWrite: (client: WritingClient, topic: string) => boolean;
  /** The schemas by which the agent validates records, if it has a registry. */
  readonly schemas: RecordSchemas | undefined;
  /** The topic of logs that name none. */
  readonly logTopic: string | undefined;
  readonly requiresLogin: boolean;
  /** Where clients reach this agent over HTTP. */
  readonly ownUrl: string;
  readonly ownNames: OwnNames;
  /** Whether Kafka clients authenticate by certificates. HTTP cannot carry them, so that it is refused. */
  readonly hasClientCertificates: boolean;
  readonly isEncrypted: boolean;
  readonly onPasswordLogin?: ((login: PasswordLogin) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** One for all, since every request ends and a stack takes time. */
const requestEnded = new Error('the HTTP request has ended');
const clientIdHeader = 'kafka-client-id';
const clientIdCharsMax = 256;

/** Records over HTTP: fetches and produces as a Kafka client of this agent, with the rights of the caller. */
export class HttpData {
  readonly #options: HttpDataOptions;
  readonly #table: RouteTable<DataRoute>;
  readonly #logins: HttpLogins;
  readonly #bodies: DataBodies;
  readonly #answers: AnswerSender;
  readonly #throttled: ThrottledRequests;
  readonly #consumers: ConsumerInstances;
  readonly #deps: DataDeps;
  #requests = 0;

  constructor(options: HttpDataOptions) {
    const { clock, metrics, answers, schemas, logTopic } = options;
    this.#options = options;
    this.#table = new RouteTable(options.routes);
    this.#logins = new HttpLogins({
      ...options,
      service: 'agent',
      isRequired: options.requiresLogin,
      onOutcome: (method, outcome) =>
        metrics.series(httpDataRows.authentications, { method, outcome }).add(1),
    });
    const pause = () => nextTurn(clock);
    this.#bodies = new DataBodies(pause);
    this.#answers = new AnswerSender(answers);
    this.#throttled = new ThrottledRequests(options);
    this.#consumers = new ConsumerInstances({ ...options, pause });
    const { inflated } = options;
    this.#deps = { answers, inflated, clock, consumers: this.#consumers, schemas, logTopic, pause };
  }

  /** Answers a request, errors included. Returns false for a path that is not one of its own. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { clock, metrics, log } = this.#options;
    const begunMs = clock.monotonicMs();
    let matched: MatchedRoute<DataRoute> | undefined;
    try {
      const target = targetOf(request.url ?? '/');
      if (this.#table.methodsOf(target.segments).length === 0) return false;
      const found = this.#table.match(request.method ?? 'GET', target.segments);
      if (found instanceof HttpProblem) throw found;
      matched = found;
      await this.#serve(request, response, matched, target.query);
    } catch (error) {
      sendProblem(request, response, this.#problemOf(error, matched?.row), matched?.row);
    }
    const operation = matched?.row.operation ?? 'unknown';
    countAnswer(metrics, operation, response.statusCode, (clock.monotonicMs() - begunMs) / 1000);
    log.debug('finished HTTP data request', { operation, status: response.statusCode });
    return true;
  }

  /** Ends consumer instances: they commit and leave their groups. */
  close(): Promise<void> {
    return this.#consumers.close();
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    { row, path }: MatchedRoute<DataRoute>,
    query: URLSearchParams,
  ): Promise<void> {
    if (this.#options.hasClientCertificates)
      throw new HttpProblem(
        403,
        'The agent authenticates clients by certificates, which HTTP does not have; use Kafka.',
      );
    const { headers } = request;
    const [type, ...others] = row.errorTypes ?? row.answer.types;
    const answerType =
      type === undefined || others.length === 0 || row.takesBytes === true
        ? undefined
        : preferredType([type, ...others], headers.accept);
    if (answerType !== undefined) response.setHeader('content-type', answerType);
    const authorization = headers.authorization ?? row.authorizationIn?.(headers);
    refusePages(headers, { hasLogin: authorization !== undefined, ownNames: this.#options.ownNames });
    const remoteAddress = bareAddress(request.socket.remoteAddress ?? '');
    const principal = await this.#logins.principalOf({
      headers: { ...headers, authorization },
      remoteAddress,
      certificateUser: undefined,
    });
    const clientId = clientIdOf(headers, row);
    const ended = new AbortController();
    const end = () => ended.abort(requestEnded);
    response.once('close', end);
    const hold = new AnswerHold();
    let isCounted = false;
    let served: (() => void) | undefined;
    let client: HandlerClient | undefined;
    const quotaClient = { user: userOf(principal), clientId };
    const { socket } = request;
    const bytesBefore = socket.bytesWritten;
    try {
      const byteRate = row.writes === true ? 'producer_byte_rate' : 'consumer_byte_rate';
      served = await this.#throttled.admit(quotaClient, byteRate, ended.signal);
      // Not before the login: those whose passwords wait to be checked must not keep others out.
      if (this.#requests >= gatewayLimits.httpDataRequestsMax) throw overloaded();
      this.#requests++;
      isCounted = true;
      const { accessOf, isEncrypted } = this.#options;
      const session = {
        ...openSession({ remoteAddress, remotePort: request.socket.remotePort ?? 0, isEncrypted }),
        user: userOf(principal),
        principal,
      };
      const caller = this.#clientOf(clientId, { session, closed: ended.signal, hold });
      client = caller;
      const registryAccess = () => accessOf({ registryOperation: row.operation, session });
      const serve = async (body: unknown, bodyBytes: number, countBytes: (bytes: number) => void) => {
        const contentType = headers['content-type'];
        const input = {
          path,
          query,
          headers,
          answerType,
          contentType,
          body,
          bodyBytes,
          countBytes,
          client: caller,
          registryAccess,
        };
        const answer = row.serve(input, this.#deps);
        await this.#answers.send(response, answer, headers['accept-encoding']);
      };
      const admit = () => row.admit?.({ path, query, headers, client: caller }, this.#deps);
      if (row.takesBytes === true) await this.#bodies.withBytes(request, { ...row, admit }, serve);
      else if (row.body !== undefined) await this.#bodies.withJson(request, { ...row, admit }, serve);
      else await serve({}, 0, () => undefined);
    } finally {
      if (isCounted) this.#requests--;
      const fetchedBytes = client?.fetchedBytes ?? 0;
      // Before those that wait for this answer are served.
      if (fetchedBytes > 0) {
        const sentBytes = socket.bytesWritten - bytesBefore;
        this.#options.quotas.sentInstead(quotaClient, { sentBytes, fetchedBytes });
      }
      served?.();
      response.off('close', end);
      ended.abort(requestEnded);
      hold.release();
    }
  }

  #clientOf(
    clientId: string,
    of: {
      readonly session: ClientSession;
      readonly closed: AbortSignal;
      readonly hold: AnswerHold;
    },
  ): HandlerClient {
    const { server, clock, mayWrite } = this.#options;
    const { session, closed, hold } = of;
    return new HandlerClient({
      server,
      session,
      clientId,
      closed,
      hold,
      clock,
      mayWrite: (topic) => mayWrite({ session, clientId }, topic),
    });
  }

  #problemOf(thrown: unknown, row: DataRoute | undefined): HttpProblem {
    const problem = problemOf(thrown, (details) =>
      this.#options.log.error('failed to serve HTTP data request', {
        operation: row?.operation,
        error: details,
      }),
    );
    const { status, errorCode: given, message, headers } = problem;
    const errorCode = given === status ? row?.errorCodes?.[status] : undefined;
    return errorCode === undefined ? problem : new HttpProblem(status, message, { errorCode, headers });
  }
}

function clientIdOf(headers: IncomingHttpHeaders, row: DataRoute): string {
  const given = headers[clientIdHeader];
  const clientId = typeof given === 'string' && given !== '' ? given : row.clientId;
  if (clientId.length > clientIdCharsMax)
    throw new HttpProblem(400, `The header ${clientIdHeader} has more than ${clientIdCharsMax} characters.`);
  return clientId;
}
