import type { ConfigRow } from './config-row.ts';
import { bool, int, oneOf } from './config-type.ts';

/** Every config of a group. If a group does not set one, the cluster's value under the `synonym` applies. */
export const groupConfigs = {
  'consumer.assignment.interval.ms': {
    type: int({ min: 0 }),
    synonym: 'group.consumer.assignment.interval.ms',
    doc: 'How far apart two assignments of this consumer group are at least.',
  },
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
  'share.assignment.interval.ms': {
    type: int({ min: 0 }),
    synonym: 'group.share.assignment.interval.ms',
    doc: 'How far apart two assignments of this share group are at least.',
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
  'streams.assignment.interval.ms': {
    type: int({ min: 0 }),
    synonym: 'group.streams.assignment.interval.ms',
    doc: 'How far apart two assignments of this streams group are at least.',
    withoutEffect: true,
  },
  'streams.heartbeat.interval.ms': {
    type: int({ min: 1 }),
    synonym: 'group.streams.heartbeat.interval.ms',
    doc: 'How often members of this streams group send heartbeats.',
    withoutEffect: true,
  },
  'streams.initial.rebalance.delay.ms': {
    type: int({ min: 0 }),
    synonym: 'group.streams.initial.rebalance.delay.ms',
    doc: 'How long the first rebalance of this streams group waits for more members.',
    withoutEffect: true,
  },
  'streams.num.standby.replicas': {
    type: int({ min: 0 }),
    synonym: 'group.streams.num.standby.replicas',
    doc: 'How many standby tasks this streams group has for each task.',
    withoutEffect: true,
  },
  'streams.session.timeout.ms': {
    type: int({ min: 1 }),
    synonym: 'group.streams.session.timeout.ms',
    doc: 'How long a member of this streams group may be silent before it is removed.',
    withoutEffect: true,
  },
} as const satisfies Record<string, ConfigRow>;

export type GroupConfigName = keyof typeof groupConfigs;
