import { type CostListener, httpRequest, listed, nested } from '../listener.ts';

/** The Model Context Protocol of the control plane. */
export const mcpListener: CostListener = {
  name: 'mcp',
  bytesMax: 2 << 20,
  portOf: ({ controlPlane }) => controlPlane,
  // The connection of a stream of events stays open.
  answerOf: (received) => /^HTTP\/1\.1 (\d+)/.exec(received.toString('latin1', 0, 16))?.[1],
  seeds({ apiKey }) {
    const request = (body: string) =>
      httpRequest('/api/v1/mcp', body, {
        'service-api-key': apiKey,
        accept: 'application/json, text/event-stream',
      });
    const call = (id: number, args: string) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"list_topics","arguments":${args}}}`;
    return [
      {
        name: 'arguments with distinct names',
        sizes: { names: 100 },
        build: ({ names }) => request(call(1, `{${listed(names!, (index) => `"n${index}":1`)}}`)),
      },
      {
        name: 'nested arguments',
        sizes: { depth: 10 },
        build: ({ depth }) => request(call(1, `{"a":${nested(depth!)}}`)),
      },
      {
        name: 'a batch of calls',
        sizes: { calls: 4 },
        build: ({ calls }) => request(`[${listed(calls!, (index) => call(index, '{}'))}]`),
      },
      {
        name: 'a batch of lists of tools',
        sizes: { calls: 4 },
        build: ({ calls }) =>
          request(`[${listed(calls!, (index) => `{"jsonrpc":"2.0","id":${index},"method":"tools/list"}`)}]`),
      },
    ];
  },
};
