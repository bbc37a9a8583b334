/** Requests to AWS Glue: JSON 1.1 over HTTPS, signed, and what its errors mean. */
import { hash } from 'node:crypto';
import { Failure, type JitteredBackOff, jitteredBackOffMs, type Random } from '@weir/core';
import { type Credentials, signRequest } from '@weir/storage';
import { type JsonObject, parseJson, printJson } from '../../json/exact-json.ts';
import { ObjectReader } from '../../json/json-reader.ts';
import { CatalogDenied } from '../../table-errors.ts';
import { AnswerLost, type ServerOptions, sendRequest, shownMessage } from '../server-request.ts';

export interface GlueOptions extends ServerOptions {
  readonly region: string;
  readonly credentials: () => Promise<Credentials>;
  /** The account whose catalog it is. By default that of the credentials. */
  readonly catalogId?: string | undefined;
  /** By default that of the region. */
  readonly endpoint?: string | undefined;
  readonly random: Random;
}

export type GlueAction =
  | 'CreateDatabase'
  | 'CreateTable'
  | 'DeleteTable'
  | 'GetTable'
  | 'GetTables'
  | 'UpdateTable';

/** Glue refused a request, which had no effect. */
export class GlueProblem extends Failure {
  override readonly name = 'GlueProblem';
  /** The exception, such as `EntityNotFoundException`. */
  readonly type: string;

  constructor(type: string, message: string) {
    super(problemText(type, message));
    this.type = type;
  }
}

const attemptsMax = 5;
const backOff: JitteredBackOff = { firstMs: 200, maxMs: 5_000, jitter: 'half' };
/** Glue asks for a later attempt, and has done nothing. */
const laterTypes = new Set([
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
]);
/** Glue cannot say whether the request took effect. So it is with all statuses from 500 on. */
const unknownTypes = new Set(['InternalServiceException', 'OperationTimeoutException']);
const deniedTypes = new Set(['AccessDeniedException', 'UnauthorizedException', 'AccessDenied']);
const refusedTypes = new Set([
  'ExpiredTokenException',
  'IncompleteSignatureException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'MissingAuthenticationTokenException',
  'UnrecognizedClientException',
]);

export class GlueConnection {
  readonly #options: GlueOptions;
  readonly #url: URL;

  constructor(options: GlueOptions) {
    this.#options = options;
    const { region, endpoint } = options;
    if (!/^[a-z0-9-]{1,64}$/.test(region))
      throw new Failure(`"${region.slice(0, 100)}": a region of AWS is a name such as eu-west-1`);
    const url = URL.parse(endpoint ?? `https://glue.${region}.${domainOf(region)}/`);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
      throw new Failure(
        `${String(endpoint).slice(0, 200)}: the endpoint of Glue is an http:// or https:// URL without user and query`,
      );
    url.pathname = '/';
    this.#url = url;
  }

  /**
   * Throws `CatalogDenied` or `GlueProblem` if Glue refused it, `AnswerLost` if a change may have been made, and a
   * `Failure` if Glue was not reached.
   */
  async call(action: GlueAction, input: JsonObject): Promise<ObjectReader> {
    const { clock, random, catalogId } = this.#options;
    const body = printJson({ CatalogId: catalogId, ...input });
    const isRead = action === 'GetTable' || action === 'GetTables';
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === attemptsMax;
      try {
        return await this.#send(action, body);
      } catch (error) {
        const isLater = error instanceof GlueProblem && laterTypes.has(error.type);
        if (isLast || !(isLater || (isRead && error instanceof AnswerLost))) throw error;
      }
      const delayMs = jitteredBackOffMs(attempt - 1, backOff, random);
      await new Promise<void>((resolve) => clock.after(delayMs, resolve));
    }
  }

  async #send(action: GlueAction, body: string): Promise<ObjectReader> {
    const { clock, credentials, region } = this.#options;
    const headers = signRequest(
      {
        method: 'POST',
        path: '/',
        headers: {
          host: this.#url.host,
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': `AWSGlue.${action}`,
        },
      },
      {
        credentials: await credentials(),
        service: 'glue',
        region,
        nowMs: clock.nowMs(),
        payloadHash: hash('sha256', body),
      },
    );
    const { status, text } = await sendRequest(
      { method: 'POST', url: this.#url, headers, body },
      this.#options,
    );
    if (status === 200)
      return new ObjectReader(text === '' ? {} : parseJson(text, this.#url.origin), `Glue ${action}`);
    const { type, message } = problemIn(text, status);
    if (status >= 500 || unknownTypes.has(type))
      throw new AnswerLost(`${this.#url.origin}: ${type}${message === '' ? '' : `: ${message}`}`);
    const advice = adviceOn(type);
    throw advice === ''
      ? new GlueProblem(type, message)
      : new CatalogDenied(`${problemText(type, message)}${advice}`);
  }
}

function domainOf(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

function problemText(type: string, message: string): string {
  return `Glue answered with ${type}${message === '' ? '' : `: ${message}`}`;
}

/** What to do if Glue denied it. */
function adviceOn(type: string): string {
  if (deniedTypes.has(type)) return '; allow the role of the agents this action on Glue';
  return refusedTypes.has(type) ? '; check the credentials' : '';
}

/** `{"__type": "…#EntityNotFoundException", "Message": "…"}`, or whatever a proxy answers. */
function problemIn(text: string, status: number): { readonly type: string; readonly message: string } {
  let json: { __type?: unknown; Message?: unknown; message?: unknown } = {};
  try {
    json = Object(JSON.parse(text));
  } catch {
    // The status says enough.
  }
  const found =
    typeof json.__type === 'string' ? /(?:^|#)(\w{1,100})(?::|$)/.exec(json.__type)?.[1] : undefined;
  const type = found ?? (status === 429 ? 'TooManyRequestsException' : `status ${status}`);
  return { type, message: shownMessage(json.Message ?? json.message) };
}
