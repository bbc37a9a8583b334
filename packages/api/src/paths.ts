/**
 * Paths below the base URL, and the header of a key. Without imports, because the quick start of a process loads little
 * else of this package.
 */

/** Where operations are served. */
export const apiPath = '/api/v1';

/** Where the documentation site is served. */
export const docsPath = '/docs';

/** The MCP endpoints of the control plane and of the documentation. */
export const mcpPath = `${apiPath}/mcp`;
export const docsMcpPath = `${docsPath}/mcp`;

/** The header of a single key. */
export const apiKeyHeader = 'service-api-key';

/** The path of an operation. */
export function pathOf({ name }: { readonly name: string }): string {
  return `${apiPath}/${name}`;
}
