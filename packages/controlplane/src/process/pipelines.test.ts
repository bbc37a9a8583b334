import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createClient, mcpPath } from '@weir/api';
import { freshClusterId, freshKey, startProcess } from '../../testing/running-process.ts';

test('a pipeline that a program created is visible to an assistant', async (t) => {
  const applicationKey = freshKey();
  const clusterId = freshClusterId();
  const { url } = await startProcess(t, { clusterId, oneUser: { applicationKey, accountKey: freshKey() } });
  const headers = { 'service-api-key': applicationKey };
  const client = createClient({ baseUrl: url, fetch, headers, checksAnswers: true });
  const on = { virtual_cluster_id: clusterId };
  const { pipeline_id } = await client.call('create_pipeline', { ...on, pipeline_name: 'clean-orders' });
  const target = { ...on, pipeline_id };
  const { configuration_id: deployed_configuration_id } = await client.call('create_pipeline_configuration', {
    ...target,
    configuration_yaml:
      'input: { generate: { mapping: root = 1 } }\noutput: { drop: {} }\nlogger: { password: hunter2 }\n',
  });
  await client.call('change_pipeline_state', { ...target, deployed_configuration_id });

  const assistant = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await assistant.connect(
    new StreamableHTTPClientTransport(new URL(mcpPath, url), { requestInit: { headers } }),
  );
  t.after(() => assistant.close());
  const textOf = async (name: string, args: object) => {
    const { content } = await assistant.callTool({
      name,
      arguments: { virtual_cluster_id: clusterId, ...args },
    });
    return (content as unknown as { readonly text: string }[])[0]!.text;
  };
  assert.match(await textOf('list_pipelines', {}), /^clean-orders\tbento\tpaused\t\t1\t/m);
  const described = await textOf('describe_pipeline', { pipeline_id: 'clean-orders' });
  assert.match(described, /^logger\.password\t\*\*\*$/m);
  assert.match(described, /events are off here/);
  assert.ok(!described.includes('hunter2'));
});
