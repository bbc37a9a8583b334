import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiPath } from '@weir/api/operation';
import { type Clock, systemRandom } from '@weir/core';
import { type AccountsDatabase, openAccounts } from '../accounts/open.ts';
import { defaultPasswordCost } from '../accounts/password-hash.ts';
import type { VirtualCluster } from '../accounts/virtual-clusters.ts';
import { type Authorize, authorizeByAny } from '../agent-keys.ts';
import { type ApiServer, apiRoute, createApiServer } from '../api-server/api-server.ts';
import { RateLimits, usualRateLimits } from '../api-server/rate-limits.ts';
import { authorizeByAccountKeys } from '../hosting/account-keys.ts';
import type { ClusterHost } from '../hosting/cluster-host.ts';
import type { LeaderPorts } from '../hosting/leader-ports.ts';
import { accountOperations } from '../operations/account/account-operations.ts';
import { clusterOperations } from '../operations/cluster/cluster-operations.ts';
import type { Route } from '../server.ts';
import { tokenRoute } from '../workload-identity/token-route.ts';
import { accountsUrlOf } from './accounts-url.ts';
import type { ControlPlaneProcessOptions } from './control-plane-process.ts';
import { answerSetupPage, setupPath, setupUrl } from './first-pages.ts';
import { adoptCluster, type FirstCluster, foundInstallation } from './founding.ts';
import { Housekeeping } from './housekeeping.ts';
import { oneUser } from './one-user.ts';
import { signInLink } from './sign-in-link.ts';
import { workloadIdentities } from './workload-identities.ts';

export interface AccountsPartOptions {
  readonly settings: ControlPlaneProcessOptions;
  readonly host: ClusterHost;
  readonly ports: LeaderPorts;
  /** What tokens of a cluster are signed with. */
  readonly secretOf: (clusterId: string) => Uint8Array | undefined;
  readonly publicUrl: () => string;
  /** By which the one user of a process for one signs in. */
  readonly signInToken: string | undefined;
  /** Aborted when the process stops, for whoever waits. */
  readonly stop: AbortSignal;
}

/** What a process has of accounts: people and their keys, the API, and all that follows from who owns what. */
export interface AccountsPart {
  /** The clusters that there are. */
  list(): Promise<readonly VirtualCluster[]>;
  /** Who may enter as an agent, by a key of an account or a token. */
  readonly authorize: Authorize;
  answer(request: IncomingMessage, response: ServerResponse): void | Promise<void>;
  /** What the installation began with, as long as nobody has set it up. */
  readonly firstCluster: FirstCluster | undefined;
  /** Where the first user signs up; nothing when there is one. */
  setupUrl(): string | undefined;
}

export async function startAccounts(
  options: AccountsPartOptions,
  running: AsyncDisposableStack,
): Promise<AccountsPart> {
  const { settings, host, secretOf, publicUrl, signInToken } = options;
  const { clock, log, metrics, bindingsFile } = settings;
  const accounts = await openPatiently(settings, options.stop);
  running.defer(() => accounts.close());
  const firstCluster = await begin(accounts, settings);
  const limits = new RateLimits(usualRateLimits, clock);
  const tokens =
    bindingsFile &&
    (await workloadIdentities({ path: bindingsFile, secretOf, clock, log, metrics }, running));
  const user = settings.oneUser && (await oneUser(accounts, settings.oneUser.applicationKey));
  const routes: readonly Route[] = [
    { matches: (path) => path === setupPath, answer: answerSetupPage },
    ...(user && signInToken
      ? [signInLink({ accounts, user, token: signInToken, publicUrl, limits, clock })]
      : []),
    ...(tokens ? [tokenRoute(tokens)] : []),
    apiRoute(apiOf(options, accounts, limits)),
    { matches: (path) => path === '/', answer: answerRoot },
  ];
  const housekeeping = new Housekeeping({ accounts, removeCluster: async () => {}, clock, log });
  housekeeping.start();
  running.defer(() => housekeeping.stop());
  const setupToken = await accounts.setup.begin();
  return {
    list: () => accounts.virtualClusters.listAll(),
    authorize: authorizeByAny(
      ...(tokens ? [tokens.authorize] : []),
      authorizeByAccountKeys({ keyVerifier: accounts.keyVerifier, host, limits }),
    ),
    answer(request, response) {
      const path = (request.url ?? '/').split('?', 1)[0]!;
      const route = routes.find(({ matches }) => matches(path));
      return (route?.answer ?? answerNothing)(request, response);
    },
    firstCluster,
    setupUrl: () => (setupToken === undefined ? undefined : setupUrl(publicUrl(), setupToken)),
  };
}

/** How long is waited before a server that is away is asked again. */
const retryMs = 1_000;

/** A server may start after those who need it; a file that cannot be opened is a mistake. */
async function openPatiently(
  { databaseUrl, clock, log }: ControlPlaneProcessOptions,
  stop: AbortSignal,
): Promise<AccountsDatabase> {
  const url = accountsUrlOf(databaseUrl);
  const surroundings = { clock, log, random: systemRandom, randomBytes, passwordCost: defaultPasswordCost };
  for (;;) {
    stop.throwIfAborted();
    try {
      return await openAccounts(url, surroundings);
    } catch (error) {
      if (!/^postgres/i.test(url)) throw error;
      log.warn('the database does not answer; trying again', { problem: (error as Error).message });
    }
    await pause(clock, stop);
  }
}

function pause(clock: Clock, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      stop.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(retryMs, done);
    stop.addEventListener('abort', done);
  });
}

/** Sees to it that there is a cluster. Answers with the first one, if that is still what the installation has. */
async function begin(
  accounts: AccountsDatabase,
  { clusterId, firstCluster, agentKey, log }: ControlPlaneProcessOptions,
): Promise<FirstCluster | undefined> {
  if (clusterId === undefined) return foundInstallation(accounts, firstCluster);
  // A key of the settings counts as long as the settings say so, and is not kept beyond.
  const imported = agentKey === undefined ? firstCluster().agentKey : undefined;
  await adoptCluster(accounts, { id: clusterId, agentKey: imported }, log);
  return undefined;
}

function apiOf(
  { settings, ports, publicUrl }: AccountsPartOptions,
  accounts: AccountsDatabase,
  limits: RateLimits,
): ApiServer {
  const { clock, log, metrics, isBehindProxy = false } = settings;
  const onClusters = clusterOperations({
    clusterPort: ports.portOf,
    virtualClusters: accounts.virtualClusters,
    diagnostics: accounts.diagnostics,
    onTransition: () => {},
    metricRows: () => [],
    freshUuid: randomUUID,
    randomBytes,
  });
  return createApiServer({
    accounts,
    handlers: { ...accountOperations({ accounts, publicUrl }), ...onClusters },
    publicUrl,
    isBehindProxy,
    limits,
    clock,
    log,
    metrics,
  });
}

function answerRoot(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('location', `${apiPath}/docs`);
  response.writeHead(303).end();
}

function answerNothing(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.setHeader('connection', 'close');
  response.writeHead(404).end(`${request.url}: there is nothing here`);
}
