import type { ComponentSpec } from '../component/component-spec.ts';
import { memory } from './memory.ts';
import { none } from './none.ts';

export const buffers: readonly ComponentSpec[] = [memory, none];
