import type { ComponentSpec } from '../component/component-spec.ts';

export const caches: readonly ComponentSpec[] = [];
