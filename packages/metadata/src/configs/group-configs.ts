import type { ConfigRow } from './config-row.ts';
import { bool, int, oneOf } from './config-type.ts';

/** Every config that one group can have. What a group does not say, the cluster says under the name behind `synonym`. */
export const groupConfigs = {
  'consumer.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    synonym: 'group.consumer.heartbeat.interval.ms',
    doc: 'How often members of this consumer group send heartbeats.',
  },
  'consumer.session.timeout.ms': {
    type: int({ min: 1 }),
    synonym: 'group.consumer.session.timeout.ms',
    doc: 'How long a member of this consumer group may be silent before it is removed.',
  },
  'share.auto.offset.reset': {
    type: oneOf('latest', 'earliest'),
    default: 'latest',
    doc: 'Where this share group begins with a partition that it has not read yet.',
  },
  'share.delivery.count.limit': {
    type: int({ min: 2, max: 10 }),
    synonym: 'group.share.delivery.count.limit',
    doc: 'How often a record is given to members of this share group before it is given up.',
  },
  'share.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    synonym: 'group.share.heartbeat.interval.ms',
    doc: 'How often members of this share group send heartbeats.',
  },
  'share.isolation.level': {
    type: oneOf('read_uncommitted', 'read_committed'),
    default: 'read_uncommitted',
    doc: 'Whether this share group is given records of transactions that are open or were aborted.',
  },
  'share.partition.max.record.locks': {
    type: int({ min: 100, max: 10_000 }),
    synonym: 'group.share.partition.max.record.locks',
    doc: 'How many records of a partition the members of this share group may have at a time.',
  },
  'share.record.lock.duration.ms': {
    type: int({ min: 1000, max: 3_600_000 }),
    synonym: 'group.share.record.lock.duration.ms',
    doc: 'How long a member of this share group has for a record before another one gets it.',
  },
  'share.renew.acknowledge.enable': {
    type: bool,
    default: 'true',
    doc: 'Whether members of this share group may ask for more time for a record.',
  },
  'share.session.timeout.ms': {
    type: int({ min: 1 }),
    synonym: 'group.share.session.timeout.ms',
    doc: 'How long a member of this share group may be silent before it is removed.',
  },
} as const satisfies Record<string, ConfigRow>;

export type GroupConfigName = keyof typeof groupConfigs;
