import type { ComponentSpec } from '../component/component-spec.ts';
import { local } from './local.ts';

export const rateLimits: readonly ComponentSpec[] = [local];
