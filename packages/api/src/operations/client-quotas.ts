import { coreLimits, quotaEntityTypes, quotaKeys } from '@weir/core';
import * as z from 'zod';
import { flag, list, text } from '../fields.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

const part = {
  type: z.enum(quotaEntityTypes).describe('What the name is of.'),
  name: text(coreLimits.principalNameCharsMax, 1)
    .nullable()
    .describe(
      'The user, client id or IP address; `null` is the default of all that have no quota of their own.',
    ),
};

const entity = z.object(part).meta({ id: 'QuotaEntityPart', description: 'A part of whom a quota is of.' });

const entityGiven = () =>
  list(z.strictObject(part), quotaEntityTypes.length, 1).describe(
    'Whose quotas: a user, a client id, both of them, or an IP address.',
  );

const entityShown = () => list(entity, quotaEntityTypes.length).describe('Whose quotas they are.');

const values = z
  .partialRecord(z.enum(quotaKeys), z.number())
  .meta({ id: 'ClientQuotaValues', description: 'Quotas by name. A quota holds for each agent by itself.' });

const exampleEntity = [{ type: 'user', name: 'shop' }] as const;

export const clientQuotaOperations = [
  defineClusterOperation({
    name: 'list_client_quotas',
    title: 'List client quotas',
    summary: 'List the quotas of Kafka clients of a virtual cluster.',
    output: z.object({
      client_quotas: list(
        z.object({ entity: entityShown(), quotas: values.describe('What is set.') }),
        coreLimits.clientQuotasMax,
      ).describe('All users, client ids and IP addresses that have quotas.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      output: {
        client_quotas: [{ entity: [...exampleEntity], quotas: { producer_byte_rate: 10_485_760 } }],
      },
    },
  }),
  defineClusterOperation({
    name: 'describe_effective_client_quotas',
    title: 'Describe the quotas that apply to a client',
    summary: 'Describe the quotas that apply to a Kafka client, and whose they are.',
    description:
      'The most specific quota wins: of user and client id, of the user, of the client id, and names before defaults.',
    input: clusterInput({
      user: text(coreLimits.principalNameCharsMax)
        .default('')
        .describe('The user without `User:`; empty for clients that do not log in.'),
      client_id: text(coreLimits.principalNameCharsMax).default('').describe('The client id.'),
      ip: text(coreLimits.principalNameCharsMax)
        .default('')
        .describe('The IP address; empty to leave it out.'),
    }),
    output: z.object({
      quotas: list(
        z.object({
          quota: z.enum(quotaKeys).describe('The quota.'),
          value: z.number().describe('Its value.'),
          entity: entityShown(),
        }),
        quotaKeys.length,
      ).describe('The quotas that apply; others are unlimited.'),
    }),
    errors: ['unsupported_cluster_type'],
    example: {
      input: { user: 'shop', client_id: 'billing' },
      output: {
        quotas: [{ quota: 'producer_byte_rate', value: 10_485_760, entity: [...exampleEntity] }],
      },
    },
  }),
  defineClusterOperation({
    name: 'update_client_quotas',
    title: 'Set client quotas',
    summary: 'Set and remove quotas of a user, a client id or an IP address.',
    description: 'Quotas apply at all agents within seconds. They throttle clients and refuse nothing.',
    input: clusterInput({
      entity: entityGiven(),
      quotas: z
        .partialRecord(z.enum(quotaKeys), z.number().min(0).max(Number.MAX_SAFE_INTEGER).nullable())
        .refine((given) => Object.keys(given).length > 0, { error: 'names no quota' })
        .describe('Quotas by name. `null` removes one; those that are left out stay.'),
      validate_only: flag('Whether to check the call and change nothing.'),
    }),
    errors: ['limit_exceeded', 'unsupported_cluster_type'],
    example: {
      input: { entity: [...exampleEntity], quotas: { producer_byte_rate: 10_485_760 } },
    },
  }),
  defineClusterOperation({
    name: 'delete_client_quotas',
    title: 'Delete client quotas',
    summary: 'Delete all quotas of a user, a client id or an IP address.',
    input: clusterInput({ entity: entityGiven() }),
    errors: ['unsupported_cluster_type'],
    example: { input: { entity: [...exampleEntity] } },
  }),
] as const;
