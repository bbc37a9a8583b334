import type { ComponentSpec } from '../component/component-spec.ts';

export const scanners: readonly ComponentSpec[] = [];
