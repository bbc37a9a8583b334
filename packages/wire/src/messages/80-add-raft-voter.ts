import { bool, int16, int32, string, structs, uint16, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client adds a controller to the voters of the metadata quorum (KIP-853). v1 can be answered before the
 * change is committed (KIP-1186). Flexible from the start.
 */
export const addRaftVoter = defineApi({
  key: 80,
  name: 'AddRaftVoter',
  versions: '0-1',
  flexible: '0+',
  request: {
    clusterId: string({ nullable: true }),
    timeoutMs: int32(),
    voterId: int32(),
    voterDirectoryId: uuid(),
    listeners: structs({
      name: string(),
      host: string(),
      port: uint16(),
    }),
    ackWhenCommitted: bool({ versions: '1+', default: true }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, ignorable: true }),
  },
});
