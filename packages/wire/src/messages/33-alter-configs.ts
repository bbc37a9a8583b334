import { string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { changedConfigs, configsToChange } from './shared-fields.ts';

/**
 * An older admin client replaces all configurations of a resource (KIP-133): configurations that it does not name are
 * reset to their defaults.
 *
 * v1 throttles after the answer (KIP-219), v2 is flexible. IncrementalAlterConfigs has superseded it, but kafkajs and
 * librdkafka still send it.
 */
export const alterConfigs = defineApi({
  key: 33,
  name: 'AlterConfigs',
  versions: '0-2',
  flexible: '2+',
  request: configsToChange({
    name: string(),
    /** Null is INVALID_REQUEST. */
    value: string({ nullable: true }),
  }),
  response: changedConfigs,
});
