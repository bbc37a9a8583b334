import type { ComponentSpec } from '../component/component-spec.ts';
import { local } from './local.ts';
import { redisRateLimit } from './redis.ts';

export const rateLimits: readonly ComponentSpec[] = [local, redisRateLimit];
