import * as z from 'zod';
import { flag } from '../fields.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { exampleTarget, level, mode, subjectName, subjectOutput } from './schema-fields.ts';

const registryConfig = z.object({
  compatibility_level: level().describe('The compatibility level for new versions.'),
  mode: mode().describe('The mode.'),
  own_compatibility_level: level().nullable().describe('The level that is set here; `null` if inherited.'),
  own_mode: mode().nullable().describe('The mode that is set here; `null` if inherited.'),
  alias: subjectOutput().nullable().describe('The subject that it is an alias of, or `null`.'),
  normalize: z.boolean().describe('Whether schemas are normalized before they are registered.'),
});

export const registryConfigOperations = [
  defineClusterOperation({
    name: 'describe_registry_config',
    title: 'Describe registry configuration',
    summary: 'Describe the compatibility level and the mode of a subject or of the whole registry.',
    input: clusterInput({
      subject: subjectName()
        .optional()
        .describe('The subject, or a context such as `:.context:`; without it, the whole registry.'),
    }),
    output: registryConfig,
    errors: ['no_schema_registry'],
    example: {
      input: exampleTarget,
      output: {
        compatibility_level: 'BACKWARD',
        mode: 'READWRITE',
        own_compatibility_level: null,
        own_mode: null,
        alias: null,
        normalize: false,
      },
    },
  }),
  defineClusterOperation({
    name: 'update_registry_config',
    title: 'Change registry configuration',
    summary: 'Set the compatibility level, the mode and the alias of a subject or of the whole registry.',
    description: 'Omitted fields keep their values; `null` makes a value inherited again.',
    input: clusterInput({
      subject: subjectName()
        .optional()
        .describe('The subject, or a context such as `:.context:`; without it, the whole registry.'),
      compatibility_level: level().nullish().describe('The compatibility level for new versions.'),
      mode: mode().nullish().describe('The mode.'),
      alias: subjectName().nullish().describe('The subject that this one is an alias of.'),
      normalize: z
        .boolean()
        .optional()
        .describe('Whether schemas are normalized before they are registered.'),
      force: flag('Whether to set the mode IMPORT even if the subject has versions.'),
    }),
    output: registryConfig,
    errors: ['conflict', 'no_schema_registry'],
    example: {
      input: { ...exampleTarget, compatibility_level: 'FULL' },
      output: {
        compatibility_level: 'FULL',
        mode: 'READWRITE',
        own_compatibility_level: 'FULL',
        own_mode: null,
        alias: null,
        normalize: false,
      },
    },
  }),
] as const;
