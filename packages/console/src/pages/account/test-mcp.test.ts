import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mcpConfiguration } from '@weir/api';
import { testMcp } from './test-mcp.ts';

const configuration = mcpConfiguration('url', {
  baseUrl: 'https://weir.example',
  serverName: 'weir',
  headers: { 'service-api-key': 'aks_1' },
});

const results: Readonly<Record<string, object>> = {
  initialize: { serverInfo: { name: 'weir' } },
  'tools/list': { tools: [{}, {}] },
};

test('a configuration is tried with its own headers, by JSON and by events', async () => {
  for (const isStream of [false, true]) {
    const sent: string[] = [];
    const send = async (url: unknown, init: RequestInit = {}) => {
      const { method } = JSON.parse(String(init.body)) as { method: string };
      sent.push(`${url} ${(init.headers as Record<string, string>)['service-api-key']} ${method}`);
      const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: results[method] });
      return new Response(isStream ? `event: message\ndata: ${text}\n\n` : text, {
        headers: { 'content-type': isStream ? 'text/event-stream' : 'application/json' },
      });
    };
    const found = await testMcp(configuration, send);
    assert.deepEqual(found, { isOk: true, text: 'Connected: weir has 2 tools' });
    assert.deepEqual(sent, ['/api/v1/mcp aks_1 initialize', '/api/v1/mcp aks_1 tools/list']);
  }
});

test('a refusal is said', async () => {
  const send = async () => Response.json({ message: 'invalid API key' }, { status: 401 });
  const found = await testMcp(configuration, send);
  assert.deepEqual(found, { isOk: false, text: 'Connection failed: initialize: invalid API key' });
});
