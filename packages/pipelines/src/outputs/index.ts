import type { ComponentSpec } from '../component/component-spec.ts';
import { drop } from './drop.ts';

export const outputs: readonly ComponentSpec[] = [drop];
