import { int8, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const listConfigResources = defineApi({
  key: 74,
  name: 'ListConfigResources',
  versions: '0-1',
  flexible: '0+',
  request: {
    resourceTypes: listOf(int8, { versions: '1+' }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    configResources: structs({
      resourceName: string(),
      resourceType: int8({ versions: '1+', default: 16, ignorable: true }),
    }),
  },
});
