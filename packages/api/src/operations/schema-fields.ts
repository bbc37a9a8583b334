import { compatibilityLevels } from '@weir/core';
import * as z from 'zod';
import { dictionary, integer, list, text, word } from '../fields.ts';
import { apiLimits } from '../limits.ts';

const schemaTypeNames = ['AVRO', 'PROTOBUF', 'JSON'] as const;

const registryModes = ['READWRITE', 'READONLY', 'READONLY_OVERRIDE', 'IMPORT', 'FORWARD'] as const;

const versionMax = 2 ** 31 - 1;

export const subjectName = () => text(apiLimits.schemaSubjectCharsMax, 1);
export const subjectOutput = () => z.string().max(apiLimits.schemaSubjectCharsMax);
export const schemaText = () => z.string().min(1).max(apiLimits.schemaTextCharsMax);
export const schemaTextOutput = () => z.string().max(apiLimits.schemaTextCharsMax);
export const versionNumber = () => integer(1, versionMax);
export const schemaId = () => integer(0, versionMax);
export const guid = () => z.string().max(36);
export const guidGiven = () =>
  word(/^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/, 36, 'is not a GUID');
export const schemaType = () => z.enum(schemaTypeNames).describe('The language of the schema.');
export const level = () => z.enum(compatibilityLevels);
export const mode = () => z.enum(registryModes);

const reference = z.strictObject({
  name: text(apiLimits.schemaSubjectCharsMax, 1).describe(
    'The name in the schema: an Avro type, a Protobuf import, a `$ref` of JSON Schema.',
  ),
  subject: subjectName().describe('The subject of the referenced schema.'),
  version: versionNumber().describe('The version of the subject.'),
});

export const references = () =>
  list(reference, apiLimits.schemaReferencesMax).default([]).describe('The schemas that the text refers to.');

export const openReferences = () =>
  list(
    reference.extend({
      version: versionNumber().optional().describe('The version of the subject; without it, the last one.'),
    }),
    apiLimits.schemaReferencesMax,
  )
    .default([])
    .describe('The schemas that the text refers to.');

const metadataText = () => text(apiLimits.schemaMetadataCharsMax, 1);

export const metadata = () =>
  z
    .strictObject({
      properties: dictionary(
        metadataText(),
        text(apiLimits.schemaMetadataCharsMax),
        apiLimits.schemaMetadataEntriesMax,
      )
        .optional()
        .describe('Values by name.'),
      tags: dictionary(
        metadataText(),
        list(metadataText(), apiLimits.schemaMetadataEntriesMax),
        apiLimits.schemaMetadataEntriesMax,
      )
        .optional()
        .describe('Tags by the path of what has them.'),
      sensitive: list(metadataText(), apiLimits.schemaMetadataEntriesMax)
        .optional()
        .describe('Names of sensitive properties.'),
    })
    .optional()
    .describe('Metadata stored with the schema; by default, that of the last version.');

export const exampleTarget = { subject: 'orders-value' };
