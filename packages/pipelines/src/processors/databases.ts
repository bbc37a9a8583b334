import { redisProcessor } from './redis.ts';
import { redisScript } from './redis-script.ts';
import { sqlProcessors } from './sql.ts';

/** Processors that use databases of others. */
export const databaseProcessors = [...sqlProcessors, redisProcessor, redisScript];
