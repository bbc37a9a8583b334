import type { ComponentSpec } from '../component/component-spec.ts';
import { awsS3Cache } from './aws-s3.ts';
import { redisCache } from './redis.ts';

/** Caches in systems of others. */
export const connectorCaches: readonly ComponentSpec[] = [awsS3Cache, redisCache];
