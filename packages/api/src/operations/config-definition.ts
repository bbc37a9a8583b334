import { configGroupIds, configUnits, coreLimits } from '@weir/core';
import * as z from 'zod';
import { count, list, prose, text, topicNameField } from '../fields.ts';
import { apiLimits } from '../limits.ts';

/** The value of a config. */
export const configText = () => prose(coreLimits.configTextCharsMax);

/** What a config is and which values it takes, whatever it is a config of. */
export const configDefinitionFields = {
  name: text(256).describe('The config.'),
  type: z.enum(['boolean', 'string', 'int', 'long', 'double', 'list']).describe('The type of its values.'),
  group: z.enum(configGroupIds).describe('The group that it belongs to.'),
  unit: z
    .enum(configUnits)
    .nullable()
    .describe('The unit of its numbers; `null` for plain numbers and other types.'),
  rule: prose().describe('What a value must be, to complete "must be …".'),
  words: list(text(256), 100).nullable().describe('All allowed values; `null` if there is no such list.'),
  minimum: text(32).nullable().describe('The minimum, as text; `null` for other types.'),
  maximum: text(32).nullable().describe('The maximum, as text; `null` for other types.'),
  documentation: prose().describe('A description.'),
  has_effect: z.boolean().describe('Whether it has an effect; others are accepted because tools set them.'),
};

/** What a dry run says of records that a change of configs deletes. */
export const deletionEstimate = () =>
  z
    .object({
      records: count().describe(
        'The records that the new retention deletes and the current one keeps. An upper bound for compacted topics.',
      ),
      bytes: count().describe('The bytes of their batches as clients sent them.'),
      topic_count: count().describe('The number of topics that lose records.'),
      topics: list(
        z.object({
          name: topicNameField().describe('The topic.'),
          records: count().describe('The number of its records that are deleted.'),
          bytes: count().describe('Their bytes.'),
        }),
        apiLimits.deletionEstimateTopicsMax,
      ).describe('The topics that lose the most bytes, largest first.'),
      deleted_topic_count: count().describe(
        'The number of deleted topics that can no longer be restored after the change.',
      ),
      deleted_topic_bytes: count().describe('Their bytes.'),
      is_complete: z.boolean().describe('Whether all records were counted. If not, there are more.'),
    })
    .meta({ id: 'DeletionEstimate', description: 'What a change of configs deletes within minutes.' });

export const exampleDeletionEstimate = {
  records: 1_250_000,
  bytes: 734_003_200,
  topic_count: 1,
  topics: [{ name: 'orders', records: 1_250_000, bytes: 734_003_200 }],
  deleted_topic_count: 0,
  deleted_topic_bytes: 0,
  is_complete: true,
};
