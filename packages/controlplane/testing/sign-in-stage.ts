import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { jsonLog, Metrics } from '@weir/core';
import { patientHttpServer } from '@weir/core/testing';
import { type AccountsDatabase, openAccounts } from '../src/accounts/open.ts';
import type { NewSsoConnection, SsoConnection } from '../src/accounts/sso/sso-connections.ts';
import { createApiServer } from '../src/api-server/api-server.ts';
import { RateLimits, usualRateLimits } from '../src/api-server/rate-limits.ts';
import { pathOf, routeOf } from '../src/http/route-table.ts';
import { accountOperations } from '../src/operations/account/account-operations.ts';
import { signInIssuers } from '../src/sign-in/sign-in-issuers.ts';
import type { SignInOptions } from '../src/sign-in/sign-in-options.ts';
import { signInRoute } from '../src/sign-in/sign-in-route.ts';
import { accountsDeps, type TestDeps } from './accounts-deps.ts';
import type { Browser } from './browser.ts';
import { makeAccount, type TestAccount } from './two-accounts.ts';

export interface SignInStage {
  readonly url: string;
  readonly accounts: AccountsDatabase;
  readonly ours: TestAccount;
  readonly deps: TestDeps;
  /** Everything that was logged. */
  readonly lines: readonly string[];
  readonly metrics: Metrics;
  connect(issuer: string, changes?: Partial<NewSsoConnection>): Promise<SsoConnection>;
  /** Returns the e-mail address of the user that a browser is signed in as, by the API. */
  whoIs(browser: Browser): Promise<string | undefined>;
  auditEntries(): Promise<
    {
      readonly result: string;
      readonly message: string | undefined;
      readonly targets: readonly string[];
      readonly actor: string;
    }[]
  >;
}

let stages = 0;

/** The part of the server that a sign-in needs: the routes of sign-ins, and the API to check the outcome. */
export async function startSignInStage(
  t: TestContext,
  options: Partial<SignInOptions> & { readonly allowsPrivateAddresses?: boolean } = {},
): Promise<SignInStage> {
  const deps = accountsDeps();
  const { clock = deps.clock } = options;
  const { randomBytes } = deps;
  const lines: string[] = [];
  const log = jsonLog({ level: 'debug', nowMs: () => clock.nowMs(), write: (line) => lines.push(line) });
  const accounts = await openAccounts(`memory://sign-in-${stages++}`, { ...deps, clock });
  const ours = await makeAccount(accounts, 'Ours');
  const metrics = new Metrics();
  const issuers = signInIssuers({
    clock,
    log,
    allowsLoopbackHttp: true,
    allowsPrivateAddresses: options.allowsPrivateAddresses ?? true,
  });
  let url = '';
  const publicUrl = () => url;
  const limits = new RateLimits(usualRateLimits, clock);
  const parts = { accounts, publicUrl, isBehindProxy: true, limits, clock, log, metrics };
  const answerSignIn = signInRoute({
    ...parts,
    secretBox: deps.secretBox,
    issuers,
    randomBytes,
    ...options,
  });
  const api = createApiServer({ ...parts, handlers: accountOperations({ accounts, publicUrl }) });
  const server = createServer(patientHttpServer, (request, response) => {
    const path = pathOf(request);
    const route = routeOf(path);
    if (route === 'ssoLogin' || route === 'ssoCallback') void answerSignIn(request, response);
    else if (route === 'api') void api(request, response);
    else response.end(`the console at ${path}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    issuers.close();
    await accounts.close();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    accounts,
    ours,
    deps,
    lines,
    metrics,
    connect: (issuer, changes = {}) =>
      accounts.ssoConnections.create(ours.accountId, {
        identifier: 'example',
        issuer,
        clientId: 'weir console',
        clientSecret: 'secret: 100% & more',
        defaultRoleId: ours.adminRoleId,
        hasRoleMapping: false,
        roleClaim: 'groups',
        ...changes,
      }),
    async whoIs(browser) {
      const { status, text } = await browser.step(`${url}/api/v1/get_session`);
      if (status !== 200) return undefined;
      return (JSON.parse(text) as { user: { email: string } }).user.email;
    },
    async auditEntries() {
      const { entries } = await accounts.auditLog.search({ accountId: ours.accountId, operation: 'sign_in' });
      return entries
        .map(({ result, message, targets, actor }) => ({ result, message, targets, actor: actor.name }))
        .toReversed();
    },
  };
}
