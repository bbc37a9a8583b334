import { int8, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const findCoordinator = defineApi({
  key: 10,
  name: 'FindCoordinator',
  versions: '0-6',
  flexible: '3+',
  request: {
    key: string({ versions: '0-3' }),
    keyType: int8({ versions: '1+', default: 0 }),
    coordinatorKeys: listOf(string, { versions: '4+' }),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true }),
    errorCode: int16({ versions: '0-3' }),
    errorMessage: string({ versions: '1-3', nullable: true, ignorable: true }),
    nodeId: int32({ versions: '0-3' }),
    host: string({ versions: '0-3' }),
    port: int32({ versions: '0-3' }),
    coordinators: structs(
      {
        key: string(),
        nodeId: int32(),
        host: string(),
        port: int32(),
        errorCode: int16(),
        errorMessage: string({ nullable: true }),
      },
      { versions: '4+' },
    ),
  },
});
