import { iconAt } from '@weir/mcp';
import type { Route } from '../server.ts';

/** Icons change with releases only, and nobody minds an old one for a day. */
const keptSeconds = 86_400;

/** The pictures of tools, for everybody: clients fetch them without keys. */
export const iconRoute: Route = {
  matches: (path) => iconAt(path) !== undefined,
  answer(request, response) {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD', connection: 'close' }).end();
      return;
    }
    const svg = iconAt((request.url ?? '').split('?', 1)[0]!)!;
    response.setHeader('content-type', 'image/svg+xml');
    response.setHeader('content-length', Buffer.byteLength(svg));
    response.setHeader('cache-control', `public, max-age=${keptSeconds}`);
    response.setHeader('content-security-policy', "default-src 'none'");
    response.setHeader('x-content-type-options', 'nosniff');
    response.writeHead(200).end(svg);
  },
};
