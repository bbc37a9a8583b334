import type { ServerResponse } from 'node:http';
import { escapeHtml } from '@weir/core';

/** What a browser shows when a sign-in has failed. Nothing of what was sent is in it, and it loads nothing. */
export function sendProblemPage(
  response: ServerResponse,
  status: number,
  message: string,
  links: { readonly again?: string | undefined; readonly home: string },
): void {
  const again = links.again === undefined ? '' : `<a href="${escapeHtml(links.again)}">Try again</a>, or `;
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>You are not signed in</title>
<h1>You are not signed in</h1>
<p>${escapeHtml(message)}</p>
<p>${again}<a href="${escapeHtml(links.home)}">go to the documentation</a>.</p>
</html>
`;
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-security-policy', policy);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('content-length', Buffer.byteLength(page));
  forgettable(response);
  response.writeHead(status).end(page);
}

const policy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The address of the callback holds a code, which is neither to be kept nor to be told to the next site. */
export function forgettable(response: ServerResponse): void {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
}
