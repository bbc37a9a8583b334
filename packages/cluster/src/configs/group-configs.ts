import type { ConfigRow } from './config-row.ts';
import { bool, int, oneOf } from './config-type.ts';
import { startOffset } from './start-offset.ts';

/** Every config of a group. If a group does not set one, the cluster's value under the `synonym` applies. */
export const groupConfigs = {
  'consumer.assignment.interval.ms': {
    type: int({ min: 0 }),
    synonym: 'group.consumer.assignment.interval.ms',
    group: 'groups',
    doc: 'The minimum interval between two assignments of this consumer group.',
  },
  'consumer.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    synonym: 'group.consumer.heartbeat.interval.ms',
    group: 'groups',
    doc: 'The heartbeat interval of members.',
  },
  'consumer.session.timeout.ms': {
    type: int({ min: 1 }),
    synonym: 'group.consumer.session.timeout.ms',
    group: 'groups',
    doc: 'The session timeout: members without a heartbeat for this long are removed.',
  },
  'share.assignment.interval.ms': {
    type: int({ min: 0 }),
    synonym: 'group.share.assignment.interval.ms',
    group: 'shareGroups',
    doc: 'The minimum interval between two assignments of this share group.',
  },
  'share.auto.offset.reset': {
    type: startOffset,
    default: 'latest',
    group: 'shareGroups',
    doc: 'The start offset of partitions that this share group has not read yet. With a duration, reading begins with the first stored range that has a record of this age or a younger one.',
  },
  'share.delivery.count.limit': {
    type: int({ min: 2, max: 10 }),
    synonym: 'group.share.delivery.count.limit',
    group: 'shareGroups',
    doc: 'The maximum number of delivery attempts of a record.',
  },
  'share.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    synonym: 'group.share.heartbeat.interval.ms',
    group: 'shareGroups',
    doc: 'The heartbeat interval of members.',
  },
  'share.isolation.level': {
    type: oneOf('read_uncommitted', 'read_committed'),
    default: 'read_uncommitted',
    group: 'shareGroups',
    doc: 'Whether records of open and aborted transactions are delivered (read_uncommitted) or not (read_committed).',
  },
  'share.partition.max.record.locks': {
    type: int({ min: 100, max: 10_000 }),
    synonym: 'group.share.partition.max.record.locks',
    group: 'shareGroups',
    doc: 'The maximum number of locked records per partition.',
  },
  'share.record.lock.duration.ms': {
    type: int({ min: 1000, max: 3_600_000 }),
    synonym: 'group.share.record.lock.duration.ms',
    group: 'shareGroups',
    doc: 'The acquisition lock duration; after it, a record is delivered to another member.',
  },
  'share.renew.acknowledge.enable': {
    type: bool,
    default: 'true',
    group: 'shareGroups',
    doc: 'Whether members can renew the acquisition lock of a record.',
  },
  'share.session.timeout.ms': {
    type: int({ min: 1 }),
    synonym: 'group.share.session.timeout.ms',
    group: 'shareGroups',
    doc: 'The session timeout: members without a heartbeat for this long are removed.',
  },
  'streams.assignment.interval.ms': {
    type: int({ min: 0 }),
    synonym: 'group.streams.assignment.interval.ms',
    group: 'streamsGroups',
    doc: 'The minimum interval between two assignments of this streams group.',
  },
  'streams.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    synonym: 'group.streams.heartbeat.interval.ms',
    group: 'streamsGroups',
    doc: 'The heartbeat interval of members.',
  },
  'streams.initial.rebalance.delay.ms': {
    type: int({ min: 0 }),
    synonym: 'group.streams.initial.rebalance.delay.ms',
    group: 'streamsGroups',
    doc: 'How long the first rebalance of this streams group waits for more members to join.',
  },
  'streams.num.standby.replicas': {
    type: int({ min: 0 }),
    synonym: 'group.streams.num.standby.replicas',
    group: 'streamsGroups',
    doc: 'The number of standby replicas of each task.',
  },
  'streams.session.timeout.ms': {
    type: int({ min: 1 }),
    synonym: 'group.streams.session.timeout.ms',
    group: 'streamsGroups',
    doc: 'The session timeout: members without a heartbeat for this long are removed.',
  },
} as const satisfies Record<string, ConfigRow>;

export type GroupConfigName = keyof typeof groupConfigs;
