import { docsMcpPath, mcpPath } from './paths.ts';

interface McpServers {
  /** The base address. */
  readonly baseUrl: string;
  /** The name of the server in the client; the one of the documentation has the suffix `-docs`. */
  readonly serverName: string;
  /** The keys by header. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How clients configure a server: most name the address `url`, one kind `serverUrl`, and some run a command. */
export const mcpClientKinds = ['url', 'server_url', 'command_line'] as const;
type McpClientKind = (typeof mcpClientKinds)[number];

/** What keys of assistants may read beyond metadata. */
export const mcpReads = ['records', 'audit_log'] as const;
export type McpRead = (typeof mcpReads)[number];

/** Returns the configuration that a user pastes into a client. The documentation needs no headers. */
export function mcpConfiguration(kind: McpClientKind, { baseUrl, serverName, headers }: McpServers): string {
  const url = new URL(mcpPath, baseUrl).href;
  const docsUrl = new URL(docsMcpPath, baseUrl).href;
  const docsName = `${serverName}-docs`;
  if (kind === 'command_line') {
    const keys = Object.entries(headers).map(([name, key]) => ` --header "${name}: ${key}"`);
    return [
      `mcp add --transport http ${serverName} ${url}${keys.join('')}`,
      `mcp add --transport http ${docsName} ${docsUrl}`,
    ].join('\n');
  }
  // Clients that take url would try server-sent events or a local program without the type.
  const at = (address: string) => (kind === 'url' ? { type: 'http', url: address } : { serverUrl: address });
  const mcpServers = { [serverName]: { ...at(url), headers }, [docsName]: at(docsUrl) };
  return JSON.stringify({ mcpServers }, null, 2);
}
