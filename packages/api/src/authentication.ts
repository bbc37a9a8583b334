import { isId } from './ids.ts';

/** The one key of a caller. */
export const apiKeyHeader = 'service-api-key';

const workspaceHeaderPrefix = `${apiKeyHeader}-`;

/** The header of a key for one of several workspaces. */
export function workspaceKeyHeader(workspaceId: string): string {
  return workspaceHeaderPrefix + workspaceId;
}

/**
 * The workspace that the name of a header speaks of, or `undefined` for any other header. Names of headers know no
 * case, and because proxies drop those with underscores the id may be written with hyphens.
 */
export function workspaceOfKeyHeader(header: string): string | undefined {
  const name = header.toLowerCase();
  if (!name.startsWith(workspaceHeaderPrefix)) return undefined;
  const workspaceId = name.slice(workspaceHeaderPrefix.length).replaceAll('-', '_');
  return isId('workspace', workspaceId) ? workspaceId : undefined;
}

/** The cookie of a user who signed in to the console. */
export const sessionCookie = 'service_session';
