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
 * Sessions, which the 2025 protocol needs for tools that send requests to the client: the request goes out on the
 * stream of the call, and the answer arrives with another HTTP request. None of Weir's tools does this, so sessions
 * belong to the fixtures and not to the endpoint.
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

  /** Stores the session once the client has initialized it; the library rejects any other first request. */
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
