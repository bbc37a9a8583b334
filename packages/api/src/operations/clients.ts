import { coreLimits } from '@weir/core';
import * as z from 'zod';
import { count, examples, list, text, time } from '../fields.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

const name = () => text(coreLimits.reportedNameCharsMax);
const names = () => list(name(), apiLimits.listedSoftwareNamesMax);

const software = z
  .object({
    software_name: name().describe('What the software calls itself; empty if it does not.'),
    software_version: name().describe('Its version.'),
    connections: count().describe('Connections of such clients.'),
    principals: names().describe(
      'Some of those that they are logged in as, `User:ANONYMOUS` without a login.',
    ),
    client_ids: names().describe('Some of their client ids.'),
    has_more_names: z.boolean().describe('Whether there are further principals or client ids.'),
    agents: list(
      z.object({
        agent_id: text(128).describe('The agent.'),
        connections: count().describe('Connections of such clients to it.'),
      }),
      apiLimits.listedSoftwareNamesMax,
    ).describe('Some of the agents that they are connected to, those with the most connections first.'),
    agent_count: count().describe('How many agents they are connected to.'),
  })
  .meta({ id: 'ClientSoftware', description: 'Clients of one software and version.' });

export const clientOperations = [
  defineClusterOperation({
    name: 'list_clients',
    title: 'List clients',
    summary: 'List the Kafka clients that are connected to a virtual cluster, by software and version.',
    description:
      'Clients say their software when they connect (KIP-511); all names here are as they chose them, cut to 128 characters. Agents report every 20 seconds, each its kinds of software with the most connections; the connections of others are counted in `unlisted_connections`. A client has several connections.',
    input: clusterInput({
      software_name: name().optional().describe('Only clients of this software.'),
      software_version: name().optional().describe('Only clients of this version.'),
      agent_id: text(128).optional().describe('Only clients of this agent.'),
    }),
    output: z.object({
      clients: list(software, apiLimits.listedSoftwareMax).describe(
        'Kinds of clients, the most connections first.',
      ),
      total: count().describe('How many kinds there are, of which the first are listed.'),
      connections: count().describe('Connections of all clients, whatever was asked for.'),
      unlisted_connections: count().describe('Connections of clients for whose software there was no room.'),
      reported_at: time().nullable().describe('The oldest report that is in here, or `null` without any.'),
      silent_agents: list(text(128), coreLimits.agentsPerClusterMax).describe(
        'Agents that did not report their clients of late.',
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
