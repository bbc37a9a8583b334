/**
 * Paths below the base address. Without imports, because the quick start of a process loads little else of this
 * package.
 */

/** Where operations are served. */
export const apiPath = '/api/v1';

/** Where models are served: the control plane, and the documentation. */
export const mcpPath = `${apiPath}/mcp`;
export const docsMcpPath = '/docs/mcp';
