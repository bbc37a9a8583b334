import { isId } from './ids.ts';
import { apiKeyHeader } from './paths.ts';

const workspaceHeaderPrefix = `${apiKeyHeader}-`;

/** Returns the header of a key for one of several workspaces. */
export function workspaceKeyHeader(workspaceId: string): string {
  return workspaceHeaderPrefix + workspaceId;
}

/**
 * Returns the workspace that the name of a header names, or `undefined` for any other header. Header names are
 * case-insensitive, and because proxies drop names with underscores the id may have hyphens.
 */
export function workspaceOfKeyHeader(header: string): string | undefined {
  const name = header.toLowerCase();
  if (!name.startsWith(workspaceHeaderPrefix)) return undefined;
  const workspaceId = name.slice(workspaceHeaderPrefix.length).replaceAll('-', '_');
  return isId('workspace', workspaceId) ? workspaceId : undefined;
}

/** The session cookie of a console user. */
export const sessionCookie = 'service_session';
