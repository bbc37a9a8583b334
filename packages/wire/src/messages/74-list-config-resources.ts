import { int8, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client lists the resources that have configurations of their own.
 *
 * v0 was ListClientMetricsResources and lists just these (KIP-1000); v1 takes and returns types (KIP-1142).
 */
export const listConfigResources = defineApi({
  key: 74,
  name: 'ListConfigResources',
  versions: '0-1',
  flexible: '0+',
  request: {
    /** 2 topic, 4 broker, 8 broker logger, 16 client metrics, 32 group; empty for all. */
    resourceTypes: listOf(int8, { versions: '1+' }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    configResources: structs({
      resourceName: string(),
      /** As in the request; v0 knows only 16. */
      resourceType: int8({ versions: '1+', default: 16, ignorable: true }),
    }),
  },
});
