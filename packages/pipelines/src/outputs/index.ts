import type { ComponentSpec } from '../component/component-spec.ts';
import { connectorOutputs } from './connectors.ts';
import { drop } from './drop.ts';
import { kafka } from './kafka.ts';
import { kafkaFranz, kafkaFranzService } from './kafka-franz.ts';

export const outputs: readonly ComponentSpec[] = [
  ...connectorOutputs,
  drop,
  kafka,
  kafkaFranz,
  kafkaFranzService,
];
