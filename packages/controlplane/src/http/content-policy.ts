import type { ServerResponse } from 'node:http';

/** What a document of this server may load, where its forms may lead, and who may frame it: only what is named. */
export function contentPolicy(...loads: readonly string[]): string {
  return [
    "default-src 'none'",
    ...loads,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** For pages of a build: everything comes from this server. */
export function ownFilesPolicy({ styleSources = "'self'" } = {}): string {
  return contentPolicy(
    "script-src 'self'",
    `style-src ${styleSources}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
  );
}

/** Sends the policy with a page, whose address no other site gets. */
export function protectPage(response: ServerResponse, policy: string): void {
  response.setHeader('content-security-policy', policy);
  response.setHeader('referrer-policy', 'no-referrer');
}
