import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pipeline, PipelineConfiguration } from '../accounts/workspaces/pipelines.ts';
import { wantedPipelines } from './wanted-pipelines.ts';

const yaml = `input:
  broker:
    inputs:
      - kafka_franz_service: {topics: [orders], consumer_group: cleaner}
      - kafka_franz: {seed_brokers: [elsewhere:9092], topics: [more], consumer_group: other}
output: {kafka_franz_service: {topic: clean}}
service: {cluster_concurrency_target: 3, pipeline_group: eu}
`;

const pipeline = (id: string, facts: Partial<Pipeline>) =>
  ({
    id,
    name: `name of ${id}`,
    type: 'bento',
    state: 'running',
    deployed: { id: 'pci_1', version: 1 },
    ...facts,
  }) as Pipeline;

test('pipelines that should run, with the groups of their inputs', async () => {
  const found = await wantedPipelines(
    {
      list: async () => [
        pipeline('pi_1', {}),
        pipeline('pi_2', { state: 'paused' }),
        pipeline('pi_3', { deployed: undefined }),
        pipeline('pi_4', { type: 'schema_linking' }),
        pipeline('pi_5', { type: 'orbit' }),
      ],
      configurations: async () => [{ id: 'pci_1', yaml } as PipelineConfiguration],
    },
    { accountId: 'acc_1', id: 'vci_1' },
  );
  assert.deepEqual(found, [
    {
      pipelineId: 'pi_1',
      name: 'name of pi_1',
      configurationId: 'pci_1',
      type: 'bento',
      instanceCount: 3,
      agentGroup: 'eu',
      groupIds: ['cleaner', 'other'],
    },
    {
      pipelineId: 'pi_4',
      name: 'name of pi_4',
      configurationId: 'pci_1',
      type: 'schema_linking',
      instanceCount: 1,
      groupIds: [],
    },
  ]);
});
