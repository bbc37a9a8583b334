import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Headers that the protocol reads. Keys are not among them: the caller is already authenticated. */
const passedOn = /^(?:accept|content-type|host|user-agent|mcp-.{1,128})$/;

/** Converts the request for the protocol's library. The parsed body is passed separately. */
export function webRequestOf(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (passedOn.test(name) && value !== undefined) headers.set(name, String(value));
  return new Request('http://mcp.invalid/', { method: request.method ?? 'POST', headers, signal });
}

/**
 * Sends the library's response. A stream is read with back-pressure; when the client disconnects the stream is
 * cancelled, so that its writer stops.
 */
export async function sendWebResponse(answer: Response, response: ServerResponse): Promise<void> {
  answer.headers.forEach((value, name) => {
    response.setHeader(name, value);
  });
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) response.setHeader('x-accel-buffering', 'no');
  response.setHeader('cache-control', isStream ? 'no-cache, no-transform' : 'no-store');
  if (!isStream) {
    const body = Buffer.from(await answer.arrayBuffer());
    if (answer.status !== 202 && answer.status !== 204) response.setHeader('content-length', body.length);
    response.writeHead(answer.status).end(body);
    return;
  }
  response.writeHead(answer.status);
  response.flushHeaders();
  const reader = answer.body!.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  response.once('close', leave);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || response.destroyed) break;
      if (!response.write(value)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
  } finally {
    response.off('close', leave);
    response.end();
  }
}
