import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  answerCatalog,
  type CatalogAnswer,
  type CatalogTables,
} from '../../../../packages/controlplane/src/iceberg-catalog/catalog-answers.ts';

/** The namespace that the catalog of a control plane has. */
const servedNamespace = 'default';

/**
 * A catalog of two: writes and namespaces are another server's, and what readers ask about tables is answered by the
 * catalog of a control plane, under the name of each namespace. So tests that begin by writing reach its answers.
 */
export class CatalogOverAnother {
  readonly #other: string;
  readonly #server = createServer((request, response) => {
    this.#handle(request, response).catch((error: Error) => {
      send(response, { status: 500, body: JSON.stringify({ error: { message: error.message, code: 500 } }) });
    });
  });
  /** How many answers were those of a control plane. */
  answered = 0;

  constructor(other: string) {
    this.#other = other;
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://server');
    const [, ...parts] = url.pathname.slice(1).split('/');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead && parts[0] === 'namespaces' && parts[2] === 'tables')
      return send(response, await this.#answer(request.method!, parts, url.searchParams));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = await fetch(this.#other + request.url, {
      method: request.method!,
      headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
      ...(isRead ? {} : { body: Buffer.concat(chunks) }),
    });
    send(response, { status: answer.status, body: await answer.text() });
  }

  async #answer(method: string, parts: readonly string[], query: URLSearchParams): Promise<CatalogAnswer> {
    this.answered++;
    const [, namespace] = parts;
    const folder = `${this.#other}/v1/namespaces/${namespace}`;
    const isThere = (await fetch(folder)).ok;
    const asked = isThere ? ['namespaces', servedNamespace, ...parts.slice(2)] : parts;
    const answer = await answerCatalog({ method, parts: asked, query }, new TablesOfAnother(folder));
    const served = JSON.stringify([servedNamespace]);
    const levels = JSON.stringify(decodeURIComponent(namespace!).split('\u001f'));
    const named = parts.length === 3 ? answer.body?.replaceAll(served, levels) : answer.body;
    return {
      ...answer,
      body: named?.replaceAll(`: ${servedNamespace}.`, `: ${decodeURIComponent(namespace!)}.`),
    };
  }
}

/** Tables of a namespace of the other server: the metadata is the text of its file, as an agent reads it. */
class TablesOfAnother implements CatalogTables {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async list(): Promise<readonly string[]> {
    const answer = await fetch(`${this.#folder}/tables`);
    const { identifiers } = (await answer.json()) as { identifiers: { name: string }[] };
    return identifiers.map(({ name }) => name).sort();
  }

  async load(name: string): Promise<{ location: string; metadata: string } | undefined> {
    const answer = await fetch(`${this.#folder}/tables/${encodeURIComponent(name)}`);
    if (!answer.ok) return undefined;
    const { 'metadata-location': location } = (await answer.json()) as { 'metadata-location': string };
    const path = location.startsWith('file:')
      ? fileURLToPath(location.replace(/^file:\/*/, 'file:///'))
      : location;
    return { location, metadata: await readFile(path, 'utf8') };
  }
}

function send(response: ServerResponse, { status, body, headers }: CatalogAnswer): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' });
  response.end(body);
}
