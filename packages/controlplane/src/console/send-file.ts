import type { IncomingMessage, ServerResponse } from 'node:http';
import { pathOf } from '../http/route-table.ts';
import type { BuiltFile } from './built-files.ts';

/** Answers with a file of a build, compressed where the client takes that. */
export function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: BuiltFile,
  { caching, status = 200 }: { readonly caching: string; readonly status?: number },
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    response.setHeader('connection', 'close');
    endWithText(response, 405, `${pathOf(request)}: GET only`);
    return;
  }
  response.setHeader('cache-control', caching);
  response.setHeader('etag', file.etag);
  response.setHeader('vary', 'accept-encoding');
  if (status === 200 && request.headers['if-none-match'] === file.etag) {
    response.writeHead(304).end();
    return;
  }
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const body = takesGzip && file.gzipped !== undefined ? file.gzipped : file.bytes;
  if (body === file.gzipped) response.setHeader('content-encoding', 'gzip');
  response.setHeader('content-type', file.contentType);
  response.setHeader('content-length', body.length);
  response.writeHead(status).end(request.method === 'HEAD' ? undefined : body);
}

export function endWithText(response: ServerResponse, status: number, text: string): void {
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.writeHead(status).end(text);
}
