import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiPath, docsMcpPath, docsPath, mcpPath } from '@weir/api/paths';
import { RouteTable } from '@weir/http';
import { agentTokenPath } from '@weir/rpc';

/** Answers a request. It never rejects. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

interface Route {
  readonly path: string;
  /** The handler needs accounts, which a quick start loads on first use. */
  readonly needsAccounts?: true;
}

/** Every path of the server, as in a `RouteTable`. */
const routes = {
  status: { path: '/v1/status' },
  readiness: { path: '/v1/readiness' },
  /** The same, by the path that agents have. */
  ready: { path: '/v1/ready' },
  metrics: { path: '/metrics' },
  releaseFeed: { path: '/agent-changelog.rss' },
  root: { path: '/', needsAccounts: true },
  setup: { path: '/setup', needsAccounts: true },
  join: { path: '/join', needsAccounts: true },
  signIn: { path: '/sign-in', needsAccounts: true },
  signInLink: { path: '/sign-in/', needsAccounts: true },
  consoleClusters: { path: '/clusters', needsAccounts: true },
  consoleCluster: { path: '/clusters/', needsAccounts: true },
  consoleKeys: { path: '/keys', needsAccounts: true },
  consoleMcp: { path: '/mcp', needsAccounts: true },
  consoleTeam: { path: '/team', needsAccounts: true },
  consoleTeamPage: { path: '/team/', needsAccounts: true },
  consoleAuditLog: { path: '/audit-log', needsAccounts: true },
  consoleWorkspaces: { path: '/workspaces', needsAccounts: true },
  consoleOwnAccount: { path: '/account', needsAccounts: true },
  /** Every path that is no other route, for a browser that asks for a page. */
  consoleUnknown: { path: '/not-found', needsAccounts: true },
  consoleAssets: { path: '/assets/', needsAccounts: true },
  consoleTheme: { path: '/theme.js', needsAccounts: true },
  consoleIcon: { path: '/favicon.svg', needsAccounts: true },
  ssoLogin: { path: '/login/sso/', needsAccounts: true },
  ssoCallback: { path: '/login/callback', needsAccounts: true },
  agentToken: { path: `/${agentTokenPath}`, needsAccounts: true },
  clusterMetrics: { path: `${apiPath}/monitoring/prometheus/virtual_clusters/`, needsAccounts: true },
  icebergCatalog: { path: '/catalogs/iceberg/', needsAccounts: true },
  mcp: { path: mcpPath, needsAccounts: true },
  docs: { path: docsPath, needsAccounts: true },
  docsPage: { path: `${docsPath}/`, needsAccounts: true },
  docsMcp: { path: docsMcpPath, needsAccounts: true },
  icons: { path: '/icons/', needsAccounts: true },
  openApi: { path: `${apiPath}/openapi.json`, needsAccounts: true },
  apiDocs: { path: `${apiPath}/docs`, needsAccounts: true },
  api: { path: `${apiPath}/`, needsAccounts: true },
} as const satisfies Record<string, Route>;

type Routes = typeof routes;

export type RouteName = keyof Routes;

export type AccountsRouteName = {
  [Name in RouteName]: Routes[Name] extends { readonly needsAccounts: true } ? Name : never;
}[RouteName];

/** A route without a handler is answered with 404. */
export type RouteHandlers<Name extends RouteName = RouteName> = {
  readonly [N in Name]?: Handler | undefined;
};

const rows = Object.entries(routes) as [RouteName, Route][];

export const routeNames: readonly RouteName[] = rows.map(([name]) => name);

export const accountsRouteNames = rows
  .filter(([, { needsAccounts }]) => needsAccounts === true)
  .map(([name]) => name as AccountsRouteName);

const table = new RouteTable(rows.map(([name, { path }]) => ({ name, path })));

export function routePath(name: RouteName): string {
  return routes[name].path;
}

/** The route of a path without its query. */
export function routeOf(path: string): RouteName | undefined {
  return table.rowsAt(path)[0]?.name;
}

/** Whether a person opened the path of a request, and not a program: that person gets a page, also of nothing. */
export function asksForPage(request: Pick<IncomingMessage, 'method' | 'headers' | 'url'>): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return (
    isRead &&
    /\btext\/html\b/.test(request.headers.accept ?? '') &&
    !/^\/(?:api|v1|assets)(?:\/|$)/.test(pathOf(request))
  );
}

/** The path of a request, without the query. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  return url.split('?', 1)[0]!;
}
