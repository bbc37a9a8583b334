import type { ComponentSpec } from '../component/component-spec.ts';
import { generate } from './generate.ts';

export const inputs: readonly ComponentSpec[] = [generate];
