import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { count, examples, list, text, time } from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

const name = () => text(coreLimits.reportedNameCharsMax);
const names = () => list(name(), apiLimits.listedSoftwareNamesMax);

const software = z
  .object({
    software_name: name().describe('The name of the client software; empty if it reports none.'),
    software_version: name().describe('Its version.'),
    connections: count().describe('The number of their connections.'),
    principals: names().describe('Some of their principals; `User:ANONYMOUS` without a login.'),
    client_ids: names().describe('Some of their client ids.'),
    has_more_names: z.boolean().describe('Whether there are more principals or client ids.'),
    agents: list(
      z.object({
        agent_id: text(128).describe('The agent.'),
        connections: count().describe('The number of their connections to this agent.'),
      }),
      apiLimits.listedSoftwareNamesMax,
    ).describe('Some of the agents that they are connected to, most connections first.'),
    agent_count: count().describe('How many agents they are connected to.'),
  })
  .meta({ id: 'ClientSoftware', description: 'Clients with the same software and version.' });

export const clientOperations = [
  defineClusterOperation({
    name: 'list_clients',
    title: 'List clients',
    summary: 'List the Kafka clients that are connected to a virtual cluster, by software and version.',
    description:
      'Clients report their software when they connect (KIP-511); names are as the clients send them, cut to 128 characters. Agents report every 20 seconds, each the kinds of software with the most connections; `unlisted_connections` counts the others. A client has several connections.',
    input: clusterInput({
      software_name: name().optional().describe('Only clients of this software.'),
      software_version: name().optional().describe('Only clients of this version.'),
      agent_id: text(128).optional().describe('Only clients of this agent.'),
    }),
    output: z.object({
      clients: list(software, apiLimits.listedSoftwareMax).describe(
        'Kinds of clients, most connections first.',
      ),
      total: count().describe('The total number of kinds, of which the first are listed.'),
      connections: count().describe('Connections of all clients, regardless of filters.'),
      unlisted_connections: count().describe('Connections of clients that are not listed.'),
      reported_at: time().nullable().describe('The time of the oldest report, or `null` if there is none.'),
      silent_agents: list(text(128), coreLimits.agentsPerClusterMax).describe(
        'Agents that have not reported their clients recently.',
      ),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { software_name: 'apache-kafka-java' },
      output: {
        clients: [
          {
            software_name: 'apache-kafka-java',
            software_version: '4.3.0',
            connections: 12,
            principals: ['User:shop'],
            client_ids: ['shop-producer'],
            has_more_names: false,
            agents: [{ agent_id: examples.agent, connections: 12 }],
            agent_count: 1,
          },
        ],
        total: 1,
        connections: 40,
        unlisted_connections: 0,
        reported_at: examples.time,
        silent_agents: [],
      },
    },
  }),
] as const;
