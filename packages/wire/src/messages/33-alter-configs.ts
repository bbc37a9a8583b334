import { bool, int8, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { changedConfigs } from './shared-fields.ts';

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
  request: {
    resources: structs({
      /** 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group. */
      resourceType: int8(),
      /** Empty for what all brokers share. */
      resourceName: string(),
      configs: structs({
        name: string(),
        /** Null is INVALID_REQUEST. */
        value: string({ nullable: true }),
      }),
    }),
    /** Validates the request without changing anything. */
    validateOnly: bool(),
  },
  response: changedConfigs,
});
