import type { ComponentSpec } from '../component/component-spec.ts';
import { none } from './none.ts';

export const buffers: readonly ComponentSpec[] = [none];
