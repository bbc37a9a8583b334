import { int8, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { changedConfigs, configsToChange } from './shared-fields.ts';

/**
 * An admin client changes single configurations of a resource and leaves the others alone (KIP-339).
 *
 * v1 is flexible.
 * All changes to one resource happen or none. A name given twice is INVALID_REQUEST, an unknown one
 * INVALID_CONFIG.
 */
export const incrementalAlterConfigs = defineApi({
  key: 44,
  name: 'IncrementalAlterConfigs',
  versions: '0-1',
  flexible: '1+',
  request: configsToChange({
    name: string(),
    /** 0 set, 1 delete, 2 append, 3 subtract; the last two for lists only, else INVALID_CONFIG. */
    configOperation: int8(),
    /** Null in a delete only, else INVALID_REQUEST. */
    value: string({ nullable: true }),
  }),
  response: changedConfigs,
});
