import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiPage, openApiDocument, printJson } from '@weir/api';
import { contentPolicy, protectPage } from '../http/content-policy.ts';
import { pathOf, type RouteName, routeOf } from '../http/route-table.ts';
import { htmlOfMarkdown } from './markdown-page.ts';

/** Pages besides operations: the description of the API, for programs and for people. */

interface Page {
  readonly text: string;
  readonly contentType: string;
  readonly policy: string;
}

const style = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .75rem 1rem; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 6px; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); }
h2 { margin-top: 3rem; } h3 { margin-top: 2.5rem; }
`;

const styleHash = `sha256-${hash('sha256', style, 'base64')}`;

const pages: Partial<Record<RouteName, () => Page>> = {
  openApi: () => ({
    text: printJson(openApiDocument()),
    contentType: 'application/json; charset=utf-8',
    policy: contentPolicy(),
  }),
  apiDocs: () => ({
    text: htmlOfMarkdown(apiPage(), { title: 'The API of the control plane', style }),
    contentType: 'text/html; charset=utf-8',
    policy: contentPolicy(`style-src '${styleHash}'`),
  }),
};

/** Built on the first request; they do not change while the process runs. */
const made = new Map<RouteName, Page>();

/** Returns the function that sends the requested page, if there is one. */
export function pageAt(request: IncomingMessage): ((response: ServerResponse) => void) | undefined {
  const route = routeOf(pathOf(request));
  const make = route === undefined ? undefined : pages[route];
  if (make === undefined || !['GET', 'HEAD'].includes(request.method ?? '')) return undefined;
  const page = made.get(route!) ?? make();
  made.set(route!, page);
  return (response) => {
    response.setHeader('content-type', page.contentType);
    response.setHeader('content-length', Buffer.byteLength(page.text));
    protectPage(response, page.policy);
    response.setHeader('cache-control', 'no-cache');
    response.writeHead(200).end(page.text);
  };
}
