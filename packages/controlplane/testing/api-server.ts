import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { catalogue, operations } from '@weir/api';
import { Metrics } from '@weir/core';
import { patientHttpServer } from '@weir/core/testing';
import { type AccountsDatabase, openAccounts } from '../src/accounts/open.ts';
import type { Federation } from '../src/accounts/workspaces/federations.ts';
import { type ApiServerOptions, createApiServer } from '../src/api-server/api-server.ts';
import { type RateLimitSizes, RateLimits } from '../src/api-server/rate-limits.ts';
import {
  type AccountOperationsOptions,
  accountOperations,
} from '../src/operations/account/account-operations.ts';
import type { SomeHandlers } from '../src/operations/handler.ts';
import { signAgentToken } from '../src/workload-identity/agent-tokens.ts';
import { bindingOfFederation } from '../src/workload-identity/binding.ts';
import { federationBindings } from '../src/workload-identity/federation-bindings.ts';
import { platformIssuers } from '../src/workload-identity/platform-issuers.ts';
import { TokenExchange } from '../src/workload-identity/token-exchange.ts';
import { tokenKeys } from '../src/workload-identity/token-keys.ts';
import { accountsDeps, type TestDeps } from './accounts-deps.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Of an answer that is JSON. */
  readonly json: Record<string, unknown>;
}

export interface CallInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

export interface TestApi {
  readonly accounts: AccountsDatabase;
  readonly deps: TestDeps;
  readonly metrics: Metrics;
  /** Whether an operation answers with its example for any input. */
  isFake(name: string): boolean;
  /** Returns a token that the federation issued. */
  tokenOf(federation: Federation, lifetimeMs?: number): string;
  readonly url: string;
  readonly port: number;
  /** Calls an operation, or any path that begins with `/`. */
  call(name: string, init?: CallInit): Promise<Answer>;
}

let databaseCount = 0;

export interface TestApiOptions extends Partial<ApiServerOptions> {
  readonly rateLimits?: RateLimitSizes;
  readonly deps?: TestDeps;
  readonly fileBindings?: AccountOperationsOptions['fileBindings'];
  readonly onAgentsRevoked?: AccountOperationsOptions['onAgentsRevoked'];
  readonly tenantAccess?: AccountOperationsOptions['tenantAccess'];
}

/** The signing secret of agent tokens of all clusters. */
const tokenSecret = Buffer.alloc(32, 7);

/** The API over a real socket, with accounts in memory and time that the test moves. */
export async function startTestApi(
  t: TestContext,
  {
    rateLimits,
    deps = accountsDeps(),
    fileBindings,
    onAgentsRevoked,
    tenantAccess,
    ...options
  }: TestApiOptions = {},
): Promise<TestApi> {
  const accounts = await openAccounts(`memory://api-${databaseCount++}`, deps);
  const metrics = new Metrics();
  let url = '';
  const publicUrl = options.publicUrl ?? (() => url);
  const real = accountOperations({ accounts, publicUrl, fileBindings, onAgentsRevoked, tenantAccess });
  const { federations, virtualClusters } = accounts;
  const { clock, log } = deps;
  const tokens = new TokenExchange({
    bindings: federationBindings({ federations, clock }),
    secretsOf: () => [tokenSecret],
    issuers: platformIssuers({
      clock,
      log,
      fetchJson: () => Promise.reject(new Error('no issuer is called')),
    }),
    clock,
    log,
    metrics,
  });
  const api = createApiServer({
    accounts,
    handlers: { ...fakeHandlers(), ...real },
    tokenKeys: tokenKeys({ tokens, virtualClusters }),
    clock,
    log,
    metrics,
    ...(rateLimits === undefined ? {} : { limits: new RateLimits(rateLimits, clock) }),
    ...options,
    publicUrl,
  });
  const server = createServer(patientHttpServer, (request, response) => void api(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    await accounts.close();
  });
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  const isFake = (name: string) => !Object.hasOwn(real, name);
  return {
    accounts,
    deps,
    metrics,
    isFake,
    tokenOf: (federation, lifetimeMs = 3_600_000) => {
      const { clusterId, mark: bindingMark } = bindingOfFederation(federation);
      return signAgentToken({ clusterId, bindingMark, endMs: clock.nowMs() + lifetimeMs }, [tokenSecret]);
    },
    url,
    port,
    call: (name, init) => call(port, name, init),
  };
}

/** Handlers that answer with the example of the catalogue, for operations outside accounts. */
export function fakeHandlers(): SomeHandlers {
  return Object.fromEntries(
    operations.map(({ name }) => [name, async () => catalogue[name].example.output]),
  ) as unknown as SomeHandlers;
}

/** Not `fetch`, which does not send every header. */
async function call(port: number, name: string, init: CallInit = {}): Promise<Answer> {
  const { method = 'POST', headers = {}, body = method === 'POST' ? {} : undefined } = init;
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    path: name.startsWith('/') ? name : `/api/v1/${name}`,
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  request.end(text);
  const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
  const chunks = (await response.toArray()) as Buffer[];
  const answered = Buffer.concat(chunks).toString();
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  return {
    status: response.statusCode!,
    headers: response.headers,
    text: answered,
    json: isJson && answered !== '' ? (JSON.parse(answered) as Record<string, unknown>) : {},
  };
}

/** Returns the cookie of an answer as the next request sends it. */
export function cookieOf({ headers }: Answer): string {
  const [cookie = ''] = [headers['set-cookie'] ?? []].flat();
  return cookie.split(';', 1)[0]!;
}
