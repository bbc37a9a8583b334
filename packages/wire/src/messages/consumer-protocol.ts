import { bytes, int32, listOf, string, structs } from '../schema/field.ts';
import { defineMessage } from '../schema/message.ts';

const topicPartitions = {
  topic: string(),
  partitions: listOf(int32),
};

/**
 * What a consumer sends when it joins a classic group: the metadata of JoinGroup, after its version as an int16.
 *
 * v1 adds what the member owns (KIP-429), v2 the generation in which it got it (KIP-792), v3 the rack (KIP-881).
 */
export const consumerSubscription = defineMessage({
  name: 'consumer subscription',
  versions: '0-3',
  flexible: 'never',
  fields: {
    topics: listOf(string),
    userData: bytes({ nullable: true, default: null }),
    ownedPartitions: structs(topicPartitions, { versions: '1+', ignorable: true }),
    generationId: int32({ versions: '2+', default: -1, ignorable: true }),
    rackId: string({ versions: '3+', nullable: true, default: null, ignorable: true }),
  },
});

/** The assignment of SyncGroup, after its version as an int16. All versions are the same. */
export const consumerAssignment = defineMessage({
  name: 'consumer assignment',
  versions: '0-3',
  flexible: 'never',
  fields: {
    assignedPartitions: structs(topicPartitions),
    userData: bytes({ nullable: true, default: null }),
  },
});
