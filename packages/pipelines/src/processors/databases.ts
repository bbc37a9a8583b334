import { redisProcessor } from './redis.ts';
import { sqlProcessors } from './sql.ts';

/** Processors that use databases of others. */
export const databaseProcessors = [...sqlProcessors, redisProcessor];
