/** What a client with the configuration finds. */
export interface McpTest {
  readonly isOk: boolean;
  readonly text: string;
}

interface Server {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls `initialize` and `tools/list` with the address and the headers of a configuration, and without the session. */
export async function testMcp(configuration: string, send: typeof fetch = fetch): Promise<McpTest> {
  try {
    const { mcpServers } = JSON.parse(configuration) as { mcpServers: Record<string, Server> };
    const server = Object.values(mcpServers).find(({ headers }) => headers !== undefined);
    if (server === undefined) throw new Error('the configuration has no server with a key');
    const answer = await request(server, send, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'weir-console', version: '1' },
    });
    const { tools } = await request(server, send, 'tools/list', {});
    const name = (answer.serverInfo as { name?: string } | undefined)?.name ?? 'the server';
    return { isOk: true, text: `Connected: ${name} has ${(tools as unknown[]).length} tools` };
  } catch (error) {
    return { isOk: false, text: `Connection failed: ${error instanceof Error ? error.message : error}` };
  }
}

async function request(
  { url, headers }: Server,
  send: typeof fetch,
  method: string,
  params: object,
): Promise<Record<string, unknown>> {
  // The path alone: the page may call only its own origin, whatever name it has for the outside.
  const answer = await send(new URL(url).pathname, {
    method: 'POST',
    credentials: 'omit',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await answer.text();
  const body = answer.headers.get('content-type')?.startsWith('text/event-stream')
    ? (/^data: (.*)$/m.exec(text)?.[1] ?? '{}')
    : text;
  const { result, error, message } = JSON.parse(body) as {
    result?: Record<string, unknown>;
    error?: { message?: string };
    message?: string;
  };
  if (result === undefined)
    throw new Error(`${method}: ${error?.message ?? message ?? `HTTP status ${answer.status}`}`);
  return result;
}
