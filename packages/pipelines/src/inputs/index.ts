import type { ComponentSpec } from '../component/component-spec.ts';
import { connectorInputs } from './connectors.ts';
import { generate } from './generate.ts';
import { kafka } from './kafka.ts';
import { kafkaFranz, kafkaFranzService } from './kafka-franz.ts';

export const inputs: readonly ComponentSpec[] = [
  ...connectorInputs,
  generate,
  kafka,
  kafkaFranz,
  kafkaFranzService,
];
