import type { ComponentSpec } from '../component/component-spec.ts';
import { connectorOutputs } from './connectors.ts';
import { drop } from './drop.ts';

export const outputs: readonly ComponentSpec[] = [...connectorOutputs, drop];
