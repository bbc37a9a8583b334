import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { count, examples, list, text, time } from '../fields.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

/** More than agents can have. */
const rolesMax = 16;
const nameCharsMax = 256;

const agent = z
  .object({
    agent_id: text(128).describe('The agent.'),
    release: text(64).describe('The release that it runs.'),
    roles: list(text(64), rolesMax).describe('Its roles.'),
    group: text(nameCharsMax).describe('Its group.'),
    zone: text(nameCharsMax).describe('Its availability zone; empty if unknown.'),
    region: text(nameCharsMax).optional().describe('Its region, if it was started with `-multiregion`.'),
    host: text(nameCharsMax).describe('The host that clients connect to.'),
    kafka_port: count(65_535)
      .optional()
      .describe('Its Kafka port; absent for agents of a schema registry cluster.'),
    schema_registry_port: count(65_535)
      .optional()
      .describe('Its schema registry port; absent if it serves none.'),
    cpu_count: z.number().min(0).describe('Its vCPUs.'),
    cpu_load: z.number().min(0).max(1).describe('Its CPU utilization, from 0 to 1.'),
    started_at: time()
      .optional()
      .describe(
        'When its process started, by its own clock; absent until its first report, within 20 seconds.',
      ),
    last_seen_at: time().describe('Its last heartbeat.'),
  })
  .meta({ id: 'Agent', description: 'A connected agent.' });

export const agentOperations = [
  defineClusterOperation({
    name: 'list_agents',
    title: 'List agents',
    summary: 'List the agents of a virtual cluster with a recent heartbeat.',
    input: clusterInput({
      group: text(nameCharsMax).optional().describe('Only agents of this group.'),
      role: text(64).optional().describe('Only agents that have this role.'),
    }),
    output: z.object({ agents: list(agent, coreLimits.agentsPerClusterMax).describe('The agents by id.') }),
    example: {
      input: { role: 'jobs' },
      output: {
        agents: [
          {
            agent_id: examples.agent,
            release: 'v830',
            roles: ['proxy', 'jobs'],
            group: 'default',
            zone: 'us-east-1a',
            host: 'agent-1.example',
            kafka_port: 9092,
            cpu_count: 4,
            cpu_load: 0.31,
            started_at: examples.time,
            last_seen_at: examples.time,
          },
        ],
      },
    },
  }),
] as const;
