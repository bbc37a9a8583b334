import * as z from 'zod';
import { flag } from '../fields.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { exampleTarget, level, mode, subjectName, subjectOutput } from './schema-fields.ts';

const registryConfig = z.object({
  compatibility_level: level().describe('What new versions are checked for.'),
  mode: mode().describe('What may be changed.'),
  own_compatibility_level: level().nullable().describe('The level that is set here; `null` if inherited.'),
  own_mode: mode().nullable().describe('The mode that is set here; `null` if inherited.'),
  alias: subjectOutput().nullable().describe('The subject that it stands for, or `null`.'),
  normalize: z.boolean().describe('Whether schemas are normalized before they are registered.'),
});

export const registryConfigOperations = [
  defineClusterOperation({
    name: 'describe_registry_config',
    title: 'Describe the config of a registry',
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
    title: 'Change the config of a registry',
    summary: 'Set the compatibility level, the mode and the alias of a subject or of the whole registry.',
    description: 'Omitted fields keep their values; `null` makes a value inherited again.',
    input: clusterInput({
      subject: subjectName()
        .optional()
        .describe('The subject, or a context such as `:.context:`; without it, the whole registry.'),
      compatibility_level: level().nullish().describe('What new versions are checked for.'),
      mode: mode().nullish().describe('What may be changed.'),
      alias: subjectName().nullish().describe('The subject that this one stands for.'),
      normalize: z
        .boolean()
        .optional()
        .describe('Whether schemas are normalized before they are registered.'),
      force: flag('Whether to set the mode IMPORT though the subject has versions.'),
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
