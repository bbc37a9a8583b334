import { readFile } from 'node:fs/promises';
import type { Clock, Environment } from '@weir/core';
import { storageLimits } from '../limits.ts';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';
import { endpointOf } from '../store-http/endpoint.ts';
import { escapeQuery } from '../store-http/escape.ts';
import { ConnectionLost, HttpClient, type HttpRequest } from '../store-http/http-client.ts';
import { HttpProtocolError, type HttpResponse } from '../store-http/response-reader.ts';
import type { AccessToken } from './access-tokens.ts';
import { isBaseUrl } from './azblob-url.ts';

type TokenRequest = (signal: AbortSignal) => Promise<AccessToken>;

interface TokenRequestOptions {
  readonly clock: Clock;
  readonly environment: Environment;
  /** Names the bucket in errors. */
  readonly subject: string;
  readonly usesMetadataService: boolean;
  /** Replaces HTTP in tests. */
  readonly exchange?: Exchange;
}

/** What the token is for: data of any storage account. */
const resource = 'https://storage.azure.com/';
const publicAuthority = 'https://login.microsoftonline.com';
const machineMetadata = 'http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01';

/**
 * How this process gets tokens from Entra ID, by the variables that the official clients read: as an application with a
 * secret, as a workload of Kubernetes, or as the managed identity of a container or of the machine. `undefined` if no
 * variable names a way and the metadata service may not be asked.
 */
export function tokenRequest(options: TokenRequestOptions): TokenRequest | undefined {
  const { environment, usesMetadataService } = options;
  const { AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: client } = environment;
  const { AZURE_CLIENT_SECRET: secret, AZURE_FEDERATED_TOKEN_FILE: tokenFile } = environment;
  if (tenant && client && secret) return fromAuthority(options, async () => ({ client_secret: secret }));
  if (tenant && client && tokenFile) {
    return fromAuthority(options, async () => ({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      // Kubernetes replaces it every hour.
      client_assertion: await readTokenFile(tokenFile, options),
    }));
  }
  return usesMetadataService ? fromManagedIdentity(options) : undefined;
}

function fromAuthority(
  options: TokenRequestOptions,
  proof: () => Promise<Readonly<Record<string, string>>>,
): TokenRequest {
  const { environment, subject } = options;
  const authority = (environment.AZURE_AUTHORITY_HOST || publicAuthority).replace(/\/+$/, '');
  if (!authority.startsWith('https://') || !isBaseUrl(authority)) {
    throw new StoreError('invalid', subject, 'AZURE_AUTHORITY_HOST is no https:// URL');
  }
  const tenant = environment.AZURE_TENANT_ID!;
  if (!/^[\w.-]+$/.test(tenant))
    throw new StoreError('invalid', subject, 'AZURE_TENANT_ID is no id or domain');
  return async (signal) => {
    const form = {
      grant_type: 'client_credentials',
      client_id: environment.AZURE_CLIENT_ID!,
      scope: `${resource}.default`,
      ...(await proof()),
    };
    const url = new URL(`${authority}/${escapeQuery(tenant)}/oauth2/v2.0/token`);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return requestToken(options, { method: 'POST', url, headers, body: encodeForm(form) }, signal);
  };
}

function fromManagedIdentity(options: TokenRequestOptions): TokenRequest {
  const { environment, subject } = options;
  const { IDENTITY_ENDPOINT: container, IDENTITY_HEADER: secret, AZURE_CLIENT_ID: client } = environment;
  const isContainer = container !== undefined && container !== '' && secret !== undefined && secret !== '';
  const parameters = encodeForm({ resource, ...(client ? { client_id: client } : {}) });
  if (
    isContainer &&
    (!/^https?:\/\//.test(container) || !URL.canParse(container) || /[^\x21-\x7e]/.test(secret))
  ) {
    throw new StoreError('invalid', subject, 'IDENTITY_ENDPOINT or IDENTITY_HEADER is malformed');
  }
  const [endpoint, headers] = isContainer
    ? [`${container}?api-version=2019-08-01`, { 'x-identity-header': secret }]
    : [machineMetadata, { metadata: 'true' }];
  const url = new URL(`${endpoint}&${parameters}`);
  return (signal) => requestToken(options, { method: 'GET', url, headers, body: '' }, signal);
}

async function readTokenFile(path: string, { subject }: TokenRequestOptions): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const problem = `AZURE_FEDERATED_TOKEN_FILE cannot be read: ${(error as Error).message}`;
    throw new StoreError('denied', subject, problem, { cause: error });
  }
}

interface TokenHttpRequest {
  readonly method: HttpRequest['method'];
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Exchange = (
  request: TokenHttpRequest,
  signal: AbortSignal,
) => Promise<Pick<HttpResponse, 'status' | 'body'>>;

async function requestToken(
  options: TokenRequestOptions,
  request: TokenHttpRequest,
  signal: AbortSignal,
): Promise<AccessToken> {
  const { clock, subject, exchange = exchangeByHttp(clock) } = options;
  const fail = (kind: StoreErrorKind, problem: string, cause?: unknown) =>
    new StoreError(kind, subject, `no access token from ${request.url.host}: ${problem}`, { cause });
  let response: Awaited<ReturnType<Exchange>>;
  try {
    response = await exchange(request, signal);
  } catch (error) {
    if (error instanceof ConnectionLost || error instanceof HttpProtocolError || signal.aborted) {
      throw fail('unavailable', (error as Error).message, error);
    }
    throw error;
  }
  const { status, body } = response;
  const json = parseJson(body);
  if (status === 200) {
    const token = tokenIn(json, clock.nowMs());
    if (token === undefined) throw fail('unavailable', 'the answer has none');
    return token;
  }
  const problem = [status, json.error, firstLine(json.error_description)].filter(Boolean).join(' ');
  throw fail(kindOfStatus(status), problem);
}

/** The metadata service of a machine answers 404 and 410 while it starts or is updated. */
function kindOfStatus(status: number): StoreErrorKind {
  if (status === 429) return 'throttled';
  return status >= 400 && status < 500 && status !== 404 && status !== 410 ? 'denied' : 'unavailable';
}

/** A connection of its own for each token: they are requested once an hour or less often. */
function exchangeByHttp(clock: Clock): Exchange {
  return async ({ method, url, headers, body }, signal) => {
    const http = new HttpClient({ endpoint: endpointOf(url), clock, connectionsMax: 1 });
    try {
      return await http.request(
        {
          method,
          path: `${url.pathname}${url.search}`,
          headers: { host: url.host, accept: 'application/json', ...headers },
          content: body === '' ? [] : [Buffer.from(body)],
          bodyBytesMax: storageLimits.storeErrorBodyBytesMax,
        },
        signal,
      );
    } finally {
      http.close();
    }
  };
}

function tokenIn(json: Readonly<Record<string, unknown>>, nowMs: number): AccessToken | undefined {
  const token = json.access_token;
  // It becomes a header.
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) return undefined;
  // Seconds, as numbers or as text; a container only says when.
  const leftMs = Number(json.expires_in) * 1000;
  const expiresMs = Number.isFinite(leftMs) ? nowMs + leftMs : Number(json.expires_on) * 1000;
  return Number.isFinite(expiresMs) ? { token, expiresMs } : undefined;
}

function parseJson(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'));
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function firstLine(text: unknown): string {
  return typeof text === 'string' ? text.split(/\r?\n/)[0]! : '';
}

function encodeForm(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${escapeQuery(value)}`)
    .join('&');
}
