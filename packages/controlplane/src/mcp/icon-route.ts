import { iconAt } from '@weir/mcp';
import { contentPolicy } from '../http/content-policy.ts';
import { type Handler, pathOf } from '../http/route-table.ts';

/** Icons change with releases only, so a cached one may be a day old. */
const cacheSeconds = 86_400;

/** The icons of tools. Clients fetch them without keys. */
export const answerIcon: Handler = (request, response) => {
  const path = pathOf(request);
  const svg = iconAt(path);
  if (svg === undefined) {
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.writeHead(404, { connection: 'close' }).end(`${path}: not found`);
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD', connection: 'close' }).end();
    return;
  }
  response.setHeader('content-type', 'image/svg+xml');
  response.setHeader('content-length', Buffer.byteLength(svg));
  response.setHeader('cache-control', `public, max-age=${cacheSeconds}`);
  response.setHeader('content-security-policy', contentPolicy());
  response.writeHead(200).end(svg);
};
