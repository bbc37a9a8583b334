import type { ComponentSpec } from '../component/component-spec.ts';
import { mappingProcessors } from './mapping.ts';

export const processors: readonly ComponentSpec[] = [...mappingProcessors];
