import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';
import { type Clock, type Log, Metrics, silentLog, systemClock } from '@weir/core';
import type { RegistryService } from '@weir/registry';
import { fullAccess, HttpLogins, type PasswordLogin, principalWithoutCredential } from '@weir/security';
import { RegistryMetrics } from '../src/schema-registry/registry-metrics.ts';
import { registryRequests } from '../src/schema-registry/registry-requests.ts';
import { startRegistryServer } from '../src/schema-registry/registry-server.ts';

interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service that records its calls and returns what a test scripts. */
class ScriptedService {
  readonly calls: string[] = [];
  /** For whom each call is made. */
  readonly callers: Parameters<RegistryService['forCaller']>[0][] = [];
  readonly answers: Record<string, (...input: unknown[]) => unknown> = {};
  readonly service: RegistryService;

  constructor() {
    const recorder = (prefix: string) =>
      new Proxy(
        {},
        {
          get: (_, method) => {
            const name = `${prefix}${String(method)}`;
            if (name === 'then') return undefined;
            if (name === 'exporters' || name === 'keys') return recorder(`${name}.`);
            if (name === 'forCaller')
              return (caller: (typeof this.callers)[number]) => {
                this.callers.push(caller);
                return this.service;
              };
            return async (...input: unknown[]) => {
              this.calls.push(`${name} ${JSON.stringify(input)}`);
              return this.answers[name]?.(...input);
            };
          },
        },
      );
    this.service = recorder('') as RegistryService;
  }
}

export type Checks = ConstructorParameters<typeof HttpLogins>[0]['checks'];

export const passwords: Checks['passwords'] = {
  check: async ({ user, password }: { user: string; password: string }) =>
    user === 'busy' ? 'busy' : password === 'secret' ? 'right' : 'wrong',
};

interface Differences {
  readonly checks?: Checks;
  readonly requiresLogin?: boolean;
  readonly logsRequests?: boolean;
  readonly onPasswordLogin?: (login: PasswordLogin) => void;
  readonly accessOf?: Parameters<typeof registryRequests>[0]['accessOf'];
  readonly tls?: Parameters<typeof startRegistryServer>[0]['tls'];
  readonly ownNames?: Parameters<typeof registryRequests>[0]['ownNames'];
  readonly log?: Log;
  readonly clock?: Clock;
}

/** Serves a scripted registry over HTTP. */
export async function listenAsRegistry(t: TestContext, differences: Differences = {}) {
  const scripted = new ScriptedService();
  const metrics = new Metrics();
  const { log = silentLog, requiresLogin = false, logsRequests = false, onPasswordLogin, tls } = differences;
  const { clock = systemClock } = differences;
  const parts = { clock, log, metrics: new RegistryMetrics(metrics) };
  const logins = new HttpLogins({
    checks: differences.checks ?? { passwords, checkToken: undefined },
    principalOf: principalWithoutCredential,
    isRequired: requiresLogin,
    onPasswordLogin,
    service: 'schema registry',
    onOutcome: (method, outcome) => parts.metrics.authenticated(method, outcome),
    ...parts,
  });
  const accessOf = differences.accessOf ?? (({ session }) => fullAccess(session.principal));
  const listener = await startRegistryServer({
    host: '127.0.0.1',
    port: 0,
    loadAnswer: async () =>
      registryRequests({
        service: async () => scripted.service,
        logins,
        accessOf,
        logsRequests,
        isEncrypted: tls !== undefined,
        ownNames: differences.ownNames ?? { names: [], isLoopbackOnly: true },
        ...parts,
      }),
    tls,
    ...parts,
  });
  t.after(() => listener.stop({ deadlineMs: 0 }));
  const ask = (path: string, { method = 'GET', body, headers = {} }: Sent = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const request = httpRequest(
        { host: '127.0.0.1', port: listener.port, path, method, headers, agent: false },
        (response) => {
          const chunks: Buffer[] = [];
          response
            .on('data', (chunk: Buffer) => chunks.push(chunk))
            .on('end', () =>
              resolve({
                status: response.statusCode!,
                type: response.headers['content-type'],
                headers: response.headers,
                text: Buffer.concat(chunks).toString(),
              }),
            );
        },
      );
      request.on('error', reject);
      request.end(method === 'POST' || method === 'PUT' ? body : undefined);
    });
  return { ...scripted, listener, metrics, ask };
}
