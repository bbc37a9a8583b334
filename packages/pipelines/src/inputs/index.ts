import type { ComponentSpec } from '../component/component-spec.ts';
import { connectorInputs } from './connectors.ts';
import { generate } from './generate.ts';

export const inputs: readonly ComponentSpec[] = [...connectorInputs, generate];
