import type { ComponentSpec } from '../component/component-spec.ts';
import { connectorCaches } from './connectors.ts';

export const caches: readonly ComponentSpec[] = [...connectorCaches];
