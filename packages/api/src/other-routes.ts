import { apiPath } from './paths.ts';

/** What the control plane serves besides operations, for the reference pages. */
export interface OtherRoute {
  readonly method: 'GET';
  /** Variable parts are in braces. */
  readonly path: string;
  readonly summary: string;
  readonly contentType: string;
  readonly security: 'none' | 'prometheus';
}

export const otherRoutes: readonly OtherRoute[] = [
  {
    method: 'GET',
    path: `${apiPath}/monitoring/prometheus/virtual_clusters/{virtual_cluster_id}`,
    summary: 'The metrics of a virtual cluster as Prometheus scrapes them.',
    contentType: 'text/plain',
    security: 'prometheus',
  },
  {
    method: 'GET',
    path: '/login/sso/{sso_identifier}',
    summary: 'Sends a browser to sign in with OpenID Connect, and then to the path `return_to`.',
    contentType: 'text/html',
    security: 'none',
  },
  {
    method: 'GET',
    path: '/login/callback',
    summary: 'Where the issuer sends the browser back to.',
    contentType: 'text/html',
    security: 'none',
  },
  {
    method: 'GET',
    path: `${apiPath}/openapi.json`,
    summary: 'The description of the API as OpenAPI 3.1.',
    contentType: 'application/json',
    security: 'none',
  },
  {
    method: 'GET',
    path: `${apiPath}/docs`,
    summary: 'The description of the API as a page for people.',
    contentType: 'text/html',
    security: 'none',
  },
  {
    method: 'GET',
    path: '/agent-changelog.rss',
    summary: 'Releases of agents as an RSS feed.',
    contentType: 'application/rss+xml',
    security: 'none',
  },
];
