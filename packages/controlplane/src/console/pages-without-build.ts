import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiPath, type OperationName } from '@weir/api';
import { contentPolicy, protectPage } from '../http/content-policy.ts';
import { type Handler, pathOf } from '../http/route-table.ts';

/** What the paths of links and of sign-in say where the console is not built yet: how to build it, or what to call. */
export const pagesWithoutBuild = {
  setup: sayHow('Set Weir up', 'setup'),
  join: sayHow('Join Weir', 'users/accept_invitation'),
  signIn: sayHow('Sign in to Weir', 'sign_in'),
} as const;

function sayHow(title: string, operation: OperationName): Handler {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
<p>The console is not built yet. The first <code>npm start</code> builds it beside the cluster, and
<code>npm run build:console</code> at any time. Then open this page again.</p>
<p>Programs call <code>POST ${apiPath}/${operation}</code>; <a href="${apiPath}/docs">its fields</a>.</p>
</html>
`;
  return (request: IncomingMessage, response: ServerResponse) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    response.setHeader('content-type', isRead ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8');
    protectPage(response, contentPolicy());
    response.setHeader('cache-control', 'no-store');
    if (isRead) {
      response.writeHead(200).end(html);
      return;
    }
    response.setHeader('allow', 'GET, HEAD');
    response.setHeader('connection', 'close');
    response.writeHead(405).end(`${pathOf(request)}: GET only`);
  };
}
