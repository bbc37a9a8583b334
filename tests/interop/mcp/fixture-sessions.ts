import { randomUUID } from 'node:crypto';
import {
  type LegacyHttpHandler,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';

interface FixtureSessions {
  readonly answer: LegacyHttpHandler;
  close(): Promise<void>;
}

/**
 * Memory between requests, without which a tool cannot ask back on the wire of 2025: what it asks goes out on the stream of its call, and the answer
 * comes in with another request. None of our own tools asks, so that this belongs to the judge's tools and not to our endpoint.
 */
export function fixtureSessions(makeServer: () => McpServer): FixtureSessions {
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return {
    async answer(request, given) {
      const id = request.headers.get('mcp-session-id');
      const session = id === null ? await begin() : open.get(id);
      return session === undefined
        ? Response.json(unknown, { status: 404 })
        : session.handleRequest(request, given);
    },
    async close() {
      await Promise.all([...open.values()].map((session) => session.close()));
      open.clear();
    },
  };

  /** It is remembered once a client has introduced itself; whatever else comes first is refused by the library. */
  async function begin(): Promise<WebStandardStreamableHTTPServerTransport> {
    const session = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, session),
    });
    await makeServer().connect(session);
    return session;
  }
}

const unknown = { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } };
