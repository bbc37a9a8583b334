import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mcpConfiguration } from './mcp-configuration.ts';

const servers = {
  baseUrl: 'https://weir.example',
  serverName: 'weir',
  headers: { 'service-api-key': 'aks_1' },
};

test('clients with the key url', () => {
  assert.deepEqual(JSON.parse(mcpConfiguration('url', servers)), {
    mcpServers: {
      weir: { type: 'http', url: 'https://weir.example/api/v1/mcp', headers: { 'service-api-key': 'aks_1' } },
      'weir-docs': { type: 'http', url: 'https://weir.example/docs/mcp' },
    },
  });
});

test('clients with the key serverUrl', () => {
  assert.deepEqual(JSON.parse(mcpConfiguration('server_url', servers)), {
    mcpServers: {
      weir: { serverUrl: 'https://weir.example/api/v1/mcp', headers: { 'service-api-key': 'aks_1' } },
      'weir-docs': { serverUrl: 'https://weir.example/docs/mcp' },
    },
  });
});

test('clients with a command', () => {
  assert.deepEqual(mcpConfiguration('command_line', servers).split('\n'), [
    'mcp add --transport http weir https://weir.example/api/v1/mcp --header "service-api-key: aks_1"',
    'mcp add --transport http weir-docs https://weir.example/docs/mcp',
  ]);
});
