import { int16, int32, string, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/** An admin client removes a controller from the voters of the metadata quorum (KIP-853). Flexible from the start. */
export const removeRaftVoter = defineApi({
  key: 81,
  name: 'RemoveRaftVoter',
  versions: '0',
  flexible: '0+',
  request: {
    clusterId: string({ nullable: true }),
    voterId: int32(),
    voterDirectoryId: uuid(),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, ignorable: true }),
  },
});
