import type { ServerResponse } from 'node:http';
import { escapeHtml } from '@weir/core';
import { contentPolicy, protectPage } from '../http/content-policy.ts';

/** Sends the page of a failed sign-in. It contains no input, and loads nothing. */
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
  protectPage(response, contentPolicy());
  response.setHeader('content-length', Buffer.byteLength(page));
  forgettable(response);
  response.writeHead(status).end(page);
}

/** The URL of the callback contains a code, which must be neither cached nor sent to the next site. */
export function forgettable(response: ServerResponse): void {
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
}
