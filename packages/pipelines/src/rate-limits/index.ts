import type { ComponentSpec } from '../component/component-spec.ts';

export const rateLimits: readonly ComponentSpec[] = [];
